// Transport: play, step, speed, loop, and the scrub bar with marks of events.
import { el, number, quantity, seconds } from './format.js';

const SPEEDS = [0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000];
const RANKS = ['--red', '--amber', '--quiet'];
const NEAR = 5; // [px] of a mark: its tip is shown
const COLOURS = { impact: '--red', jam: '--red', stick: '--amber', slip: '--amber', contact: '--quiet', separation: '--quiet', warning: '--amber' };
const icon = (d) => {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', d);
  svg.append(path);
  return svg;
};
const ICONS = {
  play: 'M7 4.5v15l12-7.5z',
  pause: 'M7 5h3.5v14H7zM13.5 5H17v14h-3.5z',
  back: 'M15 5.5v13L6.5 12zM17 5.5h2v13h-2z',
  forward: 'M9 5.5v13l8.5-6.5zM5 5.5h2v13H5z',
  start: 'M18 5.5v13L9.5 12zM5.5 5.5h2.5v13H5.5z',
  loop: 'M17 3l4 4-4 4V8H8a3 3 0 0 0-3 3v1H3v-1a5 5 0 0 1 5-5h9zM7 21l-4-4 4-4v3h9a3 3 0 0 0 3-3v-1h2v1a5 5 0 0 1-5 5H7z',
};

/** The speed at which the whole run lasts about eight seconds, or its own if that is bearable. */
function usualSpeed(duration) {
  if (duration >= 2 && duration <= 20) return 1;
  return SPEEDS.reduce((best, s) => (Math.abs(Math.log(duration / s / 8)) < Math.abs(Math.log(duration / best / 8)) ? s : best), 1);
}

export class Timeline {
  /** onTime(time, playing) is called whenever the time changes. */
  constructor(host, motion, events, onTime) {
    Object.assign(this, { motion, events, onTime, playing: false, loop: true });
    this.time = motion.from;
    this.speed = usualSpeed(motion.to - motion.from);
    this.build(host);
    this.setTime(this.time);
  }

  build(host) {
    const button = (name, title, action) => {
      const b = el('button', { class: 'icon', title, 'aria-label': title, onclick: action });
      b.append(icon(ICONS[name]));
      return b;
    };
    this.playButton = button('play', 'Play (space)', () => this.toggle());
    this.playButton.classList.add('play');
    this.loopButton = button('loop', 'Loop (L)', () => this.setLoop(!this.loop));
    this.bar = el('input', { type: 'range', min: 0, max: 1, step: 'any', value: 0, 'aria-label': 'time', id: 'scrub' });
    this.bar.addEventListener('input', () => {
      this.pause();
      this.live = Number(this.bar.value) === 1;
      this.setTime(this.motion.from + Number(this.bar.value) * (this.motion.to - this.motion.from));
    });
    this.marks = el('canvas', { class: 'marks', 'aria-hidden': true });
    this.label = el('output', { class: 'time', id: 'time' });
    this.speedBox = el('select', { title: 'Speed (+ and −)', 'aria-label': 'speed' });
    for (const s of SPEEDS) this.speedBox.append(el('option', { value: String(s) }, s >= 1 ? `${s}×` : `1/${Math.round(1 / s)}×`));
    this.speedBox.value = String(this.speed);
    this.speedBox.addEventListener('change', () => (this.speed = Number(this.speedBox.value)));
    this.legend = el('div', { class: 'legend', 'aria-hidden': true });
    this.tip = el('div', { class: 'tip', hidden: true });
    this.scrub = el('div', { class: 'scrub' }, this.marks, this.bar, this.legend, this.tip);
    this.scrub.addEventListener('pointermove', (e) => this.showTip(e));
    this.scrub.addEventListener('pointerleave', () => (this.tip.hidden = true));
    host.append(
      el('div', { class: 'buttons' }, button('start', 'To the start (Home)', () => this.jump(this.motion.from)), button('back', 'One frame back (←)', () => this.step(-1)), this.playButton, button('forward', 'One frame on (→)', () => this.step(1))),
      this.scrub,
      this.label,
      el('div', { class: 'buttons' }, this.speedBox, this.loopButton),
    );
    this.setLoop(true);
    new ResizeObserver(() => this.drawMarks()).observe(this.marks);
  }

  /** Stays at the last frame of a run that goes on, until the user goes elsewhere. */
  watch() {
    this.live = true;
    this.setTime(this.motion.to);
  }

  /** New frames of a run that goes on. */
  follow(motion, events) {
    Object.assign(this, { motion, events });
    this.drawMarks();
    this.setTime(this.live && !this.playing ? motion.to : Math.min(this.time, motion.to));
  }

  /** The events at the pointer. */
  showTip(e) {
    const r = this.marks.getBoundingClientRect();
    const span = this.motion.to - this.motion.from || 1;
    const near = this.events
      .map((event) => ({ event, d: Math.abs(r.left + ((event[0] - this.motion.from) / span) * r.width - e.clientX) }))
      .filter(({ d }) => d <= NEAR)
      .sort((a, b) => a.d - b.d);
    this.tip.hidden = near.length === 0;
    if (!near.length) return;
    const line = ([time, kind, where, , , pn]) => el('div', {}, `${kind} of ${where} at ${quantity(time, 's', 6)}${Number.isFinite(pn) && pn > 0 ? `, ${number(pn, 3)} N s` : ''}`);
    this.tip.replaceChildren(...near.slice(0, 4).map(({ event }) => line(event)), near.length > 4 ? el('div', {}, `and ${near.length - 4} more`) : '');
    const box = this.scrub.getBoundingClientRect();
    const left = Math.min(Math.max(0, e.clientX - box.left - 60), Math.max(0, box.width - this.tip.offsetWidth));
    this.tip.style.transform = `translate(${left}px, calc(-100% - 4px))`;
  }

  /** Which colours stand for what, of those that occur. */
  drawLegend() {
    const found = new Set(this.events.map(([, kind]) => COLOURS[kind] ?? '--quiet'));
    this.legend.replaceChildren(
      ...RANKS.filter((name) => found.has(name)).map((name) => {
        const kinds = [...new Set(this.events.map(([, kind]) => kind))].filter((kind) => (COLOURS[kind] ?? '--quiet') === name);
        const dot = el('i', {});
        dot.style.background = `var(${name})`;
        return el('span', {}, dot, kinds.join(', '));
      }),
    );
  }

  drawMarks() {
    this.drawLegend();
    const canvas = this.marks;
    const ratio = window.devicePixelRatio || 1;
    const w = (canvas.width = Math.max(1, canvas.clientWidth * ratio));
    const h = (canvas.height = Math.max(1, canvas.clientHeight * ratio));
    const context = canvas.getContext('2d');
    const style = getComputedStyle(document.documentElement);
    const span = this.motion.to - this.motion.from || 1;
    const rank = { '--quiet': 0, '--amber': 1, '--red': 2 };
    const sorted = [...this.events].sort((a, b) => rank[COLOURS[a[1]] ?? '--quiet'] - rank[COLOURS[b[1]] ?? '--quiet']);
    context.globalAlpha = sorted.length > 400 ? 0.45 : 0.85;
    for (const [time, kind] of sorted) {
      const name = COLOURS[kind] ?? '--quiet';
      const part = [0.35, 0.6, 1][rank[name]];
      context.fillStyle = style.getPropertyValue(name);
      context.fillRect(((time - this.motion.from) / span) * (w - ratio), h * (1 - part), Math.max(1, ratio), h * part);
    }
  }

  setLoop(loop) {
    this.loop = loop;
    this.loopButton.setAttribute('aria-pressed', loop);
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  play() {
    if (this.playing || this.motion.frames < 2) return;
    this.live = false;
    if (this.time >= this.motion.to) this.setTime(this.motion.from);
    this.playing = true;
    this.playButton.replaceChildren(icon(ICONS.pause));
    this.playButton.setAttribute('aria-label', 'Pause (space)');
    this.last = performance.now();
    const tick = (now) => {
      if (!this.playing) return;
      let t = this.time + ((now - this.last) / 1000) * this.speed;
      this.last = now;
      if (t >= this.motion.to) {
        t = this.loop ? this.motion.from : this.motion.to;
        if (!this.loop) this.pause();
      }
      this.setTime(t);
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.playButton.replaceChildren(icon(ICONS.play));
    this.playButton.setAttribute('aria-label', 'Play (space)');
    this.setTime(this.time);
  }

  jump(time) {
    this.pause();
    this.live = time >= this.motion.to;
    this.setTime(time);
  }

  step(frames) {
    this.pause();
    this.live = false;
    const i = Math.min(this.motion.frames - 1, Math.max(0, this.motion.index(this.time) + frames));
    this.setTime(this.motion.times[i] ?? 0);
  }

  faster(factor) {
    const i = SPEEDS.indexOf(this.speed) + (factor > 1 ? 1 : -1);
    this.speed = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, i))];
    this.speedBox.value = String(this.speed);
  }

  setTime(time) {
    this.time = Math.min(this.motion.to, Math.max(this.motion.from, time));
    const span = this.motion.to - this.motion.from;
    const part = span > 0 ? (this.time - this.motion.from) / span : 0;
    this.bar.value = String(part);
    this.bar.style.setProperty('--part', `${100 * part}%`);
    this.label.textContent = seconds(this.time, this.motion.to);
    this.label.dataset.seconds = String(this.time);
    this.onTime(this.time, this.playing);
  }
}
