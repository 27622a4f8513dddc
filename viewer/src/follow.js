// Models that travel: the picture goes along with the heaviest body.
import * as THREE from 'three';

/** Body to go along with, or 0: the heaviest one, where it gets further along the floor than half the size of the model. */
export function travellingBody(scene, motion, stature, up) {
  if (scene.planar || motion.frames < 2) return 0;
  let body = 0;
  scene.bodies.forEach((b, i) => {
    if (i > 0 && (body === 0 || b.mass > scene.bodies[body].mass)) body = i;
  });
  const way = body ? alongFloor(scene, motion, body, motion.to, up).sub(alongFloor(scene, motion, body, motion.from, up)) : null;
  return way && way.length() > 0.5 * stature ? body : 0;
}

/** Place of a body's centre of mass, its height left out. */
export function alongFloor(scene, motion, body, time, up) {
  const pose = motion.pose(body, time, new Float64Array(7));
  const turn = new THREE.Quaternion(pose[4], pose[5], pose[6], pose[3]);
  const p = new THREE.Vector3(...scene.bodies[body].com).applyQuaternion(turn).add(new THREE.Vector3(pose[0], pose[1], pose[2]));
  return p.addScaledVector(up, -p.dot(up));
}
