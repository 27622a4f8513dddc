// Bodies that have no shapes: rods between their joints, or the ellipsoid of their inertia. What shapes leave out of others.
import * as THREE from 'three';
import { ConvexGeometry } from 'three/examples/jsm/geometries/ConvexGeometry.js';
import { shapeBox, shapeReach } from './shapes.js';

/** Points of a body where joints, springs and named points sit, in its frame. */
function attachments(scene, body) {
  const out = [];
  for (const item of [...scene.joints, ...scene.springs]) {
    if (item.type === 'free') continue;
    if (item.a === body) out.push(item.pose_a.slice(0, 3));
    if (item.b === body) out.push(item.pose_b.slice(0, 3));
  }
  for (const p of scene.points) if (p.body === body) out.push(p.at);
  return out;
}

function distinct(points, tolerance) {
  const out = [];
  for (const p of points) if (!out.some((q) => Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]) < tolerance)) out.push(p);
  return out;
}

/** Points of a body in its frame that it lies between: joints, centre of mass, corners of the boxes of its shapes. */
export function outline(scene, i) {
  const { com } = scene.bodies[i];
  const out = [...attachments(scene, i), ...(com ? [com] : [])];
  for (const s of scene.shapes) {
    const box = s.body === i ? shapeBox(s) : null;
    if (!box) continue;
    const turn = new THREE.Quaternion(s.pose[4], s.pose[5], s.pose[6], s.pose[3]);
    const at = new THREE.Vector3(...s.pose.slice(0, 3));
    for (let k = 0; k < 8; k++) {
      const corner = new THREE.Vector3(...[0, 1, 2].map((a) => (k & (1 << a) ? box.high[a] : box.low[a])));
      out.push(corner.applyQuaternion(turn).add(at).toArray());
    }
  }
  return out;
}

/** Extends a box by a body at frame k. */
function expand(box, scene, motion, i, k, points = outline(scene, i)) {
  const p = [0, 0, 0];
  const v = new THREE.Vector3();
  for (const at of points) box.expandByPoint(v.set(...motion.place(i, at, k, p)));
}

const CLOUD_FRAMES = 40;

/** Places of all that moves, over the run or at one frame, and what of the ground lies about it: what a picture has to hold. pointsOf(i):
 *  points of a body in its frame. */
export function cloud(scene, motion, pointsOf, frame) {
  const out = [];
  const p = [0, 0, 0];
  const box = new THREE.Box3();
  const step = Math.max(1, (motion.frames - 1) / CLOUD_FRAMES);
  const frames = frame !== undefined ? [frame] : Array.from({ length: Math.min(motion.frames, CLOUD_FRAMES + 1) }, (_, k) => Math.min(motion.frames - 1, Math.round(k * step)));
  for (let i = 1; i < scene.bodies.length; i++) {
    const points = pointsOf(i);
    for (const k of frames)
      for (const at of points) {
        const v = new THREE.Vector3(...motion.place(i, at, k, p));
        out.push(v);
        box.expandByPoint(v);
      }
  }
  const size = box.isEmpty() ? 0 : box.getSize(new THREE.Vector3()).length();
  const ground = motion.frames ? pointsOf(0).map((at) => new THREE.Vector3(...motion.place(0, at, 0, p))) : [];
  box.expandByScalar(0.15 * size);
  for (const v of ground) out.push(size > 0 ? v.clamp(box.min, box.max) : v);
  return out;
}

/** Box around what moves, at the start. */
export function startBox(scene, motion) {
  const box = new THREE.Box3();
  for (let i = 1; i < scene.bodies.length && motion.frames > 0; i++) expand(box, scene, motion, i, 0);
  return box;
}

/** Half the diagonal of what moves, at the start [m]: a robot that walks far is no larger for it. */
export function stature(scene, motion) {
  const box = startBox(scene, motion);
  return box.isEmpty() ? 0 : 0.5 * box.getSize(new THREE.Vector3()).length();
}

/** Usual distance between neighbouring joints of a body [m]; infinite where no body has two. */
export function linkLength(scene) {
  const lengths = [];
  scene.bodies.forEach((_, i) => {
    const points = i > 0 ? attachments(scene, i) : [];
    for (let k = 1; k < points.length; k++) {
      const d = Math.hypot(...points[k].map((x, j) => x - points[k - 1][j]));
      if (d > 0) lengths.push(d);
    }
  });
  lengths.sort((a, b) => a - b);
  return lengths.length ? lengths[lengths.length >> 1] : Infinity;
}

/** Box around everything, over the whole run. */
export function bounds(scene, motion) {
  const box = new THREE.Box3();
  const step = Math.max(1, Math.floor(motion.frames / 200));
  scene.bodies.forEach((_, i) => {
    const points = outline(scene, i);
    for (let k = 0; k < motion.frames; k += i === 0 ? motion.frames : step) expand(box, scene, motion, i, k, points);
  });
  if (box.isEmpty()) box.set(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1));
  const size = box.getSize(new THREE.Vector3());
  const most = Math.max(size.x, size.y, size.z);
  box.expandByScalar(most > 0 ? 0.04 * most : 1);
  if (scene.planar) (box.min.z = -0.01 * most), (box.max.z = 0.01 * most);
  return box;
}

function rod(p, q, radius) {
  const a = new THREE.Vector3(...p);
  const b = new THREE.Vector3(...q);
  const length = a.distanceTo(b);
  const g = new THREE.CapsuleGeometry(radius, length, 6, 20);
  g.applyQuaternion(new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 1, 0), b.clone().sub(a).normalize()));
  return g.translate(...a.add(b).multiplyScalar(0.5).toArray());
}

function ball(p, radius) {
  return new THREE.SphereGeometry(radius, 32, 20).translate(...p);
}

/** Ellipsoid of even density with the body's inertia. */
function inertiaEllipsoid(body, least, most, planar) {
  const [ix, iy, iz] = body.inertia;
  const k = 2.5 / (body.mass || 1);
  const axis = (x) => Math.min(most, Math.max(least, Math.sqrt(Math.max(0, x * k))));
  if (planar) {
    const r = axis(0.8 * iz);
    return new THREE.CylinderGeometry(r, r, 1.2 * least, 48).rotateX(Math.PI / 2).translate(...body.com);
  }
  return new THREE.SphereGeometry(1, 40, 24).scale(axis(iy + iz - ix), axis(iz + ix - iy), axis(ix + iy - iz)).translate(...body.com);
}

/** Something to see at a single place: a wheel on its axle, a block on its slide, else a small body of its inertia. */
function lump(stage, index) {
  const body = stage.scene.bodies[index];
  const joints = stage.scene.joints.filter((j) => (j.a === index || j.b === index) && j.type !== 'free');
  const r = stage.rod;
  if (joints.length === 0) return inertiaEllipsoid(body, 1.5 * r, 0.5 * stage.unit, stage.scene.planar);
  const joint = joints.find((j) => ['prismatic', 'revolute'].includes(j.type)) ?? joints[0];
  const pose = joint.b === index ? joint.pose_b : joint.pose_a;
  const turn = new THREE.Quaternion(pose[4], pose[5], pose[6], pose[3]);
  const axle = joints.every((j) => j.type === 'revolute') && !stage.scene.planar;
  if (axle) {
    const most = Math.max(...body.inertia);
    const size = Math.min(0.3 * stage.unit, Math.max(3 * r, Math.sqrt((2 * most) / (body.mass || 1))));
    return new THREE.CylinderGeometry(size, size, 2 * r, 20).rotateX(Math.PI / 2).applyQuaternion(turn).translate(...pose.slice(0, 3));
  }
  if (joints.some((j) => j.type === 'prismatic')) return new THREE.BoxGeometry(3.4 * r, 3.4 * r, 6 * r).applyQuaternion(turn).translate(...pose.slice(0, 3));
  return inertiaEllipsoid(body, 1.5 * r, 3.2 * r, stage.scene.planar);
}

/** Geometries of a body without shapes, in its frame. */
export function bodyParts(stage, index) {
  const body = stage.scene.bodies[index];
  const r = stage.rod;
  let points = distinct(attachments(stage.scene, index), 0.9 * r);
  const away = points.every((p) => Math.hypot(p[0] - body.com[0], p[1] - body.com[1], p[2] - body.com[2]) > 0.05 * stage.unit);
  const parts = stage.scene.shapes.some((s) => s.body === index && s.joint !== undefined);
  if (stage.scene.shapes.some((s) => s.body === index && s.joint !== undefined && ['rectangle', 'box'].includes(s.type))) return []; // its block is there
  if (points.length === 1 && away) return [rod(points[0], body.com, r), ball(body.com, 2.6 * r)];
  if (points.length < 2) return parts ? [] : [lump(stage, index)];
  if (points.length === 2) {
    const panel = stage.scene.planar ? null : panelOf(points, body.com, r);
    return [panel ?? rod(points[0], points[1], r)];
  }
  const middle = points.reduce((s, p) => s.map((x, i) => x + p[i] / points.length), [0, 0, 0]);
  if (stage.scene.planar) {
    points = [...points].sort((p, q) => Math.atan2(p[1] - middle[1], p[0] - middle[0]) - Math.atan2(q[1] - middle[1], q[0] - middle[0]));
    return points.map((p, i) => rod(p, points[(i + 1) % points.length], 0.8 * r));
  }
  return [plate(points, r)];
}

/** A plate that hangs on two joints, like a door: where the centre of mass lies far beside both; else null. */
function panelOf([p, q], com, r) {
  const [a, b, c] = [p, q, com].map((x) => new THREE.Vector3(...x));
  const along = b.clone().sub(a);
  const beside = c.clone().sub(a).addScaledVector(along, -c.clone().sub(a).dot(along) / along.lengthSq());
  if (beside.length() < 0.15 * along.length()) return null;
  const across = beside.multiplyScalar(2);
  return plate([a, b, b.clone().add(across), a.clone().add(across)].map((x) => x.toArray()), 0.6 * r);
}

/** Hull of balls at the points. */
function plate(points, r) {
  const grain = new THREE.IcosahedronGeometry(r, 1).attributes.position;
  const all = points.flatMap((p) => Array.from({ length: grain.count }, (_, i) => new THREE.Vector3().fromBufferAttribute(grain, i).add(new THREE.Vector3(...p))));
  return new ConvexGeometry(all);
}

/** Rods from the shapes of a body to those of its joints that lie outside all of them: strings, arms. */
export function bodyArms(stage, index) {
  const shapes = stage.scene.shapes.filter((s) => s.body === index && s.joint === undefined && !['plane', 'half_plane'].includes(s.type));
  const distance = (p, s) => Math.hypot(p[0] - s.pose[0], p[1] - s.pose[1], p[2] - s.pose[2]);
  const outside = distinct(attachments(stage.scene, index), 0.9 * stage.rod).filter((p) => shapes.every((s) => distance(p, s) > shapeReach(s)));
  return outside.map((p) => {
    const near = shapes.reduce((a, b) => (distance(p, a) - shapeReach(a) <= distance(p, b) - shapeReach(b) ? a : b));
    return rod(p, near.pose.slice(0, 3), 0.4 * stage.rod);
  });
}

/** Box of the inertia of a body whose shapes are but points on it; null for others. */
export function pointedBox(stage, index) {
  const shapes = stage.scene.shapes.filter((s) => s.body === index);
  const { inertia, mass, com } = stage.scene.bodies[index];
  if (stage.scene.planar || !inertia || shapes.some((s) => s.type !== 'sphere' || s.joint !== undefined)) return null;
  const [ix, iy, iz] = inertia;
  const half = [iy + iz - ix, iz + ix - iy, ix + iy - iz].map((x) => Math.sqrt(Math.max(0, (1.5 * x) / (mass || 1)))); // m (b^2 + c^2)/3 = ix
  if (shapes.some((s) => shapeReach(s) > 0.1 * Math.max(...half) || half.some((h, i) => Math.abs(s.pose[i] - com[i]) > 1.2 * h))) return null;
  return new THREE.BoxGeometry(...half.map((h) => 2 * h)).translate(...com);
}
