// Geometry of the shapes in scene.json. Sizes are those of the compiled solids: half lengths and radii.
import * as THREE from 'three';

const polar = (n) => Array.from({ length: n + 1 }, (_, i) => (2 * Math.PI * i) / n);

function mesh(vertices, triangles) {
  const g = new THREE.BufferGeometry();
  g.setAttribute('position', new THREE.Float32BufferAttribute(vertices, 3));
  g.setIndex(triangles);
  const flat = g.toNonIndexed(); // faces of a polytope stay flat
  flat.computeVertexNormals();
  return flat;
}

function smoothMesh(vertices, triangles) {
  const g = new THREE.BufferGeometry();
  g.setAttribute('position', new THREE.Float32BufferAttribute(vertices, 3));
  g.setIndex(triangles);
  g.computeVertexNormals();
  return g;
}

/** A planar outline, as thick as `depth` about the plane. */
export function extrude(points, depth) {
  const shape = new THREE.Shape(points.map(([x, y]) => new THREE.Vector2(x, y)));
  const g = new THREE.ExtrudeGeometry(shape, { depth, bevelEnabled: false, curveSegments: 48 });
  g.translate(0, 0, -depth / 2);
  return g;
}

/** Ring between two radii. */
export function ring(inner, outer, depth, from = 0, to = 2 * Math.PI) {
  const shape = new THREE.Shape();
  const whole = Math.abs(to - from) > 2 * Math.PI - 1e-6;
  if (whole) {
    shape.absarc(0, 0, outer, 0, 2 * Math.PI, false);
    const hole = new THREE.Path();
    hole.absarc(0, 0, inner, 0, 2 * Math.PI, true);
    shape.holes.push(hole);
  } else {
    shape.absarc(0, 0, outer, from, to, false);
    shape.absarc(0, 0, inner, to, from, true);
  }
  const g = new THREE.ExtrudeGeometry(shape, { depth, bevelEnabled: false, curveSegments: 64 });
  g.translate(0, 0, -depth / 2);
  return g;
}

export function alongZ(geometry) {
  return geometry.rotateX(Math.PI / 2);
}

function pairs(flat) {
  const out = [];
  for (let i = 0; i < flat.length; i += 3) out.push([flat[i], flat[i + 1]]);
  return out;
}

function patch(vertices, n) {
  const triangles = [];
  for (let j = 0; j + 1 < n; j++)
    for (let i = 0; i + 1 < n; i++) {
      const k = j * n + i;
      triangles.push(k, k + 1, k + n + 1, k, k + n + 1, k + n);
    }
  return smoothMesh(vertices, triangles);
}

/** A line rounded by a radius. */
function stadium(p, q, radius, depth) {
  const angle = Math.atan2(q[1] - p[1], q[0] - p[0]);
  const half = (centre, start) =>
    polar(16).slice(0, 9).map((a) => [centre[0] + radius * Math.cos(start + a), centre[1] + radius * Math.sin(start + a)]);
  return extrude([...half(q, angle - Math.PI / 2), ...half(p, angle + Math.PI / 2)], depth);
}

/** Corners around a circle of radius r that miss it by less than a small body shows: 0.3 % of the grain. */
const around = (r, grain) => Math.min(256, Math.max(48, 4 * Math.ceil(10 * Math.sqrt(r / grain))));

/** Size of the smallest body of the scene that moves, by its shapes. */
export function sceneGrain(scene) {
  const sizes = scene.shapes.filter((shape) => shape.body > 0).map((shape) => shape.radius || shape.size?.[0]);
  return Math.min(...sizes.filter((size) => size > 0));
}

/**
 * Geometry of a shape; depth: thickness of planar ones, extent: half width of unlimited planes, grain: size of small bodies that may lie on it.
 * Returns { geometry, kind }: kind 'solid', 'hollow' (seen from inside) or 'ground'.
 */
export function shapeGeometry(shape, depth, extent, grain = Infinity) {
  const [x, y, z] = shape.size;
  const corners = around(shape.radius || x, grain);
  const v = shape.vertices;
  switch (shape.type) {
    case 'sphere':
      return { geometry: new THREE.SphereGeometry(shape.radius || x, corners, (2 * corners) / 3), kind: 'solid', smooth: true };
    case 'cylinder':
      return { geometry: alongZ(new THREE.CylinderGeometry(x, x, 2 * y, corners)), kind: 'solid' };
    case 'capsule':
      return { geometry: alongZ(new THREE.CapsuleGeometry(shape.radius || x, 2 * y, 12, 32)), kind: 'solid', smooth: true };
    case 'cone':
      return { geometry: alongZ(new THREE.ConeGeometry(x, y, 48)).translate(0, 0, y / 2), kind: 'solid' };
    case 'ellipsoid':
        return {geometry : new THREE.SphereGeometry(1, 48, 32).scale(x, y, z), kind : 'solid', smooth : true};
    case 'torus':
      return { geometry: new THREE.TorusGeometry(x, shape.radius || y, 24, 64), kind: 'solid', smooth: true };
    case 'box':
    case 'hull':
      if (v && shape.triangles) return { geometry: mesh(v, shape.triangles), kind: 'solid' };
      return { geometry: new THREE.BoxGeometry(2 * x, 2 * y, 2 * z), kind: 'solid' };
    case 'mesh':
      return { geometry: mesh(v, shape.triangles), kind: 'solid' };
    case 'heightfield':
      return { geometry: smoothMesh(v, shape.triangles), kind: 'ground' };
    case 'surface':
      return { geometry: patch(v, shape.samples), kind: 'ground' };
    case 'plane':
      return { geometry: new THREE.PlaneGeometry(2 * extent, 2 * extent), kind: 'plane' };
    case 'bore':
      return { geometry: alongZ(new THREE.CylinderGeometry(x, x, 2 * Math.min(y || extent, extent), corners, 1, true)), kind: 'hollow' };
    case 'socket':
      return { geometry: new THREE.SphereGeometry(x, corners, corners / 2, 0, 2 * Math.PI, Math.PI / 2, Math.PI / 2).rotateX(Math.PI / 2), kind: 'hollow' };
    case 'circle':
      return { geometry: extrudeCircle(shape.radius || x, depth), kind: 'solid', spoke: shape.radius || x };
    case 'rectangle':
    case 'polygon':
      return { geometry: extrude(pairs(v), depth), kind: 'solid' };
    case 'segment': {
      const [p, q] = pairs(v);
      return { geometry: stadium(p, q, Math.max(shape.radius || 0, 0.15 * depth), depth), kind: 'solid' };
    }
    case 'half_plane':
      return { geometry: new THREE.BoxGeometry(2 * extent, 0.6 * depth, depth).translate(0, -0.3 * depth, 0), kind: 'plane' };
    case 'arc':
      return { geometry: ring(x, x + Math.max(0.14 * x, 0.2 * depth), depth, ...(shape.range ?? [0, 2 * Math.PI])), kind: 'solid' };
    default: // no form of its own: the scene has its triangles
        if (!v || !shape.triangles) return null;
        return {
            geometry : (shape.smooth ? smoothMesh : mesh)(v, shape.triangles),
            kind : 'solid',
            smooth : shape.smooth
        };
  }
}

function extrudeCircle(radius, depth) {
  return alongZ(new THREE.CylinderGeometry(radius, radius, depth, 64));
}

/** Largest distance of a shape's points from its frame, without unlimited ones. */
export function shapeReach(shape) {
  if (['plane', 'half_plane'].includes(shape.type)) return 0;
  if (shape.type === 'bore') return shape.size[0];
  if (shape.vertices) {
    let most = 0;
    for (let i = 0; i < shape.vertices.length; i += 3)
      most = Math.max(most, Math.hypot(shape.vertices[i], shape.vertices[i + 1], shape.vertices[i + 2]));
    return most + (shape.radius || 0);
  }
  return Math.hypot(...shape.size) || shape.radius || 0;
}

/** Box around a shape in its own frame, without unlimited ones: { low, high }, or null. */
export function shapeBox(shape) {
  const [x, y, z] = shape.size;
  const r = shape.radius || 0;
  const about = (a, b, c) => ({ low: [-a, -b, -c], high: [a, b, c] });
  if (['plane', 'half_plane'].includes(shape.type)) return null;
  if (shape.vertices) {
    const out = { low: [Infinity, Infinity, Infinity], high: [-Infinity, -Infinity, -Infinity] };
    for (let i = 0; i < shape.vertices.length; i++) {
      out.low[i % 3] = Math.min(out.low[i % 3], shape.vertices[i] - r);
      out.high[i % 3] = Math.max(out.high[i % 3], shape.vertices[i] + r);
    }
    return out;
  }
  switch (shape.type) {
    case 'cylinder':
      return about(x, x, y);
    case 'bore':
      return about(x, x, Math.min(y || x, 4 * x));
    case 'capsule':
      return about(r || x, r || x, y + (r || x));
    case 'cone':
      return { low: [-x, -x, 0], high: [x, x, y] };
    case 'torus':
      return about(x + (r || y), x + (r || y), r || y);
    case 'box':
    case 'ellipsoid': return about(x, y, z);
    default: {
      const reach = r || Math.hypot(x, y, z);
      return about(reach, reach, reach);
    }
  }
}

/** Half of the smallest extent of a shape [m]; infinite for unlimited ones. */
export function shapeThickness(shape, planar) {
  const box = shapeBox(shape);
  if (!box) return Infinity;
  return 0.5 * Math.min(...box.high.slice(0, planar ? 2 : 3).map((h, i) => h - box.low[i]));
}

/** x y z qw qx qy qz onto an object. */
export function setPose(object, pose) {
  object.position.set(pose[0], pose[1], pose[2]);
  object.quaternion.set(pose[4], pose[5], pose[6], pose[3]);
}
