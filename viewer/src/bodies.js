// Bodies that have no shapes: rods between their joints, or the ellipsoid of their inertia.
import * as THREE from 'three';
import { shapeReach } from './shapes.js';

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

/** Box around everything that moves, over the whole run. */
export function bounds(scene, motion) {
  const box = new THREE.Box3();
  const p = [0, 0, 0];
  const v = new THREE.Vector3();
  const step = Math.max(1, Math.floor(motion.frames / 200));
  scene.bodies.forEach((body, i) => {
    const shapes = scene.shapes.filter((s) => s.body === i && !['plane', 'half_plane'].includes(s.type));
    const points = [...attachments(scene, i), ...(body.com ? [body.com] : [])];
    for (let k = 0; k < motion.frames; k += i === 0 ? motion.frames : step) {
      for (const at of points) box.expandByPoint(v.set(...motion.place(i, at, k, p)));
      for (const s of shapes) {
        const reach = shapeReach(s);
        v.set(...motion.place(i, s.pose.slice(0, 3), k, p));
        box.union(new THREE.Box3(v.clone().subScalar(reach), v.clone().addScalar(reach)));
      }
    }
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
  const r = 0.022 * stage.radius;
  if (joints.length === 0) return inertiaEllipsoid(body, 1.5 * r, 0.5 * stage.radius, stage.scene.planar);
  const joint = joints.find((j) => ['prismatic', 'revolute'].includes(j.type)) ?? joints[0];
  const pose = joint.b === index ? joint.pose_b : joint.pose_a;
  const turn = new THREE.Quaternion(pose[4], pose[5], pose[6], pose[3]);
  const axle = joints.every((j) => j.type === 'revolute') && !stage.scene.planar;
  if (axle) {
    const most = Math.max(...body.inertia);
    const size = Math.min(0.3 * stage.radius, Math.max(3 * r, Math.sqrt((2 * most) / (body.mass || 1))));
    return new THREE.CylinderGeometry(size, size, 2 * r, 20).rotateX(Math.PI / 2).applyQuaternion(turn).translate(...pose.slice(0, 3));
  }
  if (joints.some((j) => j.type === 'prismatic')) return new THREE.BoxGeometry(3.4 * r, 3.4 * r, 6 * r).applyQuaternion(turn).translate(...pose.slice(0, 3));
  return inertiaEllipsoid(body, 1.5 * r, 3.2 * r, stage.scene.planar);
}

/** Geometries of a body without shapes, in its frame. */
export function bodyParts(stage, index) {
  const body = stage.scene.bodies[index];
  const r = 0.022 * stage.radius;
  let points = distinct(attachments(stage.scene, index), 0.02 * stage.radius);
  const away = points.every((p) => Math.hypot(p[0] - body.com[0], p[1] - body.com[1], p[2] - body.com[2]) > 0.05 * stage.radius);
  const parts = stage.scene.shapes.some((s) => s.body === index && s.joint !== undefined);
  if (stage.scene.shapes.some((s) => s.body === index && s.joint !== undefined && ['rectangle', 'box'].includes(s.type))) return []; // its block is there
  if (points.length === 1 && away) return [rod(points[0], body.com, r), ball(body.com, 2.6 * r)];
  if (points.length < 2) return parts ? [] : [lump(stage, index)];
  if (points.length === 2) return [rod(points[0], points[1], r)];
  const middle = points.reduce((s, p) => s.map((x, i) => x + p[i] / points.length), [0, 0, 0]);
  if (stage.scene.planar) {
    points = [...points].sort((p, q) => Math.atan2(p[1] - middle[1], p[0] - middle[0]) - Math.atan2(q[1] - middle[1], q[0] - middle[0]));
    return points.map((p, i) => rod(p, points[(i + 1) % points.length], 0.8 * r));
  }
  return points.filter((p) => Math.hypot(p[0] - middle[0], p[1] - middle[1], p[2] - middle[2]) > r).map((p) => rod(middle, p, r));
}
