// Beside the 3D view: what is shown, the parts of the model, and the live numbers of the one that is selected.
import { el, number } from './format.js';

const LABELS = {
  x: 'x', y: 'y', z: 'z', angle: 'angle', vx: 'velocity x', vy: 'velocity y', vz: 'velocity z', w: 'turning', wx: 'turning x', wy: 'turning y', wz: 'turning z',
  ax: 'acc. x', ay: 'acc. y', az: 'acc. z', al: 'angular acc.', q: 'coordinate', u: 'speed', a: 'acceleration',
  fx: 'force x', fy: 'force y', fz: 'force z', tx: 'torque x', ty: 'torque y', tz: 'torque z', drive: 'driver', actuator: 'actuator',
  eccentricity: 'eccentricity', penetration: 'penetration', force: 'contact force', mode: 'mode', tilt: 'tilt', gap: 'gap', fn: 'normal force', ft: 'friction',
};

export class Panel {
  constructor(host, source, stage, actions) {
    Object.assign(this, { source, stage, actions, selected: null });
    this.numbers = el('div', { class: 'numbers', 'aria-live': 'off' });
    this.audit = el('div', {}); // filled by the page
    host.append(this.viewCard(), this.audit, this.partsCard(), el('section', { class: 'card' }, el('h2', {}, 'Numbers'), this.numbers));
    this.showNothing();
  }

  viewCard() {
    const box = (name, label) => {
      const input = el('input', { type: 'checkbox', checked: this.stage.options[name], id: `show-${name}` });
      input.addEventListener('change', () => this.stage.setOption(name, input.checked));
      return el('label', {}, input, ' ', label);
    };
    const items = [box('contacts', 'forces'), box('joints', 'joints'), box('trails', 'trails'), box('grid', 'grid')];
    if (this.stage.travel) items.push(box('along', 'follow'));
    if (this.stage.scene.planar) {
      const input = el('input', { type: 'checkbox', id: 'show-deep' });
      input.addEventListener('change', () => this.stage.setDeep(input.checked));
      items.push(el('label', {}, input, ' view at an angle'));
    }
    const card = el('section', { class: 'card view' }, el('h2', {}, 'Show'), el('div', { class: 'checks' }, items));
    if (this.stage.clearance.any) card.append(this.clearanceSlider());
    return card;
  }

  clearanceSlider() {
    const most = this.stage.clearance.most;
    const text = el('output', {}, 'as it is');
    const input = el('input', { type: 'range', min: 0, max: 1, step: 0.01, value: 0, id: 'clearance', 'aria-label': 'draw the clearance larger' });
    input.addEventListener('input', () => {
      const k = Math.pow(most, Number(input.value));
      this.stage.clearance.setFactor(k);
      text.textContent = k < 1.02 ? 'as it is' : `× ${number(k, 2)}`;
      this.stage.setTime(this.stage.time);
    });
    return el('label', { class: 'slider' }, el('span', {}, 'clearance drawn ', text), input);
  }

  partsCard() {
    const item = (kind, name, detail) => el('button', { class: 'part', 'data-kind': kind, 'data-name': name, onclick: () => this.actions.select(kind, name) }, el('span', {}, name), el('small', {}, detail));
    const bodies = this.stage.scene.bodies.slice(1, 200).map((b) => item('body', b.name, `${number(b.mass, 3)} kg`));
    const joints = this.stage.scene.joints.slice(0, 200).map((j) => item('joint', j.name, j.type.replace('_', ' ')));
    this.parts = el('div', { class: 'parts' }, bodies, joints);
    return el('section', { class: 'card' }, el('h2', {}, 'Parts'), this.parts);
  }

  showNothing() {
    this.names = [];
    this.numbers.replaceChildren(el('p', { class: 'quiet' }, 'Select a body or a joint, here or in the picture, to see its numbers.'));
  }

  async select(kind, name) {
    this.selected = kind ? { kind, name } : null;
    for (const b of this.parts.children) b.setAttribute('aria-pressed', b.dataset.kind === kind && b.dataset.name === name);
    if (!kind) return this.showNothing();
    const prefixes = kind === 'joint' ? [`joint.${name}.`, `contact.${name}.`] : [`${kind}.${name}.`];
    const hidden = /\.l[ft][xyz]$|\.al[xyz]$/;
    this.names = [...this.source.channels.keys()].filter((n) => prefixes.some((p) => n.startsWith(p)) && !hidden.test(n));
    const known = Object.keys(LABELS);
    const order = (n) => (known.indexOf(n.split('.').pop()) + 1 || known.length + 1);
    this.names.sort((a, b) => order(a) - order(b));
    this.cells = this.names.map(() => el('td', { class: 'value' }));
    const rows = this.names.map((n, i) => {
      const suffix = n.split('.').pop();
      const unit = this.source.channels.get(n);
      const plot = el('button', { class: 'to-plot', title: `Plot ${n}`, 'aria-label': `plot ${n}`, onclick: () => this.actions.plot(n) }, '∿');
      return el('tr', { 'data-channel': n }, el('th', { title: n }, LABELS[suffix] ?? suffix), this.cells[i], el('td', { class: 'unit' }, unit === '1' ? '' : unit), el('td', {}, plot));
    });
    this.numbers.replaceChildren(
      el('h3', {}, name, el('small', {}, ` ${kind}`)),
      rows.length ? el('table', {}, rows) : el('p', { class: 'quiet' }, 'The run did not record channels of this part (record.channels).'),
    );
    this.series = null;
    if (this.names.length) {
      const wanted = this.names;
      const series = await this.source.series(wanted.slice(0, 60), { n: 2000, even: true });
      if (this.names === wanted) this.series = series;
      this.setTime(this.stage.time, false);
    }
  }

  /** While playing, from thinned series; at rest, the values of the result itself. */
  setTime(time, playing) {
    if (!this.names.length) return;
    if (!playing) return this.setExact(time);
    if (!this.series) return;
    const t = this.series.time;
    let i = 0;
    let high = t.length - 1;
    while (i < high) {
      const middle = (i + high + 1) >> 1;
      if (t[middle] <= time) i = middle;
      else high = middle - 1;
    }
    this.show(this.series.values.map((v) => v[i]));
  }

  async setExact(time) {
    if (this.asking) return (this.next = time);
    const wanted = this.names;
    this.asking = true;
    try {
      const values = await this.source.at(time, wanted);
      if (this.names === wanted) this.show(values);
    } finally {
      this.asking = false;
      const next = this.next;
      this.next = undefined;
      if (next !== undefined && next !== time) this.setExact(next);
    }
  }

  show(values) {
    values.forEach((v, i) => {
      if (!this.cells[i]) return;
      this.cells[i].textContent = number(v, 6);
      this.cells[i].dataset.value = String(v);
    });
  }
}
