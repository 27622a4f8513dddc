// The 3D view: bodies, joints, contacts and trails at a time.
import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { sceneGrain, setPose, shapeGeometry } from './shapes.js';
import { bodyArms, bodyParts, bounds, cloud, linkLength, outline, pointedBox, stature } from './bodies.js';
import { ClearanceParts } from './clearance.js';
import { Contacts } from './contacts.js';
import { station, travel } from './follow.js';
import { gridLines } from './grid.js';
import { jointMarks, Springs } from './joints.js';
import { el, quantity } from './format.js';
import { palette } from './theme.js';

const Z = new THREE.Vector3(0, 0, 1);

/** Axes of a viewer in space: right, away, up; up is against gravity. */
function viewAxes(scene) {
  const up = new THREE.Vector3(...scene.gravity).negate();
  if (scene.planar) up.set(0, 1, 0);
  else if (up.length() > 0) up.normalize();
  else up.set(0, 0, 1);
  return axesAlong(up);
}

/** Right, away and up, with up given. */
function axesAlong(up) {
  const right = new THREE.Vector3(1, 0, 0).addScaledVector(up, -up.x);
  if (right.length() < 0.5) right.set(0, 1, 0).addScaledVector(up, -up.y);
  right.normalize();
  return { right, away: new THREE.Vector3().crossVectors(up, right), up };
}

/** WebGL's renderer; without WebGL one that draws nothing, with a note in its place: audit, plots and numbers do not need it. */
function rendererOrNote() {
  try {
    return new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true, alpha: false });
  } catch {
    const note = el('p', { class: 'no-picture' }, 'No 3D view: this browser has no WebGL. Turn on hardware acceleration or software rendering in its settings.');
    return { domElement: note, shadowMap: {}, setPixelRatio() {}, setSize() {}, render() {} };
  }
}

export class Stage {
  constructor(host, scene, motion, theme) {
    this.host = host;
    this.scene = scene;
    this.motion = motion;
    this.time = motion.from;
    this.axes = viewAxes(scene);
    this.box = bounds(scene, motion);
    this.radius = Math.max(1e-6, 0.5 * this.box.getSize(new THREE.Vector3()).length());
    this.unit = scene.planar ? this.radius : Math.min(this.radius, Math.max(stature(scene, motion), 0.4 * this.radius));
    this.grain = sceneGrain(scene);
    this.pin = Math.min(0.03 * this.unit, 0.1 * linkLength(scene)); // radius of joints
    this.rod = 0.73 * this.pin; // of bodies without shapes
    this.pose = new Float64Array(7);
    this.travel = travel(scene, motion, stature(scene, motion), this.axes.up);
    this.trails = [];
    this.options = { contacts: true, joints: true, trails: true, grid: true, along: !scene.planar && !!this.travel?.far };
    this.makeRenderer();
    this.makeLights();
    this.root = new THREE.Group();
    this.world.add(this.root);
    this.makeBodies();
    this.clearance = new ClearanceParts(this);
    this.marks = jointMarks(this);
    this.springs = new Springs(this);
    this.contacts = new Contacts(this);
    this.makeTrails();
    this.makeCameras();
    this.setTheme(theme);
    this.fit();
    new ResizeObserver(() => this.resize()).observe(host);
    this.resize();
    this.setTime(this.time);
  }

  /** A direction in the viewer's axes: right, away, up. */
  direction(right, away, up) {
    return new THREE.Vector3().addScaledVector(this.axes.right, right).addScaledVector(this.axes.away, away).addScaledVector(this.axes.up, up);
  }

  /** Thickness of planar parts and of rods [m]. */
  get depth() {
    return 0.05 * this.radius;
  }

  makeRenderer() {
    this.renderer = rendererOrNote();
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
    this.renderer.shadowMap.enabled = !this.scene.planar;
    this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    this.renderer.domElement.setAttribute('aria-label', '3D view of the mechanism');
    this.renderer.domElement.tabIndex = 0;
    this.hud = el('div', { class: 'hud' });
    this.host.append(this.renderer.domElement, this.hud);
    this.world = new THREE.Scene();
  }

  makeLights() {
    const r = this.radius;
    const centre = this.box.getCenter(new THREE.Vector3());
    this.sky = new THREE.HemisphereLight(0xffffff, 0x8a8f98, 1.6);
    this.sky.position.copy(this.scene.planar ? Z : this.axes.up);
    this.sun = new THREE.DirectionalLight(0xffffff, 2.0);
    const way = this.scene.planar ? new THREE.Vector3(0.5, 1.2, 3) : this.direction(1.1, -1.5, 2.6);
    this.sun.position.copy(centre).addScaledVector(way.normalize(), 4 * r);
    this.sun.target.position.copy(centre);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.normalBias = 0.003 * r; // one and a half of its pixels
    Object.assign(this.sun.shadow.camera, { left: -2 * r, right: 2 * r, top: 2 * r, bottom: -2 * r, near: 0.1 * r, far: 10 * r });
    this.world.add(this.sky, this.sun, this.sun.target);
  }

  /** A group per body that its pose moves; material by body. */
  makeBodies() {
    this.bodies = this.scene.bodies.map((body, i) => {
      const group = new THREE.Group();
      group.userData = { kind: 'body', name: body.name, index: i };
      const material = new THREE.MeshStandardMaterial({ roughness: 0.62, metalness: 0.08 });
      this.root.add(group);
      return { group, material, name: body.name, shaped: false };
    });
    for (const shape of this.scene.shapes) {
        if (shape.joint !== undefined) continue; // parts of joints with clearance are drawn by ClearanceParts
        this.addShape(this.bodies[shape.body], shape);
    }
    this.scene.bodies.forEach((_, i) => {
      if (i === 0) return;
      const body = this.bodies[i];
      for (const part of body.shaped ? bodyArms(this, i) : bodyParts(this, i)) this.addMesh(body, part, body.material);
      const whole = body.shaped ? pointedBox(this, i) : null;
      if (whole) this.addEdges(this.addMesh(body, whole, this.clearMaterial(body)));
    });
  }

  addShape(body, shape) {
    const made = shapeGeometry(shape, this.depth, (this.scene.planar ? 4 : 14) * this.radius, this.grain);
    if (!made) return;
    body.shaped ||= made.kind !== 'plane';
    let material = body.material;
    if (made.kind === 'plane') material = this.groundMaterial();
    if (made.kind === 'hollow' || made.kind === 'ground') {
      material = this.clearMaterial(body, made.kind === 'hollow' ? 0.4 : 1);
    }
    const mesh = this.addMesh(body, made.geometry, material);
    setPose(mesh, shape.pose);
    if (made.kind === 'plane') {
      mesh.castShadow = false;
      mesh.userData.plane = true;
      if (!this.scene.planar) mesh.position.addScaledVector(Z.clone().applyQuaternion(mesh.quaternion), -1e-4 * this.radius);
    } else if (!made.smooth) {
      this.addEdges(mesh);
    }
    if (made.kind === 'ground') this.addWires(mesh);
    if (made.spoke) this.addSpoke(mesh, made.spoke);
  }

  /** The body's colour on both sides, to be looked through. */
  clearMaterial(body, opacity = 0.5) {
    const material = body.material.clone();
    material.side = THREE.DoubleSide;
    if (opacity < 1) Object.assign(material, { transparent: true, opacity });
    this.themed ??= [];
    this.themed.push({ material, body });
    return material;
  }

  groundMaterial() {
    this.ground ??= new THREE.MeshStandardMaterial({ roughness: 1, metalness: 0, side: THREE.DoubleSide });
    return this.ground;
  }

  addMesh(body, geometry, material) {
    const mesh = new THREE.Mesh(geometry, material);
    mesh.castShadow = mesh.receiveShadow = true;
    body.group.add(mesh);
    return mesh;
  }

  addEdges(mesh) {
    if (mesh.geometry.attributes.position.count > 60000) return;
    this.lineMaterial ??= new THREE.LineBasicMaterial({ transparent: true, opacity: 0.45 });
    mesh.add(new THREE.LineSegments(new THREE.EdgesGeometry(mesh.geometry, 25), this.lineMaterial));
  }

  /** The net of a surface, so that its hills are seen. */
  addWires(mesh) {
    if (mesh.geometry.attributes.position.count > 20000) return;
    this.wireMaterial ??= new THREE.LineBasicMaterial({ transparent: true, opacity: 0.12 });
    mesh.add(new THREE.LineSegments(new THREE.WireframeGeometry(mesh.geometry), this.wireMaterial));
  }

  /** A mark on a disc, so that its turning is seen. */
  addSpoke(mesh, radius) {
    this.lineMaterial ??= new THREE.LineBasicMaterial({ transparent: true, opacity: 0.45 });
    const z = 0.51 * this.depth;
    const g = new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(0, 0, z), new THREE.Vector3(radius, 0, z)]);
    mesh.add(new THREE.Line(g, this.lineMaterial));
  }

  /* ------------------------------------------------------------------------------------------------ trails */

  makeTrails() {
    const points = this.scene.points.filter((p) => p.body > 0).slice(0, 12);
    for (const p of points) this.addTrail(p.name, p.body, p.at);
  }

  addTrail(name, body, at) {
    const n = Math.min(this.motion.frames, 2000);
    const every = this.motion.frames / Math.max(1, n);
    const xyz = new Float32Array(3 * n);
    const p = [0, 0, 0];
    for (let i = 0; i < n; i++) xyz.set(this.motion.place(body, at, Math.min(this.motion.frames - 1, Math.floor(i * every)), p), 3 * i);
    const g = new THREE.BufferGeometry();
    g.setAttribute('position', new THREE.BufferAttribute(xyz, 3));
    const faint = new THREE.Line(g, new THREE.LineBasicMaterial({ transparent: true, opacity: 0.18 }));
    const past = new THREE.Line(g.clone(), new THREE.LineBasicMaterial({ transparent: true, opacity: 0.85 }));
    const dot = new THREE.Mesh(new THREE.SphereGeometry(0.012 * this.unit, 16, 12), new THREE.MeshBasicMaterial());
    const lift = this.scene.planar ? this.depth : 0;
    for (const line of [faint, past]) line.position.z = lift;
    const trail = { name, body, at, n, every, faint, past, dot, lift, group: new THREE.Group() };
    trail.group.add(faint, past, dot);
    this.world.add(trail.group);
    this.trails.push(trail);
    this.colourTrail(trail);
    return trail;
  }

  removeTrail(trail) {
    this.world.remove(trail.group);
    this.trails = this.trails.filter((t) => t !== trail);
  }

  colourTrail(trail) {
    const colour = palette(this.theme).body(trail.body);
    for (const part of [trail.faint, trail.past, trail.dot]) part.material.color.set(colour);
  }

  /* ------------------------------------------------------------------------------------------------ cameras */

  makeCameras() {
    const r = this.radius;
    this.flat = new THREE.OrthographicCamera(-1, 1, 1, -1, 0.001 * r, 60 * r);
    this.deep = new THREE.PerspectiveCamera(35, 1, 0.005 * r, 200 * r);
    if (!this.scene.planar) {
      this.flat.up.copy(this.axes.up);
      this.deep.up.copy(this.axes.up);
    }
    this.camera = this.scene.planar ? this.flat : this.deep;
    this.useCamera();
  }

  useCamera() {
    this.controls?.dispose();
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.enableDamping = false;
    this.controls.zoomSpeed = 0.8;
    const flat = this.camera === this.flat && this.scene.planar;
    this.controls.enableRotate = !flat;
    this.controls.zoomToCursor = flat;
    this.controls.screenSpacePanning = true;
    this.controls.mouseButtons.LEFT = flat ? THREE.MOUSE.PAN : THREE.MOUSE.ROTATE;
    this.controls.touches.ONE = flat ? THREE.TOUCH.PAN : THREE.TOUCH.ROTATE;
    this.controls.addEventListener('change', () => this.draw());
  }

  /** Planar models: straight on, or turned. */
  setDeep(deep) {
    this.camera = deep || !this.scene.planar ? this.deep : this.flat;
    this.useCamera();
    this.fit();
  }

  /** Looks at everything; direction: where from. */
  fit(direction) {
    const points = this.outline();
    const box = new THREE.Box3().setFromPoints(points);
    const centre = box.getCenter(new THREE.Vector3());
    const size = box.getSize(new THREE.Vector3());
    const aspect = this.host.clientWidth / Math.max(1, this.host.clientHeight);
    const way = direction ?? (this.camera === this.flat ? new THREE.Vector3(0, 0, 1) : this.scene.planar ? new THREE.Vector3(-0.5, 0.45, 1) : this.direction(0.75, -1.3, 0.6));
    this.controls.target.copy(centre);
    if (this.camera === this.flat) {
      this.halfHeight = 0.56 * Math.max(size.y, size.x / aspect, 0.3 * this.radius) + 0.04 * this.radius;
      this.flat.zoom = 1;
      this.camera.position.copy(centre).addScaledVector(way.normalize(), 20 * this.radius);
    } else {
      const distance = this.frame(points, centre, way.normalize(), aspect);
      this.controls.target.copy(centre);
      this.camera.position.copy(centre).addScaledVector(way, distance);
    }
    this.resize();
    this.controls.update();
    this.draw();
  }

  /** Points to look at: of all of the run, or of the model where it is now. */
  outline() {
    const points = cloud(this.scene, this.motion, (i) => this.pointsOf(i), this.options.along ? this.motion.index(this.time) : undefined);
    if (this.options.along) this.base = this.station(this.time);
    return points.length ? points : [this.box.min.clone(), this.box.max.clone()];
  }

  /** Points that a body as it is drawn lies between, in its frame. */
  pointsOf(i) {
    const body = this.bodies[i];
    body.points ??= [...outline(this.scene, i)];
    if (body.drawn) return body.points;
    body.drawn = true;
    for (const mesh of body.group.children) {
      if (!mesh.isMesh || mesh.userData.plane) continue;
      mesh.geometry.computeBoundingBox();
      mesh.updateMatrix();
      const { min, max } = mesh.geometry.boundingBox;
      for (let k = 0; k < 8; k++) body.points.push(new THREE.Vector3(k & 1 ? max.x : min.x, k & 2 ? max.y : min.y, k & 4 ? max.z : min.z).applyMatrix4(mesh.matrix).toArray());
    }
    return body.points;
  }

  /** Where the body is that the picture goes along with. */
  station(time) {
    return station(this.scene, this.motion, this.travel, time, this.axes.up);
  }

  /** Height of the picture at what is looked at [m]. */
  viewHeight() {
    if (this.camera === this.flat) return (this.flat.top - this.flat.bottom) / this.flat.zoom;
    return 2 * this.camera.position.distanceTo(this.controls.target) * Math.tan((0.5 * this.deep.fov * Math.PI) / 180);
  }

  /** Moves the camera by what the body has moved. */
  goAlong() {
    const next = this.station(this.time);
    const way = next.clone().sub(this.base);
    this.base = next;
    if (way.lengthSq() === 0) return;
    this.camera.position.add(way);
    this.controls.target.add(way);
    this.controls.update();
  }

  /** How far away along `way` all points are in the picture; moves the centre to the middle of what is seen. */
  frame(points, centre, way, aspect) {
    const right = new THREE.Vector3().crossVectors(this.deep.up, way);
    if (right.length() < 1e-6) right.set(1, 0, 0);
    const up = new THREE.Vector3().crossVectors(way, right.normalize());
    const tangent = Math.tan((0.5 * this.deep.fov * Math.PI) / 180);
    const seen = points.map((p) => p.clone().sub(centre)).map((c) => [c.dot(right), c.dot(up), c.dot(way)]);
    let distance = this.radius;
    for (let round = 0; round < 6; round++) {
      const middle = [0, 1].map((k) => {
        const slopes = seen.map((c) => c[k] / Math.max(1e-9, distance - c[2]));
        return 0.5 * distance * (Math.max(...slopes) + Math.min(...slopes));
      });
      centre.addScaledVector(right, middle[0]).addScaledVector(up, middle[1]);
      for (const c of seen) (c[0] -= middle[0]), (c[1] -= middle[1]);
      distance = Math.max(1e-6, ...seen.map((c) => c[2] + (1.12 * Math.max(Math.abs(c[1]), Math.abs(c[0]) / aspect)) / tangent));
    }
    return Math.max(distance, 0.3 * this.radius);
  }

  resize() {
    const w = this.host.clientWidth;
    const h = this.host.clientHeight;
    if (!w || !h) return;
    this.renderer.setSize(w, h, false);
    this.deep.aspect = w / h;
    this.deep.updateProjectionMatrix();
    const half = this.halfHeight ?? this.radius;
    Object.assign(this.flat, { left: (-half * w) / h, right: (half * w) / h, top: half, bottom: -half });
    this.flat.updateProjectionMatrix();
    this.draw();
  }

  /* ------------------------------------------------------------------------------------------------ looks */

  setTheme(theme) {
    this.theme = theme;
    const p = palette(theme);
    this.world.background = new THREE.Color(p.background);
    if (!this.scene.planar) this.world.fog = new THREE.Fog(p.background, 4.5 * this.radius, 9 * this.radius);
    this.sky.groundColor.set(theme === 'dark' ? 0x30343c : 0x9aa0a8);
    this.sky.intensity = theme === 'dark' ? 1.25 : 1.7;
    this.bodies.forEach((b, i) => b.material.color.set(p.body(i)));
    this.themed?.forEach(({ material, body }) => material.color.copy(body.material.color));
    this.ground?.color.set(p.ground);
    this.lineMaterial?.color.set(p.edge);
    this.wireMaterial?.color.set(p.edge);
    this.marks.setTheme(p);
    this.springs.setTheme(p);
    this.contacts.setTheme(p);
    this.clearance.setTheme(p);
    for (const trail of this.trails) this.colourTrail(trail);
    this.makeGrid(p);
    this.draw();
  }

  /** Squares of 1, 2 or 5 times a power of ten; in space below everything, where no plane is drawn. */
  makeGrid(p) {
    this.grid?.geometry.dispose();
    if (this.grid) this.world.remove(this.grid);
    const step = niceStep((this.options.along ? 2 * this.unit : 2 * this.radius) / 10);
    const cells = Math.max(10, Math.ceil(((this.scene.planar ? 8 : 16) * this.radius) / step / 2) * 2);
    const floorLine = !this.scene.planar && this.ground ? p.floorGrid : null;
    this.grid = gridLines(step, cells, floorLine ?? p.gridStrong, floorLine ?? p.grid);
    const c = this.box.getCenter(new THREE.Vector3());
    const snap = (x) => Math.round(x / step) * step;
    if (this.scene.planar) {
      this.grid.rotation.x = Math.PI / 2;
      this.grid.position.set(snap(c.x), snap(c.y), -3 * this.depth);
    } else {
      const { right, away, up, floor } = this.floorAxes();
      this.grid.quaternion.setFromRotationMatrix(new THREE.Matrix4().makeBasis(right, up, away.clone().negate()));
      this.grid.position.set(0, 0, 0).addScaledVector(right, snap(c.dot(right))).addScaledVector(away, snap(c.dot(away))).addScaledVector(up, floor);
    }
    this.gridText = `grid ${quantity(step, 'm', 2)}`;
    this.describe();
    this.grid.visible = this.options.grid;
    this.world.add(this.grid);
  }

  /** Axes and height of the grid: in the plane of the ground that is most level, else level and below everything. */
  floorAxes() {
    const normal = (s) => Z.clone().applyQuaternion(new THREE.Quaternion(s.pose[4], s.pose[5], s.pose[6], s.pose[3]));
    const planes = this.scene.shapes.filter((s) => s.type === 'plane' && s.body === 0);
    const level = planes.sort((a, b) => normal(b).dot(this.axes.up) - normal(a).dot(this.axes.up))[0];
    if (!level || normal(level).dot(this.axes.up) < 0.5) return { ...this.axes, floor: this.lowest() };
    const axes = axesAlong(normal(level));
    return { ...axes, floor: new THREE.Vector3(...level.pose.slice(0, 3)).dot(axes.up) + 2e-4 * this.radius };
  }

  /** Height of the lowest corner of everything. */
  lowest() {
    const up = this.axes.up;
    const corners = [this.box.min, this.box.max];
    return Math.min(...[0, 1].flatMap((i) => [0, 1].flatMap((j) => [0, 1].map((k) => new THREE.Vector3(corners[i].x, corners[j].y, corners[k].z).dot(up)))));
  }

  /** What squares and arrows stand for. */
  describe() {
    const arrows = this.options.contacts && this.contacts.usual > 0 ? `full arrow ${quantity(this.contacts.usual, 'N', 2)}` : '';
    this.hud.textContent = [this.options.grid ? this.gridText : '', arrows].filter(Boolean).join(' · ');
  }

  setOption(name, value) {
    this.options[name] = value;
    if (this.grid) this.grid.visible = this.options.grid;
    if (name === 'along') {
      this.fit();
      this.makeGrid(palette(this.theme));
    }
    this.describe();
    this.setTime(this.time);
  }

  /* ------------------------------------------------------------------------------------------------ time */

  setTime(time) {
    this.time = time;
    if (this.options.along) this.goAlong();
    const frame = this.motion.index(time);
    this.bodies.forEach((body, i) => setPose(body.group, this.motion.pose(i, time, this.pose)));
    this.root.updateMatrixWorld(true);
    this.clearance.update();
    this.marks.update(this.options.joints);
    this.springs.update();
    this.contacts.update(this.options.contacts ? this.motion.contacts[frame] : []);
    for (const trail of this.trails) {
      trail.group.visible = this.options.trails || trail.pinned;
      trail.past.geometry.setDrawRange(0, Math.max(1, Math.floor(frame / trail.every) + 1));
      trail.dot.position.set(...trail.at).applyMatrix4(this.bodies[trail.body].group.matrixWorld);
      trail.dot.position.z += trail.lift;
    }
    this.draw();
  }

  draw() {
    if (this.pending) return;
    this.pending = requestAnimationFrame(() => {
      this.pending = 0;
      this.contacts.setScale(this.viewHeight());
      this.renderer.render(this.world, this.camera);
    });
  }

  /* ------------------------------------------------------------------------------------------------ selection */

  /** What lies under a place of the canvas: { kind, name } or null. */
  pick(clientX, clientY) {
    const r = this.renderer.domElement.getBoundingClientRect();
    const at = new THREE.Vector2(((clientX - r.left) / r.width) * 2 - 1, 1 - ((clientY - r.top) / r.height) * 2);
    const ray = new THREE.Raycaster();
    ray.params.Line.threshold = 0;
    ray.setFromCamera(at, this.camera);
    for (const hit of ray.intersectObjects([this.marks.group, this.root, this.clearance.group], true)) {
      if (!hit.object.isMesh || !visible(hit.object)) continue;
      for (let o = hit.object; o; o = o.parent) if (o.userData.kind) return o.userData.index === 0 && o.userData.kind === 'body' ? null : o.userData;
    }
    return null;
  }

  select(kind, name) {
    const p = palette(this.theme);
    this.bodies.forEach((b) => b.material.emissive.set(kind === 'body' && b.name === name ? p.glow : 0x000000));
    this.marks.select(kind === 'joint' ? name : null, p);
    if (this.selectionTrail) this.removeTrail(this.selectionTrail);
    this.selectionTrail = null;
    const body = this.scene.bodies.findIndex((b) => b.name === name);
    if (kind === 'body' && body > 0) {
      this.selectionTrail = this.addTrail(name, body, this.scene.bodies[body].com);
      this.selectionTrail.pinned = true;
    }
    this.setTime(this.time);
  }
}

function visible(object) {
  for (let o = object; o; o = o.parent) if (!o.visible) return false;
  return true;
}

function niceStep(x) {
  const p = Math.pow(10, Math.floor(Math.log10(x)));
  const r = x / p;
  return p * (r < 1.5 ? 1 : r < 3.5 ? 2 : r < 7.5 ? 5 : 10);
}
