// The page: puts the parts together, for `jounce view`, `jounce watch` and inside reports.
import 'uplot/dist/uPlot.min.css';
import './style.css';
import { auditCard, auditLight, expectations, expectCard, impactsCard, modelCard, modesCard } from './audit.js';
import { bounds } from './bodies.js';
import { el } from './format.js';
import { Motion } from './motion.js';
import { Panel } from './panel.js';
import { namedPlots, Plots, usualPlots } from './plots.js';
import { ReportSource, ServerSource } from './source.js';
import { Stage } from './stage.js';
import { openRun, runAsked, runBanner, StudyPage } from './study.js';
import { keepTheme, startTheme } from './theme.js';
import { Timeline } from './timeline.js';

const KEYS = [
  ['space', 'play, pause'],
  ['← →', 'one frame; with shift ten'],
  ['Home End', 'start, end'],
  ['+ −', 'faster, slower'],
  ['L', 'loop'],
  ['F', 'show everything'],
  ['1 2 3 4', 'from the front, the side, above, the corner'],
  ['C J R G', 'forces, joints, trails, grid'],
  ['V', 'go along with a model that travels or falls'],
  ['N', 'next part'],
  ['Esc', 'nothing selected'],
  ['T', 'light, dark'],
  ['?', 'this list'],
];

class App {
  constructor(host, source) {
    Object.assign(this, { host, source, theme: startTheme() });
    this.report = document.body.dataset.mode === 'report';
    keepTheme(this.theme);
  }

  async start() {
    if (this.source.run) await openRun(this.source.run);
    while (!(await this.source.open())) {
      if (this.source.state.study) return this.showStudy();
      this.say('Waiting for results', 'The page shows them as soon as a run writes into this folder.');
      await new Promise((r) => setTimeout(r, 1000));
    }
    if (!this.source.scene || !this.source.motion) {
      this.say('No picture in this folder', 'It was written without scene.json and motion.bin: run the model again.');
      return;
    }
    this.motion = new Motion(this.source.motion);
    this.build();
    if (this.source.state.follow || this.source.state.running) this.follow();
  }

  /** The folder is that of a study, and no run of it was asked for. */
  async showStudy() {
    this.study = new StudyPage(this.host, this.theme);
    await this.study.start();
  }

  say(title, text) {
    this.host.replaceChildren(el('div', { class: 'message' }, el('h1', {}, title), el('p', {}, text)));
  }

  build() {
    const { source, report } = this;
    const title = source.scene.title || 'Jounce';
    document.title = `${title} – Jounce`;
    this.pill = el('span', { class: 'pill' });
    this.expectPill = el('span', { class: 'pill', id: 'expectations' });
    this.help = this.helpBox();
    const header = el(
        'header',
        {class : 'top'},
        el('span', {class : 'mark'}, 'jounce'),
        el('h1', {title}, title),
        this.pill,
        this.expectPill,
        el('nav', {},
           source.files && source.state.csv ? el('a', {href : source.path('files/series.csv'), title : 'All channels as CSV'}, 'Download CSV') : null,
           el('button', {title : 'Light or dark (T)', 'aria-label' : 'light or dark', onclick : () => this.setTheme()},
              '◐'),
           el('button', {title : 'Keys (?)', 'aria-label' : 'keys', onclick : () => this.help.showModal()}, '?')),
    );
    const stageHost = el('div', { class: 'stage' });
    const bar = el('div', { class: 'transport' });
    const side = el('aside', { class: 'side' });
    const plotsHost = el('div', { class: 'plots' });
    this.cards = el('div', { class: 'cards' });
    const scene = el('div', { class: 'scene' }, stageHost, bar);
    if (report) this.host.replaceChildren(header, this.cards, el('main', {}, scene, side), plotsHost, this.help);
    else this.host.replaceChildren(header, el('main', {}, el('div', { class: 'left' }, scene, plotsHost), side), this.help);
    if (report) this.host.append(...this.tables(), expectCard(source.summary) ?? '');
    this.stage = new Stage(stageHost, source.scene, this.motion, this.theme);
    this.panel = new Panel(side, source, this.stage, { select: (kind, name) => this.select(kind, name), plot: (name) => this.plotChannel(name) });
    if (!report) side.append(this.cards);
    this.plots = new Plots(plotsHost, source, this.theme, (t) => this.timeline.jump(t));
    this.timeline = new Timeline(bar, this.motion, source.events.events, (time, playing) => this.setTime(time, playing));
    this.showAudit();
    if (this.timeline && source.state.running) this.timeline.watch();
    if (source.channels.size && source.to > source.from) for (const spec of source.plots.length ? namedPlots(source.plots, source.channels) : usualPlots(source.scene, source.channels, source.summary?.method)) this.plots.add(spec);
    else plotsHost.hidden = true;
    this.listen(stageHost);
    if (source.run) runBanner(source.run).then((banner) => stageHost.append(banner));
    if (report) document.body.append(el('footer', {}, `Made by Jounce ${source.summary?.version ?? ''}. This page needs no network.`));
    document.body.dataset.ready = 'true';
  }

  showAudit() {
    const { source } = this;
    const light = source.state.running ? 'run' : auditLight(source.summary);
    this.pill.className = `pill ${light}`;
    this.pill.textContent = { good: 'audit good', look: 'look closer', bad: 'audit bad', run: 'running' }[light];
    const expected = expectations(source.summary);
    this.expectPill.hidden = !expected || light === 'run';
    if (expected) {
      this.expectPill.className = `pill ${expected.met === expected.of ? 'good' : 'bad'}`;
      this.expectPill.textContent = `${expected.met} of ${expected.of} expectations met`;
    }
    const audit = auditCard(source.summary);
    if (!this.report) this.panel.audit.replaceChildren(audit);
    this.cards.replaceChildren(...(this.report ? [audit] : []), modelCard(source.scene, source.summary), ...(this.report ? [] : this.tables()));
  }

  /** Modes and impacts, where there are some. */
  tables() {
    return [modesCard(this.source.summary), impactsCard(this.source.events)].filter(Boolean);
  }

  setTime(time, playing) {
    this.stage?.setTime(time);
    this.plots?.setTime(time);
    this.panel?.setTime(time, playing);
  }

  setTheme() {
    this.theme = this.theme === 'dark' ? 'light' : 'dark';
    keepTheme(this.theme);
    this.stage.setTheme(this.theme);
    this.plots.setTheme(this.theme);
    this.timeline.drawMarks();
  }

  select(kind, name) {
    const same = this.panel.selected?.kind === kind && this.panel.selected?.name === name;
    if (same) kind = name = null;
    this.stage.select(kind, name);
    this.panel.select(kind, name);
  }

  plotChannel(name) {
    const last = this.plots.cards.find((c) => c.spec.channels && this.source.channels.get(c.spec.channels[0]) === this.source.channels.get(name) && c.spec.channels.length < 4);
    if (last && !last.spec.channels.includes(name)) last.addChannel(name);
    else if (!last) this.plots.add({ channels: [name] });
  }

  helpBox() {
    const box = el('dialog', { class: 'help' }, el('h2', {}, 'Keys'), el('table', {}, KEYS.map(([k, what]) => el('tr', {}, el('th', {}, k), el('td', {}, what)))), el('p', { class: 'quiet' }, 'Drag to turn, with the right button to move, wheel to zoom. In plots, drag to zoom, double click for all, click for the time.'), el('button', { onclick: () => box.close() }, 'close'));
    return box;
  }

  listen(stageHost) {
    let down = null;
    stageHost.addEventListener('pointerdown', (e) => (down = [e.clientX, e.clientY]));
    stageHost.addEventListener('pointerup', (e) => {
      if (!down || Math.hypot(e.clientX - down[0], e.clientY - down[1]) > 4) return;
      const hit = this.stage.pick(e.clientX, e.clientY);
      this.select(hit?.kind ?? null, hit?.name ?? null);
    });
    const tip = stageHost.appendChild(el('div', { class: 'tip', hidden: true }));
    let asked = 0;
    stageHost.addEventListener('pointermove', (e) => {
      if (asked || e.pointerType === 'touch') return;
      asked = requestAnimationFrame(() => {
        asked = 0;
        const hit = e.buttons ? null : this.stage.pick(e.clientX, e.clientY);
        const r = stageHost.getBoundingClientRect();
        tip.hidden = !hit;
        if (!hit) return;
        tip.textContent = hit.name;
        tip.style.transform = `translate(${e.clientX - r.left + 12}px, ${e.clientY - r.top + 14}px)`;
      });
    });
    stageHost.addEventListener('pointerleave', () => (tip.hidden = true));
    window.addEventListener('keydown', (e) => this.key(e));
  }

  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName) && e.target.type !== 'range' && e.target.type !== 'checkbox') return;
    const t = this.timeline;
    const side = this.source.scene.planar ? { 1: [0, 0, 1], 2: [1, 0, 0.001], 3: [0, 1, 0.001], 4: [-0.5, 0.45, 1] } : { 1: [0, -1, 0], 2: [1, 0, 0], 3: [0, -0.001, 1], 4: [0.75, -1.3, 0.6] };
    const toggle = (name) => document.getElementById(`show-${name}`)?.click();
    const actions = {
      ' ': () => t.toggle(),
      ArrowLeft: () => t.step(e.shiftKey ? -10 : -1),
      ArrowRight: () => t.step(e.shiftKey ? 10 : 1),
      Home: () => t.jump(this.motion.from),
      End: () => t.jump(this.motion.to),
      '+': () => t.faster(2),
      '=': () => t.faster(2),
      '-': () => t.faster(0.5),
      l: () => t.setLoop(!t.loop),
      f: () => this.stage.fit(),
      c: () => toggle('contacts'),
      j: () => toggle('joints'),
      r: () => toggle('trails'),
      g: () => toggle('grid'),
      v: () => toggle('along'),
      n: () => this.next(),
      t: () => this.setTheme(),
      Escape: () => this.panel.selected && this.select(null, null),
      '?': () => this.help.showModal(),
    };
    const action = actions[e.key.length === 1 ? e.key.toLowerCase() : e.key] ?? (side[e.key] && (() => this.look(side[e.key])));
    if (!action) return;
    e.preventDefault();
    action();
  }

  look(direction) {
    if (this.source.scene.planar) {
      const box = document.getElementById('show-deep');
      const straight = direction[0] === 0 && direction[1] === 0;
      if (box.checked === straight) box.click();
    }
    this.stage.fit(this.source.scene.planar ? this.stage.controls.target.clone().set(...direction) : this.stage.direction(...direction));
  }

  next() {
    const parts = [...this.panel.parts.children];
    const i = parts.findIndex((p) => p.getAttribute('aria-pressed') === 'true');
    const part = parts[(i + 1) % parts.length];
    if (part) this.select(part.dataset.kind, part.dataset.name);
  }

  /** A run that goes on: looks at the folder every second, and takes what is new. */
  async follow() {
    for (;;) {
      await new Promise((r) => setTimeout(r, 1000));
      try {
        const state = await this.source.poll();
        if (!state.changed || state.waiting) continue;
        const next = new ServerSource(this.source.run);
        if (!(await next.open()) || !next.scene || !next.motion) continue;
        if (JSON.stringify(next.scene) !== JSON.stringify(this.source.scene)) return location.reload();
        Object.assign(this.source, next);
        this.motion = this.stage.motion = new Motion(next.motion);
        this.stage.box = bounds(next.scene, this.motion);
        this.stage.contacts.usual = this.motion.usualForce();
        for (const trail of [...this.stage.trails]) this.stage.removeTrail(trail);
        this.stage.makeTrails();
        this.timeline.follow(this.motion, next.events.events);
        await this.plots.reload();
        this.showAudit();
      } catch {
        this.pill.textContent = 'no answer';
      }
    }
  }
}

const data = document.getElementById('jounce-data');
const app = new App(document.getElementById('app'), data ? new ReportSource(data.textContent) : new ServerSource(runAsked()));
window.addEventListener('hashchange', () => location.reload());
app.start().catch((error) => {
  console.error(error);
  app.say('The result cannot be shown', String(error.message ?? error));
});
window.jounce = app; // for the console, and for tests
