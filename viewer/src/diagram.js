// A diagram of a study on a canvas: points or coloured cells, each of which is a run.
import { axisPrefix, el, number, quantity } from './format.js';
import { curveColour } from './theme.js';

const LEFT = 62, RIGHT = 14, TOP = 8, BOTTOM = 42; // [px] around the frame
const REACH = 12; // [px] to the nearest point
const CELLS = 64; // per side of the grid in which points are looked for

/** Round numbers between two limits, about so many; powers of ten where the axis is logarithmic. */
export function ticks(low, high, log, count = 5) {
  const out = [];
  if (log) {
    for (let k = Math.ceil(Math.log10(low) - 1e-9); k <= Math.log10(high) + 1e-9; k++) out.push(10 ** k);
    if (out.length > 1) return out;
    out.length = 0;
  }
  const raw = (high - low) / count;
  const base = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((s) => s * base >= raw) * base;
  for (let x = Math.ceil(low / step - 1e-9) * step; x <= high + 1e-9 * step; x += step) out.push(Math.abs(x) < 1e-9 * step ? 0 : x);
  return out;
}

/** Blue over green to yellow, for 0 to 1. */
export function heatColour(x) {
  const stops = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];
  const at = Math.min(3.999, Math.max(0, 4 * x)), i = Math.floor(at), f = at - i;
  return `rgb(${stops[i].map((c, k) => Math.round(c + f * (stops[i + 1][k] - c))).join(',')})`;
}

class Axis {
  constructor(spec, values) {
    this.log = spec.log && values.every((v) => v === null || v > 0);
    this.name = spec.name;
    const seen = values.filter((v) => v !== null && Number.isFinite(v));
    let low = Infinity, high = -Infinity;
    for (const v of seen) (low = Math.min(low, v)), (high = Math.max(high, v));
    if (!(low <= high)) [low, high] = [0, 1];
    if (low === high) [low, high] = low ? [low - Math.abs(low) / 2, low + Math.abs(low) / 2] : [-1, 1];
    const margin = 0.03;
    if (this.log) {
      const f = (high / low) ** margin;
      [this.low, this.high] = [low / f, high * f];
    } else [this.low, this.high] = [low - margin * (high - low), high + margin * (high - low)];
    const { factor, unit } = axisPrefix(spec.unit, Math.max(Math.abs(low), Math.abs(high)));
    this.factor = factor;
    this.label = unit ? `${spec.name} [${unit}]` : spec.name;
    this.unit = spec.unit;
  }

  /** 0 to 1 along the axis. */
  share(v) {
    return this.log ? Math.log(v / this.low) / Math.log(this.high / this.low) : (v - this.low) / (this.high - this.low);
  }
}

/** Steps of a grid of values, for the size of a cell. */
function spacing(values) {
  const sorted = [...new Set(values)].sort((a, b) => a - b);
  return Math.max(1, sorted.length);
}

export class Diagram {
  constructor(plot, theme, choose) {
    Object.assign(this, { plot, theme, choose });
    this.x = new Axis(plot.x, plot.xs);
    this.y = new Axis(plot.y, plot.ys);
    if (plot.zs) this.z = new Axis(plot.z, plot.zs);
    this.canvas = el('canvas', { tabindex: '0', role: 'img', 'aria-label': `${this.y.label} over ${this.x.label}` });
    this.tip = el('div', { class: 'tip', hidden: true });
    const thinned = plot.row.length < plot.points ? `, every ${Math.ceil(plot.points / plot.row.length)}th of ${plot.points} points` : '';
    this.card = el('figure', { class: 'diagram' }, el('h2', {}, plot.title || `${this.y.name} over ${this.x.name}${this.z ? `, colour: ${this.z.label}` : ''}`, el('small', {}, thinned)), el('div', { class: 'paper' }, this.canvas, this.tip));
    this.canvas.addEventListener('pointermove', (e) => this.point(e));
    this.canvas.addEventListener('pointerleave', () => this.mark(-1));
    this.canvas.addEventListener('click', (e) => {
      this.point(e);
      if (this.marked >= 0) this.choose(plot.row[this.marked]);
    });
    this.marked = -1;
  }

  /** Place of a point [px]. */
  place(i) {
    return [LEFT + this.x.share(this.plot.xs[i]) * (this.width - LEFT - RIGHT), this.height - BOTTOM - this.y.share(this.plot.ys[i]) * (this.height - TOP - BOTTOM)];
  }

  draw() {
    const box = this.canvas.parentElement.getBoundingClientRect();
    [this.width, this.height] = [Math.max(280, box.width), 340];
    const dots = window.devicePixelRatio || 1;
    [this.canvas.width, this.canvas.height] = [this.width * dots, this.height * dots];
    Object.assign(this.canvas.style, { width: `${this.width}px`, height: `${this.height}px` });
    const c = this.canvas.getContext('2d');
    c.setTransform(dots, 0, 0, dots, 0, 0);
    c.clearRect(0, 0, this.width, this.height);
    this.drawFrame(c);
    if (this.z) this.drawCells(c);
    else this.drawPoints(c);
    this.sort();
    this.drawMark(c);
  }

  drawFrame(c) {
    const style = getComputedStyle(document.documentElement);
    const [ink, quiet, line] = ['--ink', '--quiet', '--line'].map((n) => style.getPropertyValue(n));
    const [right, bottom] = [this.width - RIGHT, this.height - BOTTOM];
    c.font = '12px system-ui, sans-serif';
    c.strokeStyle = line;
    c.fillStyle = quiet;
    c.textAlign = 'center';
    for (const t of ticks(this.x.low, this.x.high, this.x.log)) {
      const x = LEFT + this.x.share(t) * (right - LEFT);
      c.strokeRect(x, TOP, 0, bottom - TOP);
      c.fillText(number(t * this.x.factor, 4), x, bottom + 15);
    }
    c.textAlign = 'right';
    for (const t of ticks(this.y.low, this.y.high, this.y.log)) {
      const y = bottom - this.y.share(t) * (bottom - TOP);
      c.strokeRect(LEFT, y, right - LEFT, 0);
      c.fillText(number(t * this.y.factor, 4), LEFT - 6, y + 4);
    }
    c.fillStyle = ink;
    c.textAlign = 'center';
    c.fillText(this.x.label, (LEFT + right) / 2, bottom + 34);
    c.save();
    c.translate(13, (TOP + bottom) / 2);
    c.rotate(-Math.PI / 2);
    c.fillText(this.y.label, 0, 0);
    c.restore();
    c.strokeStyle = quiet;
    c.strokeRect(LEFT, TOP, right - LEFT, bottom - TOP);
  }

  /** The more points there are, the fainter each: where many lie, it is dark. */
  drawPoints(c) {
    const n = this.plot.row.length;
    const size = n > 5000 ? 1.2 : n > 500 ? 2 : 4;
    c.globalAlpha = n > 20000 ? 0.35 : n > 5000 ? 0.6 : 0.9;
    c.fillStyle = curveColour(this.theme, 0);
    for (let i = 0; i < n; i++) {
      if (this.plot.xs[i] === null || this.plot.ys[i] === null) continue;
      const [x, y] = this.place(i);
      c.fillRect(x - size / 2, y - size / 2, size, size);
    }
    c.globalAlpha = 1;
  }

  drawCells(c) {
    const w = Math.max(1.5, (this.width - LEFT - RIGHT) / spacing(this.plot.xs)), h = Math.max(1.5, (this.height - TOP - BOTTOM) / spacing(this.plot.ys));
    for (let i = 0; i < this.plot.row.length; i++) {
      if (this.plot.zs[i] === null) continue;
      const [x, y] = this.place(i);
      c.fillStyle = heatColour(this.z.share(this.plot.zs[i]));
      c.fillRect(x - w / 2, y - h / 2, w + 0.5, h + 0.5);
    }
  }

  /** Points by cells of a grid, so that the nearest is found without a look at all. */
  sort() {
    this.cells = new Map();
    for (let i = 0; i < this.plot.row.length; i++) {
      if (this.plot.xs[i] === null || this.plot.ys[i] === null) continue;
      const [x, y] = this.place(i);
      const key = this.key(x, y);
      if (this.cells.has(key)) this.cells.get(key).push(i);
      else this.cells.set(key, [i]);
    }
  }

  key(x, y, dx = 0, dy = 0) {
    return (Math.floor((x / this.width) * CELLS) + dx) * 1000 + Math.floor((y / this.height) * CELLS) + dy;
  }

  nearest(px, py) {
    let best = -1, least = REACH * REACH;
    for (let dx = -2; dx <= 2; dx++)
      for (let dy = -3; dy <= 3; dy++)
        for (const i of this.cells.get(this.key(px, py, dx, dy)) ?? []) {
          const [x, y] = this.place(i);
          const d = (x - px) ** 2 + (y - py) ** 2;
          if (d < least) [best, least] = [i, d];
        }
    return best;
  }

  point(e) {
    const r = this.canvas.getBoundingClientRect();
    this.mark(this.nearest(e.clientX - r.left, e.clientY - r.top));
  }

  mark(i) {
    if (i === this.marked) return;
    this.marked = i;
    this.tip.hidden = i < 0;
    this.canvas.style.cursor = i < 0 ? 'default' : 'pointer';
    if (i >= 0) {
      const { plot } = this;
      const [x, y] = this.place(i);
      this.tip.textContent = `run ${plot.row[i]}: ${this.x.name} ${quantity(plot.xs[i], this.x.unit)}, ${this.y.name} ${quantity(plot.ys[i], this.y.unit)}${this.z ? `, ${this.z.name} ${quantity(plot.zs[i], this.z.unit)}` : ''}`;
      this.tip.style.transform = `translate(${Math.min(x + 10, this.width - 240)}px, ${y + 12}px)`;
    }
    this.draw();
  }

  drawMark(c) {
    if (this.marked < 0) return;
    const [x, y] = this.place(this.marked);
    c.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue('--accent');
    c.lineWidth = 2;
    c.beginPath();
    c.arc(x, y, 6, 0, 2 * Math.PI);
    c.stroke();
    c.lineWidth = 1;
  }
}
