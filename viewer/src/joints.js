// Marks of joints, and springs.
import * as THREE from 'three';
import { alongZ, setPose, shapeThickness } from './shapes.js';

function markGeometry(type, r, planar) {
  const pin = alongZ(new THREE.CylinderGeometry(r, r, planar ? 2.6 * r : 3.6 * r, 32));
  switch (type) {
    case 'revolute':
      return pin;
    case 'cylindrical':
    case 'screw':
      return alongZ(new THREE.CylinderGeometry(0.8 * r, 0.8 * r, 7 * r, 32));
    case 'prismatic':
    case 'point_on_line':
      return new THREE.BoxGeometry(2 * r, 2 * r, 5 * r);
    case 'universal':
      return new THREE.OctahedronGeometry(1.4 * r);
    case 'spherical':
    case 'distance':
      return new THREE.SphereGeometry(1.15 * r, 24, 16);
    case 'planar':
      return new THREE.BoxGeometry(5 * r, 5 * r, 0.6 * r);
    case 'fixed':
      return new THREE.BoxGeometry(1.1 * r, 1.1 * r, 1.1 * r);
    default: return null; // free joints have none; joints with clearance are drawn by their parts
  }
}

/** Radius of a joint's mark: no thicker than the thinnest shape of its bodies. */
function markRadius(stage, joint) {
  const shapes = stage.scene.shapes.filter((s) => s.body > 0 && s.joint === undefined && (s.body === joint.a || s.body === joint.b));
  const thin = Math.min(...shapes.map((s) => shapeThickness(s, stage.scene.planar)));
  return Number.isFinite(thin) ? Math.min(stage.pin, Math.max(0.7 * thin, 0.1 * stage.pin)) : stage.pin;
}

/** A mark at every joint, on its second body. */
export function jointMarks(stage) {
  const group = new THREE.Group();
  const marks = [];
  const rods = [];
  stage.world.add(group);
  for (const joint of stage.scene.joints) {
    const r = markRadius(stage, joint);
    const geometry = markGeometry(joint.type, r, stage.scene.planar);
    if (joint.type === 'distance') rods.push(link(joint, r));
    if (!geometry) continue;
    const onGround = joint.a === 0 || joint.b === 0;
    const mesh = new THREE.Mesh(geometry, new THREE.MeshStandardMaterial({ roughness: 0.45, metalness: 0.2 }));
    mesh.castShadow = true;
    mesh.userData = { kind: 'joint', name: joint.name };
    group.add(mesh);
    marks.push({ joint, mesh, onGround });
    if (onGround && ['revolute', 'spherical', 'universal'].includes(joint.type)) marks.push(support(joint, r));
  }

  function support(joint, r) {
    const mesh = new THREE.Mesh(
      stage.scene.planar ? new THREE.CylinderGeometry(1.75 * r, 1.75 * r, 1.2 * r, 40).rotateX(Math.PI / 2) : alongZ(new THREE.CylinderGeometry(1.7 * r, 1.7 * r, 2.2 * r, 40)),
      new THREE.MeshStandardMaterial({ roughness: 0.9 }),
    );
    mesh.userData = { kind: 'joint', name: joint.name };
    group.add(mesh);
    return { joint, mesh, onGround: true, base: true };
  }

  function link(joint, r) {
    const mesh = new THREE.Mesh(new THREE.CylinderGeometry(0.35 * r, 0.35 * r, 1, 16), new THREE.MeshStandardMaterial({ roughness: 0.6 }));
    group.add(mesh);
    return { joint, mesh };
  }

  return {
    group,
    setTheme(p) {
      for (const m of marks) m.mesh.material.color.set(m.base ? p.bearing : m.joint.driven ? p.driven : p.joint);
      for (const m of rods) m.mesh.material.color.set(p.joint);
    },
    select(name, p) {
      for (const m of marks) m.mesh.material.emissive.set(name !== null && m.joint.name === name ? p.glow : 0x000000);
    },
    update(shown) {
      group.visible = shown;
      for (const { joint, mesh } of marks) {
        setPose(mesh, joint.pose_b);
        mesh.applyMatrix4(stage.bodies[joint.b].group.matrixWorld);
      }
      for (const { joint, mesh } of rods) stretch(mesh, ...ends(stage, joint));
    },
  };
}

function ends(stage, item) {
  return [
    new THREE.Vector3(...item.pose_a.slice(0, 3)).applyMatrix4(stage.bodies[item.a].group.matrixWorld),
    new THREE.Vector3(...item.pose_b.slice(0, 3)).applyMatrix4(stage.bodies[item.b].group.matrixWorld),
  ];
}

function stretch(mesh, a, b) {
  const d = b.clone().sub(a);
  const length = d.length();
  mesh.position.copy(a).addScaledVector(d, 0.5);
  mesh.scale.set(1, Math.max(1e-9, length), 1);
  if (length > 0) mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), d.divideScalar(length));
}

/** Coils between two points. */
export class Springs {
  constructor(stage) {
    this.stage = stage;
    this.material = new THREE.LineBasicMaterial();
    const n = 240;
    const turns = 8;
    const r = 0.03 * stage.unit;
    const points = [];
    for (let i = 0; i <= n; i++) {
      const s = i / n;
      const inside = s > 0.12 && s < 0.88;
      const a = inside ? (2 * Math.PI * turns * (s - 0.12)) / 0.76 : 0;
      points.push(new THREE.Vector3(inside ? r * Math.sin(a) : 0, s - 0.5, inside && !stage.scene.planar ? r * (Math.cos(a) - 1) : 0));
    }
    const g = new THREE.BufferGeometry().setFromPoints(points);
    this.lines = stage.scene.springs.map((spring) => {
      const line = new THREE.Line(g, this.material);
      line.frustumCulled = false;
      stage.world.add(line);
      return { spring, line };
    });
  }

  setTheme(p) {
    this.material.color.set(p.spring);
  }

  update() {
    for (const { spring, line } of this.lines) stretch(line, ...ends(this.stage, spring));
  }
}
