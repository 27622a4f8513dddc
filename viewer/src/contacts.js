// Contact points and force arrows. Close up they shrink with the picture, so that they stay marks.
import * as THREE from 'three';

const MOST = 300;
const UP = new THREE.Vector3(0, 1, 0);

export class Contacts {
  constructor(stage) {
    this.stage = stage;
    this.usual = stage.motion.usualForce();
    this.scale = 1; // of the marks
    this.group = new THREE.Group();
    stage.world.add(this.group);
    const r = stage.unit;
    this.material = new THREE.MeshBasicMaterial();
    this.points = new THREE.InstancedMesh(new THREE.SphereGeometry(0.009 * r, 12, 8), this.material, MOST);
    this.shafts = new THREE.InstancedMesh(new THREE.CylinderGeometry(0.005 * r, 0.005 * r, 1, 10).translate(0, 0.5, 0), this.material, MOST);
    this.tips = new THREE.InstancedMesh(new THREE.ConeGeometry(0.014 * r, 0.04 * r, 16).translate(0, 0.02 * r, 0), this.material, MOST);
    this.ghost = new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.3, depthTest: false, depthWrite: false });
    for (const m of [this.points, this.shafts, this.tips]) {
      const behind = new THREE.InstancedMesh(m.geometry, this.ghost, MOST); // seen through bodies
      behind.instanceMatrix = m.instanceMatrix;
      m.userData.behind = behind;
      m.frustumCulled = behind.frustumCulled = false;
      this.group.add(m, behind);
    }
  }

  setTheme(p) {
    this.material.color.set(p.force);
    this.ghost.color.set(p.force);
  }

  /** height: of the picture [m]; a full arrow takes at most a quarter of it. */
  setScale(height) {
    const scale = Math.min(1, height / this.stage.unit);
    if (!(Math.abs(scale - this.scale) > 0.01 * this.scale)) return;
    this.scale = scale;
    this.update(this.list);
  }

  update(list) {
    this.list = list;
    const lift = this.stage.scene.planar ? 1.2 * this.stage.depth : 0;
    const k = this.scale;
    const matrix = new THREE.Matrix4();
    const q = new THREE.Quaternion();
    const size = new THREE.Vector3(k, k, k);
    const n = Math.min(MOST, list?.length ?? 0);
    let arrows = 0;
    for (let i = 0; i < n; i++) {
      const { p, f } = list[i];
      const at = new THREE.Vector3(p[0], p[1], p[2] + lift);
      const force = new THREE.Vector3(...f);
      const newtons = force.length();
      this.points.setMatrixAt(i, matrix.compose(at, q.identity(), size));
      if (!(newtons > 1e-3 * this.usual)) continue;
      // full length is the usual force; larger ones grow slowly, so that a hard impact does not leave the picture
      const x = newtons / this.usual;
      const length = 0.25 * k * this.stage.unit * (x < 1 ? x : Math.min(2, 1 + 0.5 * Math.log10(x)));
      q.setFromUnitVectors(UP, force.normalize());
      this.shafts.setMatrixAt(arrows, matrix.compose(at, q, new THREE.Vector3(k, length, k)));
      this.tips.setMatrixAt(arrows, matrix.compose(at.clone().addScaledVector(force, length), q, size));
      arrows++;
    }
    this.points.count = n;
    this.shafts.count = this.tips.count = arrows;
    for (const m of [this.points, this.shafts, this.tips]) {
      m.visible = m.userData.behind.visible = m.count > 0;
      m.userData.behind.count = m.count;
      m.instanceMatrix.needsUpdate = true;
    }
  }
}
