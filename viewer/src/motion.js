// Frames of motion.bin: poses of all bodies and contact forces over time.

const HEAD = 16;

/** Parsed frames. times: Float64Array, poses: one Float32Array (frames x bodies x 7), contacts: one list per frame. */
export class Motion {
  constructor(buffer) {
    const view = new DataView(buffer);
    const magic = new TextDecoder().decode(new Uint8Array(buffer, 0, 8));
    if (magic !== 'JNMOTN1\n') throw new Error('motion.bin has another format');
    this.bodies = view.getUint32(8, true);
    const starts = [];
    for (let at = HEAD; at + 16 <= buffer.byteLength; ) {
      const size = 16 + 28 * this.bodies + 28 * view.getUint32(at, true);
      if (at + size > buffer.byteLength) break;
      starts.push(at);
      at += size;
    }
    this.frames = starts.length;
    this.times = new Float64Array(this.frames);
    this.poses = new Float32Array(this.frames * this.bodies * 7);
    this.contacts = new Array(this.frames);
    starts.forEach((at, k) => this.readFrame(view, at, k));
  }

  readFrame(view, at, k) {
    const count = view.getUint32(at, true);
    const values = 7 * this.bodies;
    this.times[k] = view.getFloat64(at + 8, true);
    this.poses.set(new Float32Array(view.buffer.slice(at + 16, at + 16 + 4 * values)), k * values);
    const list = [];
    for (let i = 0, p = at + 16 + 4 * values; i < count; i++, p += 28) {
      const f = (j) => view.getFloat32(p + 4 + 4 * j, true);
      list.push({ row: view.getUint32(p, true), p: [f(0), f(1), f(2)], f: [f(3), f(4), f(5)] });
    }
    this.contacts[k] = list;
  }

  get from() {
    return this.frames ? this.times[0] : 0;
  }
  get to() {
    return this.frames ? this.times[this.frames - 1] : 0;
  }

  /** Last frame that is not after the time. */
  index(time) {
    let low = 0;
    let high = this.frames - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= time) low = middle;
      else high = middle - 1;
    }
    return Math.max(0, low);
  }

  /** Pose of a body at a time: straight between two frames, the shorter way round. */
  pose(body, time, out) {
    const i = this.index(time);
    const j = Math.min(i + 1, this.frames - 1);
    const span = this.times[j] - this.times[i];
    const x = span > 0 ? Math.min(1, Math.max(0, (time - this.times[i]) / span)) : 0;
    const a = (i * this.bodies + body) * 7;
    const b = (j * this.bodies + body) * 7;
    const P = this.poses;
    for (let k = 0; k < 3; k++) out[k] = P[a + k] + x * (P[b + k] - P[a + k]);
    let dot = 0;
    for (let k = 3; k < 7; k++) dot += P[a + k] * P[b + k];
    let norm = 0;
    for (let k = 3; k < 7; k++) {
      out[k] = P[a + k] * (1 - x) + (dot < 0 ? -x : x) * P[b + k];
      norm += out[k] * out[k];
    }
    norm = Math.sqrt(norm) || 1;
    for (let k = 3; k < 7; k++) out[k] /= norm;
    return out;
  }

  /** World place of a point of a body at frame k. */
  place(body, at, k, out) {
    const i = (k * this.bodies + body) * 7;
    const P = this.poses;
    const [w, x, y, z] = [P[i + 3], P[i + 4], P[i + 5], P[i + 6]];
    const tx = 2 * (y * at[2] - z * at[1]);
    const ty = 2 * (z * at[0] - x * at[2]);
    const tz = 2 * (x * at[1] - y * at[0]);
    out[0] = P[i] + at[0] + w * tx + y * tz - z * ty;
    out[1] = P[i + 1] + at[1] + w * ty + z * tx - x * tz;
    out[2] = P[i + 2] + at[2] + w * tz + x * ty - y * tx;
    return out;
  }

  /** Force that most contacts stay below: what an arrow of full length stands for. */
  usualForce() {
    const sizes = [];
    for (const list of this.contacts) for (const c of list) sizes.push(Math.hypot(...c.f));
    sizes.sort((a, b) => a - b);
    return sizes.length ? sizes[Math.floor(0.9 * (sizes.length - 1))] : 0;
  }
}
