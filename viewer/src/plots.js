// Plots under the 3D view: channels over time, and one channel over another.
import uPlot from 'uplot';
import { axisPrefix, el, number } from './format.js';
import { Portrait } from './portrait.js';
import { curveColour } from './theme.js';

/** Eight names at most, whole families as far as they fit: hip1 ... hip6 and not two of the knees. */
function fewNames(names) {
  const family = (n) => n.replace(/\d+/g, '');
  const out = [];
  for (const kind of new Set(names.map(family))) {
    const all = names.filter((n) => family(n) === kind);
    if (out.length && out.length + all.length > 8) break;
    out.push(...all);
  }
  return out.slice(0, 8);
}

/** Plots that say most about a model, if the user names none. */
export function usualPlots(scene, channels, method) {
  const names = [...channels.keys()];
  const having = (pattern) => names.filter((n) => pattern.test(n));
  const out = [];
  const clearances = scene.joints.filter((j) => j.type.endsWith('_clearance'));
  for (const j of clearances.slice(0, 2)) {
      const of = (s) => (channels.has(`joint.${j.name}.${s}`) ? `joint.${j.name}.${s}` : null);
      if (of('ex') && of('ey'))
          out.push({xy : [ of('ex'), of('ey') ]});
      else if (of('ey'))
          out.push({channels : [ of('ey') ]});
  }
  const contactForces = having(/^contact\..*\.fn$/);
  if (contactForces.length && method !== 'impact') out.push({ channels: fewNames(contactForces) });
  const derived = having(/^derived\./);
  if (derived.length) out.unshift({ channels: fewNames(derived) });
  const angles = having(/^joint\..*\.q$/).filter((n) => channels.get(n) === channels.get(having(/^joint\..*\.q$/)[0]));
  if (angles.length) out.push({ channels: fewNames(angles) });
  const q = having(/^joint\..*\.q$/)[0];
  const u = q?.replace(/q$/, 'u');
  if (q && channels.has(u) && !clearances.length && !contactForces.length) out.push({xy : [ q, u ]});
  if (!angles.length) {
    const g = scene.gravity.map(Math.abs);
    const axis = Math.max(...g) > 0 ? 'xyz'[g.indexOf(Math.max(...g))] : scene.planar ? 'y' : 'z';
    const up = new RegExp(`^body\\..*\\.${axis}$`);
    if (having(up).length) out.push({ channels: fewNames(having(up)) });
    const speed = new RegExp(`^body\\..*\\.v${axis}$`);
    if (method === 'impact' && having(speed).length) out.push({ channels: fewNames(having(speed)) });
  }
  const energy = ['energy.kinetic', 'energy.potential', 'energy.elastic', 'energy.total'].filter((n) => channels.has(n));
  if (energy.length) out.push({ channels: energy });
  if (!out.length) out.push({ channels: names.slice(0, 3) });
  return out.slice(0, 3);
}

/** Names of three curves or more without the parts that all have: { common: 'contact.*.fn', own: ['foot1', ...] }, so that none is hidden. */
export function briefNames(names) {
  const parts = names.map((n) => n.split('.'));
  const alike = (at) => parts.every((p) => at(p) === at(parts[0]));
  const least = Math.min(...parts.map((p) => p.length)) - 1;
  let first = 0;
  let last = 0;
  while (first < least && alike((p) => p[first])) first++;
  while (first + last < least && alike((p) => p[p.length - 1 - last])) last++;
  if (names.length < 3 || first + last === 0) return { common: null, own: names };
  const common = [...parts[0].slice(0, first), '*', ...parts[0].slice(parts[0].length - last)].join('.');
  return { common, own: parts.map((p) => p.slice(first, p.length - last).join('.')) };
}

/** Plots from words as `jounce report` takes them: names, patterns with *, X:Y. */
export function namedPlots(words, channels) {
  const names = [...channels.keys()];
  const fits = (pattern) => {
    const re = new RegExp('^' + pattern.split('*').map((s) => s.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*') + '$');
    return names.filter((n) => re.test(n));
  };
  return words.map((word) => {
    const [x, y] = word.split(':');
    return y ? { xy: [fits(x)[0], fits(y)[0]] } : { channels: fits(word).slice(0, 8) };
  });
}

export class Plots {
  /** onTime(t) when the user points at a time. */
  constructor(host, source, theme, onTime) {
    Object.assign(this, { host, source, theme, onTime, cards: [], time: source.from });
    this.list = el('datalist', { id: 'channels' });
    for (const name of source.channels.keys()) this.list.append(el('option', { value: name }));
    this.row = el('div', { class: 'plots-row' });
    host.append(this.list, this.row);
    this.addButton = el('button', { class: 'add', title: 'Add a plot', onclick: () => this.add({ channels: [] }, true) }, '+ plot');
    this.row.append(this.addButton);
  }

  add(spec, ask) {
    const card = new PlotCard(this, { log: false, ...spec });
    this.cards.push(card);
    this.row.insertBefore(card.node, this.addButton);
    if (ask) card.input.focus();
    else card.load();
    return card;
  }

  remove(card) {
    card.destroy();
    this.cards = this.cards.filter((c) => c !== card);
  }

  setTime(time) {
    this.time = time;
    for (const card of this.cards) card.setTime(time);
  }

  setTheme(theme) {
    this.theme = theme;
    for (const card of this.cards) card.draw();
  }

  /** Data anew, for a run that goes on. */
  async reload() {
    await Promise.all(this.cards.map((card) => card.load()));
  }

  /** The same part of the time in all plots. */
  zoom(from, to, origin) {
    for (const card of this.cards) if (card !== origin) card.zoomTo(from, to);
  }
}

class PlotCard {
  constructor(plots, spec) {
    Object.assign(this, { plots, spec });
    this.title = el('div', { class: 'chips' });
    this.input = el('input', { list: 'channels', placeholder: '+', title: 'Add a channel, or write x : y for a portrait', 'aria-label': 'add a channel' });
    this.input.addEventListener('change', () => this.addChannel(this.input.value.trim()));
    this.logButton = el('button', { title: 'Logarithmic scale', onclick: () => this.setLog(!this.spec.log), 'aria-pressed': 'false' }, 'log');
    const close = el('button', { title: 'Close the plot', 'aria-label': 'close', onclick: () => plots.remove(this) }, '×');
    this.body = el('div', { class: 'plot-body' });
    this.cursor = el('div', { class: 'now' });
    this.node = el('section', { class: 'plot' }, el('header', {}, this.title, this.input, this.logButton, close), this.body);
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.body);
  }

  addChannel(text) {
    const known = (name) => this.plots.source.channels.has(name);
    const [x, y] = text.split(':').map((s) => s.trim());
    if (y && known(x) && known(y)) this.spec = { ...this.spec, xy: [x, y], channels: undefined };
    else if (known(text) && this.spec.xy) this.spec = { ...this.spec, xy: [this.spec.xy[0], text] };
    else if (known(text) && !this.spec.channels.includes(text)) this.spec.channels.push(text);
    else return this.input.setCustomValidity?.('no such channel');
    this.input.value = '';
    this.load();
  }

  setLog(log) {
    this.spec.log = log;
    this.logButton.setAttribute('aria-pressed', log);
    this.draw();
  }

  get names() {
    return this.spec.xy ?? this.spec.channels;
  }

  async load() {
    if (!this.names.length) return;
    const points = Math.max(200, Math.min(1500, this.body.clientWidth || 600));
    this.data = await this.plots.source.series(this.names, { n: this.spec.xy ? 4000 : points, even: !!this.spec.xy });
    this.whole = this.data;
    this.draw();
  }

  draw() {
    if (!this.data) return;
    this.clear();
    const theme = this.plots.theme;
    const brief = briefNames(this.names);
    this.title.replaceChildren(
      ...(brief.common && !this.spec.xy ? [el('span', { class: 'chip common' }, brief.common)] : []),
      ...(this.spec.xy
        ? [el('span', { class: 'chip' }, `${this.spec.xy[1]} over ${this.spec.xy[0]}`)]
        : this.names.map((name, i) => {
            const dot = el('i', {});
            dot.style.background = curveColour(theme, i);
            return el('button', { class: 'chip', title: `${name}: take it out`, onclick: () => this.removeChannel(name) }, dot, brief.own[i]);
          })),
    );
    this.logButton.hidden = !!this.spec.xy;
    if (this.spec.xy) {
      this.portrait = new Portrait(this.body, this.data, this.names.map((n) => ({ name: n, unit: this.plots.source.channels.get(n) })), theme, (t) => this.plots.onTime(t), this.clearanceCircle());
      this.portrait.setTime(this.plots.time);
    } else {
      this.makeChart(theme);
    }
  }

  /** The orbit of a journal goes with the circle of its clearance. */
  clearanceCircle() {
    const [x, y] = this.names.map((n) => /^joint\.(.*)\.(e[xyz])$/.exec(n));
    if (!x || !y || x[1] !== y[1] || x[2] === y[2]) return 0;
    const index = this.plots.source.scene.joints.findIndex((j) => j.name === x[1]);
    const parts = this.plots.source.scene.shapes.filter((s) => s.joint === index);
    if (!['arc', 'bore', 'socket'].includes(parts[0]?.type) || (parts[0].type === 'bore' && (x[2] === 'ez' || y[2] === 'ez'))) return 0;
    return parts[0].size[0] - (parts[1].size[0] || parts[1].radius);
  }

  removeChannel(name) {
    this.spec.channels = this.spec.channels.filter((n) => n !== name);
    if (this.spec.channels.length) this.load();
    else this.plots.remove(this);
  }

  makeChart(theme) {
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue('--quiet').trim();
    const line = style.getPropertyValue('--line').trim();
    const units = new Set(this.names.map((n) => this.plots.source.channels.get(n)));
    const unit = units.size === 1 ? [...units][0] : '1';
    const values = this.data.values.map((v) => (this.spec.log ? v.map((y) => (y === null || y === 0 ? null : Math.abs(y))) : v));
    let most = 0;
    for (const v of values) for (const y of v) if (y !== null && Math.abs(y) > most) most = Math.abs(y);
    const y = this.spec.log ? { factor: 1, unit: unit === '1' ? '' : unit } : axisPrefix(unit, most);
    const x = axisPrefix('s', this.plots.source.to);
    const axis = (a, label) => ({
      stroke: ink,
      font: '11px system-ui, sans-serif',
      labelFont: '11px system-ui, sans-serif',
      labelSize: 16,
      grid: { stroke: line, width: 1 },
      ticks: { stroke: line, width: 1, size: 4 },
      label,
      values: (u, ticks) => ticks.map((t) => (t === null ? '' : number(Number((t * a.factor).toPrecision(8)), 6))),
    });
    const time = axis(x); // its unit stands at the first tick
    const times = (u, ticks) => time.values(u, ticks).map((text, i) => (i === 0 && text ? `${text} ${x.unit}` : text));
    const options = {
      width: Math.max(120, this.body.clientWidth),
      height: Math.max(80, this.body.clientHeight),
      legend: { show: false },
      cursor: { sync: { key: 'jounce' }, drag: { x: true, y: false }, points: { size: 6 } },
      scales: { x: { time: false }, y: { distr: this.spec.log ? 3 : 1 } },
      axes: [
        { ...time, values: times, size: 24 },
        { ...axis(y, y.unit ? `[${y.unit}]` : undefined), size: 54 },
      ],
      series: [{}, ...this.names.map((name, i) => ({ label: name, stroke: curveColour(theme, i), width: 1.5, points: { show: false } }))],
      hooks: { setScale: [(u, key) => key === 'x' && this.zoomed(u)], ready: [(u) => this.listen(u)], draw: [() => this.setTime(this.plots.time)] },
    };
    this.chart = new uPlot(options, [this.data.time, ...values], this.body);
    this.chart.over.append(this.cursor);
    this.setTime(this.plots.time);
  }

  listen(u) {
    let at = null;
    u.over.addEventListener('mousedown', (e) => (at = e.clientX));
    u.over.addEventListener('mouseup', (e) => {
      if (at !== null && Math.abs(e.clientX - at) < 4) this.plots.onTime(u.posToVal(e.clientX - u.over.getBoundingClientRect().left, 'x'));
    });
    u.over.addEventListener('dblclick', () => {
      this.zoomTo(null);
      this.plots.zoom(null, null, this);
    });
  }

  /** After a zoom: finer data for that part, here and in the other plots. */
  zoomed(u) {
    const { min, max } = u.scales.x;
    const whole = this.whole.time;
    if (this.zooming || min === undefined || (min <= whole[0] && max >= whole[whole.length - 1])) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.zoomTo(min, max);
      this.plots.zoom(min, max, this);
    }, 150);
  }

  async zoomTo(from, to) {
    if (!this.chart) return;
    const data = from === null ? this.whole : await this.plots.source.series(this.names, { from, to, n: Math.max(200, this.body.clientWidth) });
    if (!this.chart) return;
    this.zooming = true;
    this.chart.setData([data.time, ...data.values.map((v) => (this.spec.log ? v.map((y) => (y ? Math.abs(y) : null)) : v))], from === null);
    if (from !== null) this.chart.setScale('x', { min: from, max: to });
    setTimeout(() => (this.zooming = false), 50);
  }

  setTime(time) {
    this.portrait?.setTime(time);
    if (!this.chart) return;
    const { min, max } = this.chart.scales.x;
    this.cursor.style.display = time >= min && time <= max ? '' : 'none';
    this.cursor.style.transform = `translateX(${this.chart.valToPos(time, 'x')}px)`;
  }

  resize() {
    this.chart?.setSize({ width: Math.max(120, this.body.clientWidth), height: Math.max(80, this.body.clientHeight) });
    this.portrait?.resize();
    this.setTime(this.plots.time);
  }

  clear() {
    this.chart?.destroy();
    this.portrait?.destroy();
    this.chart = this.portrait = null;
    this.body.replaceChildren();
  }

  destroy() {
    this.observer.disconnect();
    this.clear();
    this.node.remove();
  }
}
