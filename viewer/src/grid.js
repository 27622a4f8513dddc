// Squares to judge lengths by.
import * as THREE from 'three';

/**
 * Lines of a square of so many cells in x and z, the middle ones stronger. Each ends at every crossing: some renderers drop a line
 * one end of which lies behind the camera.
 */
export function gridLines(step, cells, strong, usual) {
  const half = (cells * step) / 2;
  const xyz = [];
  const rgb = [];
  const colours = [strong, usual].map((c) => new THREE.Color(c).toArray());
  for (let i = 0; i <= cells; i++) {
    const across = i * step - half;
    const colour = colours[2 * i === cells ? 0 : 1];
    for (let k = 0; k < cells; k++) {
      const from = k * step - half;
      xyz.push(from, 0, across, from + step, 0, across, across, 0, from, across, 0, from + step);
      for (let n = 0; n < 4; n++) rgb.push(...colour);
    }
  }
  const g = new THREE.BufferGeometry();
  g.setAttribute('position', new THREE.Float32BufferAttribute(xyz, 3));
  g.setAttribute('color', new THREE.Float32BufferAttribute(rgb, 3));
  return new THREE.LineSegments(g, new THREE.LineBasicMaterial({ vertexColors: true, transparent: true }));
}
