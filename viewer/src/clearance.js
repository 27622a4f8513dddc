// Joints with clearance: bearing and journal, guides and block; the clearance can be drawn larger than it is.
import * as THREE from 'three';
import { extrude, ring, alongZ, shapeGeometry, setPose } from './shapes.js';

const LEAST = 0.3; // a journal is drawn no thinner than this part of its bearing

export class ClearanceParts {
  constructor(stage) {
    this.stage = stage;
    this.group = new THREE.Group();
    this.factor = 1;
    this.joints = [];
    stage.world.add(this.group);
    stage.scene.joints.forEach((joint, index) => {
      const parts = stage.scene.shapes.filter((s) => s.joint === index);
      if (parts.length) this.joints.push(this.makeJoint(joint, index, parts));
    });
  }

  /** Draws the clearance larger by a factor; shapes that would hide the parts of the joint are looked through then. */
  setFactor(factor) {
    this.factor = factor;
    this.covers ??= this.findCovers();
    for (const { mesh, plain, clear } of this.covers) mesh.material = factor > 1.02 ? clear() : plain;
  }

  /** Meshes of shapes about the place of a joint with clearance. */
  findCovers() {
    const out = [];
    const world = new THREE.Box3();
    const at = new THREE.Vector3();
    for (const j of this.joints) {
      const spot = j.parts[j.parts.length - 1].mesh.getWorldPosition(at);
      for (const index of [j.joint.a, j.joint.b]) {
        const body = this.stage.bodies[index];
        for (const mesh of body.group.children) {
          if (!mesh.isMesh || mesh.userData.plane || out.some((c) => c.mesh === mesh)) continue;
          if (!world.setFromObject(mesh).expandByScalar(0.2 * (j.R ?? 0)).containsPoint(spot)) continue;
          let made = null;
          out.push({ mesh, plain: mesh.material, clear: () => (made ??= this.stage.clearMaterial(body, 0.22)) });
        }
      }
    }
    return out;
  }

  get any() {
    return this.joints.length > 0;
  }

  /** Largest factor that all round joints can be drawn with. */
  get most() {
    return Math.max(1, Math.min(200, ...this.joints.map((j) => j.most)));
  }

  makeJoint(joint, index, parts) {
    const out = { joint, index, parts: [], most: 200 };
    const inner = parts[parts.length - 1];
    const round = ['arc', 'bore', 'socket'].includes(parts[0].type);
    if (round) {
      out.R = parts[0].size[0];
      out.r = inner.size[0] || inner.radius;
      out.clearance = Math.max(0, out.R - out.r);
      out.most = out.clearance > 0 ? Math.max(1, ((1 - LEAST) * out.R) / out.clearance) : 1;
      out.ball = parts[0].type === 'socket';
      this.add(out, parts[0], this.hollow(parts[0], inner), true);
      this.add(out, inner, this.journal(inner), false);
    } else {
      for (const part of parts) this.add(out, part, this.guideOrBlock(part, inner), part !== inner);
      out.gap = Math.abs(this.distance(joint, parts[0]) - this.halfHeight(inner, joint));
    }
    return out;
  }

  add(out, shape, geometry, outer) {
    const stage = this.stage;
    const material = new THREE.MeshStandardMaterial({ roughness: 0.5, metalness: 0.15 });
    if (outer && !stage.scene.planar) Object.assign(material, { transparent: true, opacity: 0.35, side: THREE.DoubleSide, depthWrite: false });
    const mesh = new THREE.Mesh(geometry, material);
    mesh.castShadow = mesh.receiveShadow = !outer || stage.scene.planar;
    mesh.userData = { kind: 'joint', name: out.joint.name };
    this.group.add(mesh);
    if (!(outer && !stage.scene.planar)) stage.addEdges(mesh);
    out.parts.push({ mesh, shape, outer });
  }

  hollow(shape, inner) {
    const R = shape.size[0];
    if (shape.type === 'arc') return ring(R, 1.22 * R, 1.2 * this.stage.depth);
    if (shape.type === 'socket') return shapeGeometry(shape, 0, 0).geometry;
    const half = 1.05 * (inner.size[1] || R);
    return alongZ(new THREE.CylinderGeometry(R, R, 2 * half, 64, 1, true));
  }

  journal(shape) {
    const made = shapeGeometry(shape, 1.4 * this.stage.depth, this.stage.radius);
    return made.geometry;
  }

  guideOrBlock(shape, inner) {
    if (shape === inner) return shapeGeometry(shape, 1.1 * this.stage.depth, 0).geometry;
    const long = 1.6 * this.stage.radius;
    const thick = 0.5 * this.stage.depth;
    if (shape.type === 'half_plane') return extrude([[-long, -thick], [long, -thick], [long, 0], [-long, 0]], 0.8 * this.stage.depth);
    const size = inner.size;
    const wide = 2.2 * Math.max(size[0], size[1]);
    return new THREE.PlaneGeometry(wide, Math.min(2 * long, 8 * size[2])).translate(0, 0, 0);
  }

  /** Distance of a guide's surface from the joint's axis. */
  distance(joint, guide) {
    const d = new THREE.Vector3(...guide.pose.slice(0, 3)).sub(new THREE.Vector3(...joint.pose_a.slice(0, 3)));
    return d.length();
  }

  halfHeight(block, joint) {
    if (!block.vertices) return block.size[1];
    const q = new THREE.Quaternion(joint.pose_b[4], joint.pose_b[5], joint.pose_b[6], joint.pose_b[3]);
    const normal = new THREE.Vector3(0, 1, 0).applyQuaternion(q);
    const own = new THREE.Quaternion(block.pose[4], block.pose[5], block.pose[6], block.pose[3]);
    const origin = new THREE.Vector3(...block.pose.slice(0, 3)).sub(new THREE.Vector3(...joint.pose_b.slice(0, 3)));
    let most = 0;
    for (let i = 0; i < block.vertices.length; i += 3) {
      const v = new THREE.Vector3(block.vertices[i], block.vertices[i + 1], block.vertices[i + 2]).applyQuaternion(own).add(origin);
      most = Math.max(most, Math.abs(v.dot(normal)));
    }
    return most;
  }

  setTheme(p) {
    for (const j of this.joints)
      for (const part of j.parts) part.mesh.material.color.set(part.shape.body === 0 ? p.bearing : part.outer ? p.body(part.shape.body) : p.journal(part.shape.body));
  }

  update() {
    for (const j of this.joints) (j.R ? this.updateRound : this.updateGuides).call(this, j);
  }

  place(part) {
    setPose(part.mesh, part.shape.pose);
    part.mesh.applyMatrix4(this.stage.bodies[part.shape.body].group.matrixWorld);
  }

  updateRound(j) {
    const k = Math.min(this.factor, j.most);
    const [outer, inner] = j.parts;
    for (const part of j.parts) {
      part.mesh.scale.set(1, 1, 1);
      this.place(part);
    }
    const e = inner.mesh.position.clone().sub(outer.mesh.position);
    if (!j.ball && !this.stage.scene.planar) {
      const axis = new THREE.Vector3(0, 0, 1).applyQuaternion(outer.mesh.quaternion);
      e.addScaledVector(axis, -e.dot(axis)); // clearance along the axis is not drawn larger
    }
    inner.mesh.position.addScaledVector(e, k - 1);
    const s = (j.R - k * j.clearance) / j.r;
    inner.mesh.scale.set(s, s, j.ball ? s : 1);
    if (this.stage.scene.planar) inner.mesh.position.z = 0.4 * this.stage.depth;
  }

  updateGuides(j) {
    const more = this.factor - 1;
    const a = this.stage.bodies[j.joint.a].group;
    const frame = new THREE.Quaternion(j.joint.pose_a[4], j.joint.pose_a[5], j.joint.pose_a[6], j.joint.pose_a[3]).premultiply(a.quaternion);
    const along = new THREE.Vector3(0, 0, 1).applyQuaternion(frame);
    const pa = new THREE.Vector3(...j.joint.pose_a.slice(0, 3)).applyMatrix4(a.matrixWorld);
    const pb = new THREE.Vector3(...j.joint.pose_b.slice(0, 3)).applyMatrix4(this.stage.bodies[j.joint.b].group.matrixWorld);
    const e = pb.sub(pa);
    e.addScaledVector(along, -e.dot(along));
    for (const part of j.parts) {
      this.place(part);
      if (!part.outer) {
        part.mesh.position.addScaledVector(e, more);
        if (this.stage.scene.planar) part.mesh.position.z = -0.2 * this.stage.depth;
        continue;
      }
      const normal = new THREE.Vector3(0, this.stage.scene.planar ? 1 : 0, this.stage.scene.planar ? 0 : 1).applyQuaternion(part.mesh.quaternion);
      part.mesh.position.addScaledVector(normal, -more * j.gap);
    }
  }
}
