// One channel over another: phase portraits, orbits of journals. Wheel zooms, dragging moves, a double click shows all.
import { axisPrefix, el, number } from './format.js';
import { curveColour } from './theme.js';

const PAD = { left: 62, right: 12, top: 10, bottom: 36 };

function niceStep(range) {
  const p = Math.pow(10, Math.floor(Math.log10(range / 4)));
  const r = range / 4 / p;
  return p * (r < 1.5 ? 1 : r < 3.5 ? 2 : r < 7.5 ? 5 : 10);
}

export class Portrait {
  /** circle: radius around the origin, the clearance of a journal; 0: none. */
  constructor(host, data, channels, theme, onTime, circle = 0) {
    Object.assign(this, { host, data, channels, theme, onTime, circle });
    [this.x, this.y] = data.values;
    this.canvas = el('canvas', { class: 'portrait', role: 'img', 'aria-label': `${channels[1].name} over ${channels[0].name}` });
    host.append(this.canvas);
    this.all();
    this.listen();
    this.resize();
  }

  /** Window around everything; the same scale on both axes where the units and sizes agree. */
  all() {
    const range = (v) => {
      const finite = v.filter((x) => x !== null);
      let [low, high] = finite.reduce(([a, b], x) => [Math.min(a, x), Math.max(b, x)], [Infinity, -Infinity]);
      if (!(high >= low)) [low, high] = [0, 1];
      const pad = high > low ? 0.06 * (high - low) : Math.abs(high) * 0.1 || 1;
      return [low - pad, high + pad];
    };
    this.window = { x: range(this.x), y: range(this.y) };
    if (this.circle > 0) for (const k of ['x', 'y']) this.window[k] = [Math.min(this.window[k][0], -1.08 * this.circle), Math.max(this.window[k][1], 1.08 * this.circle)];
    let [dx, dy] = ['x', 'y'].map((k) => this.window[k][1] - this.window[k][0]);
    if (this.channels[0].unit === this.channels[1].unit) {
      // what is round-off on one axis is zero against the other
      const widen = (k, d) => (this.window[k] = [this.window[k][0] - d / 2, this.window[k][1] + d / 2]);
      if (dy < 1e-6 * dx) widen('y', (dy = 0.5 * dx));
      else if (dx < 1e-6 * dy) widen('x', (dx = 0.5 * dy));
    }
    this.equal = this.channels[0].unit === 'm' && this.channels[1].unit === 'm' && dx < 20 * dy && dy < 20 * dx;
  }

  get frame() {
    return { w: Math.max(10, this.w - PAD.left - PAD.right), h: Math.max(10, this.h - PAD.top - PAD.bottom) };
  }

  view() {
    const { w, h } = this.frame;
    let [x0, x1] = this.window.x;
    let [y0, y1] = this.window.y;
    if (this.equal) {
      const s = Math.max((x1 - x0) / w, (y1 - y0) / h);
      [x0, x1] = [(x0 + x1) / 2 - (s * w) / 2, (x0 + x1) / 2 + (s * w) / 2];
      [y0, y1] = [(y0 + y1) / 2 - (s * h) / 2, (y0 + y1) / 2 + (s * h) / 2];
    }
    return { x0, x1, y0, y1 };
  }

  toPixel(v, x, y) {
    const { w, h } = this.frame;
    return [PAD.left + ((x - v.x0) / (v.x1 - v.x0)) * w, PAD.top + (1 - (y - v.y0) / (v.y1 - v.y0)) * h];
  }

  listen() {
    const canvas = this.canvas;
    canvas.addEventListener('wheel', (e) => {
      e.preventDefault();
      const k = Math.exp(0.0015 * e.deltaY);
      const v = this.view();
      const r = canvas.getBoundingClientRect();
      const fx = (e.clientX - r.left - PAD.left) / this.frame.w;
      const fy = 1 - (e.clientY - r.top - PAD.top) / this.frame.h;
      const zoom = (a, b, f) => [a + (b - a) * f * (1 - k), b - (b - a) * (1 - f) * (1 - k)];
      this.window = { x: zoom(v.x0, v.x1, fx), y: zoom(v.y0, v.y1, fy) };
      this.draw();
    }, { passive: false });
    let start = null;
    canvas.addEventListener('pointerdown', (e) => {
      start = { x: e.clientX, y: e.clientY, view: this.view(), moved: false };
      canvas.setPointerCapture(e.pointerId);
    });
    canvas.addEventListener('pointermove', (e) => {
      if (!start) return;
      const dx = e.clientX - start.x;
      const dy = e.clientY - start.y;
      start.moved ||= Math.hypot(dx, dy) > 4;
      const v = start.view;
      const sx = (dx / this.frame.w) * (v.x1 - v.x0);
      const sy = (dy / this.frame.h) * (v.y1 - v.y0);
      this.window = { x: [v.x0 - sx, v.x1 - sx], y: [v.y0 + sy, v.y1 + sy] };
      this.draw();
    });
    canvas.addEventListener('pointerup', (e) => {
      if (start && !start.moved) this.pick(e);
      start = null;
    });
    canvas.addEventListener('dblclick', () => {
      this.all();
      this.draw();
    });
  }

  /** The time of the nearest point. */
  pick(e) {
    const r = this.canvas.getBoundingClientRect();
    const v = this.view();
    let best = 20;
    let time = null;
    for (let i = 0; i < this.x.length; i++) {
      const [px, py] = this.toPixel(v, this.x[i], this.y[i]);
      const d = Math.hypot(px - (e.clientX - r.left), py - (e.clientY - r.top));
      if (d < best) [best, time] = [d, this.data.time[i]];
    }
    if (time !== null) this.onTime(time);
  }

  setTime(time) {
    this.time = time;
    this.draw();
  }

  resize() {
    const ratio = window.devicePixelRatio || 1;
    this.w = this.host.clientWidth;
    this.h = this.host.clientHeight;
    this.canvas.width = Math.max(1, this.w * ratio);
    this.canvas.height = Math.max(1, this.h * ratio);
    this.ratio = ratio;
    this.draw();
  }

  draw() {
    const c = this.canvas.getContext('2d');
    const style = getComputedStyle(document.documentElement);
    const v = this.view();
    const { w, h } = this.frame;
    c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    c.clearRect(0, 0, this.w, this.h);
    this.drawAxes(c, v, style);
    c.save();
    c.beginPath();
    c.rect(PAD.left, PAD.top, w, h);
    c.clip();
    if (this.circle > 0) this.drawCircle(c, v, style);
    c.strokeStyle = curveColour(this.theme, 0);
    c.lineWidth = 1.3;
    c.lineJoin = 'round';
    c.globalAlpha = 0.85;
    c.beginPath();
    for (let i = 0, drawn = false; i < this.x.length; i++) {
      const known = this.x[i] !== null && this.y[i] !== null;
      const [px, py] = this.toPixel(v, this.x[i], this.y[i]);
      if (known && drawn) c.lineTo(px, py);
      else if (known) c.moveTo(px, py);
      drawn = known;
    }
    c.stroke();
    c.globalAlpha = 1;
    this.drawNow(c, v, style);
    c.restore();
  }

  drawCircle(c, v, style) {
    const [x, y] = this.toPixel(v, 0, 0);
    const [rx] = this.toPixel(v, this.circle, 0);
    const [, ry] = this.toPixel(v, 0, this.circle);
    c.strokeStyle = style.getPropertyValue('--quiet');
    c.setLineDash([4, 4]);
    c.beginPath();
    c.ellipse(x, y, Math.abs(rx - x), Math.abs(ry - y), 0, 0, 2 * Math.PI);
    c.stroke();
    c.setLineDash([]);
  }

  drawNow(c, v, style) {
    const t = this.data.time;
    let i = 0;
    let high = t.length - 1;
    while (i < high) {
      const middle = (i + high + 1) >> 1;
      if (t[middle] <= this.time) i = middle;
      else high = middle - 1;
    }
    const j = Math.min(i + 1, t.length - 1);
    const s = t[j] > t[i] ? Math.min(1, Math.max(0, (this.time - t[i]) / (t[j] - t[i]))) : 0;
    const [px, py] = this.toPixel(v, this.x[i] + s * (this.x[j] - this.x[i]), this.y[i] + s * (this.y[j] - this.y[i]));
    c.fillStyle = style.getPropertyValue('--accent');
    c.beginPath();
    c.arc(px, py, 4.5, 0, 2 * Math.PI);
    c.fill();
  }

  drawAxes(c, v, style) {
    const { w, h } = this.frame;
    c.font = '11px system-ui, sans-serif';
    c.lineWidth = 1;
    const most = [Math.max(Math.abs(v.x0), Math.abs(v.x1)), Math.max(Math.abs(v.y0), Math.abs(v.y1))];
    const same = this.channels[0].unit === this.channels[1].unit; // one unit for both, also where one axis is short
    const [ax, ay] = most.map((m, i) => axisPrefix(this.channels[i].unit, same ? Math.max(...most) : m));
    const ticks = (low, high) => {
      const step = niceStep(high - low);
      const out = [];
      for (let t = Math.ceil(low / step) * step; t <= high + 1e-9 * step; t += step) out.push(Math.abs(t) < 1e-9 * step ? 0 : t);
      return out;
    };
    c.strokeStyle = style.getPropertyValue('--line');
    c.fillStyle = style.getPropertyValue('--quiet');
    c.textAlign = 'center';
    for (const t of ticks(v.x0 * ax.factor, v.x1 * ax.factor)) {
      const [px] = this.toPixel(v, t / ax.factor, v.y0);
      line(c, px, PAD.top, px, PAD.top + h);
      c.fillText(number(Number(t.toPrecision(8)), 4), px, PAD.top + h + 14);
    }
    c.textAlign = 'right';
    for (const t of ticks(v.y0 * ay.factor, v.y1 * ay.factor)) {
      const [, py] = this.toPixel(v, v.x0, t / ay.factor);
      line(c, PAD.left, py, PAD.left + w, py);
      c.fillText(number(Number(t.toPrecision(8)), 4), PAD.left - 6, py + 4);
    }
    const label = (i, a) => this.channels[i].name + (a.unit ? ` [${a.unit}]` : '');
    c.textAlign = 'center';
    c.fillText(label(0, ax), PAD.left + w / 2, PAD.top + h + 29);
    c.save();
    c.translate(12, PAD.top + h / 2);
    c.rotate(-Math.PI / 2);
    c.fillText(label(1, ay), 0, 0);
    c.restore();
  }

  destroy() {
    this.canvas.remove();
  }
}

function line(c, x1, y1, x2, y2) {
  c.beginPath();
  c.moveTo(x1, y1);
  c.lineTo(x2, y2);
  c.stroke();
}
