// Models that travel: the picture goes along with the heaviest body.
import * as THREE from 'three';

const FAR = 0.5; // of the size of the model
const SAMPLES = 200;

function centre(scene, motion, body, time) {
  const pose = motion.pose(body, time, new Float64Array(7));
  const turn = new THREE.Quaternion(pose[4], pose[5], pose[6], pose[3]);
  return new THREE.Vector3(...scene.bodies[body].com).applyQuaternion(turn).add(new THREE.Vector3(pose[0], pose[1], pose[2]));
}

/**
 * How the picture can go along: { body, height, far }, or null where nothing travels. body: the heaviest one, where it gets further
 * than half the size of the model from where it starts; height: whether it rises or falls by that, so that the picture does, too (a
 * torso that bobs stays calm); far: along the floor it ends that far away.
 */
export function travel(scene, motion, stature, up) {
  let body = 0;
  scene.bodies.forEach((b, i) => {
    if (i > 0 && (body === 0 || b.mass > scene.bodies[body].mass)) body = i;
  });
  if (!body || motion.frames < 2) return null;
  const start = centre(scene, motion, body, motion.from);
  let along = 0;
  let rise = 0;
  for (let k = 1; k <= SAMPLES; k++) {
    const way = centre(scene, motion, body, motion.from + (k / SAMPLES) * (motion.to - motion.from)).sub(start);
    const high = way.dot(up);
    rise = Math.max(rise, Math.abs(high));
    along = Math.max(along, way.addScaledVector(up, -high).length());
  }
  if (Math.max(along, rise) <= FAR * stature) return null;
  const end = centre(scene, motion, body, motion.to).sub(start);
  return { body, height: rise > FAR * stature, far: end.addScaledVector(up, -end.dot(up)).length() > FAR * stature };
}

/** Place that the picture goes along with: of the body's centre of mass, without its height where that hardly changes. */
export function station(scene, motion, { body, height }, time, up) {
  const p = centre(scene, motion, body, time);
  return height ? p : p.addScaledVector(up, -p.dot(up));
}
