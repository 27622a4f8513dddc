// The page of a study: its diagrams. A click on a point runs what it stands for, or opens the run that was kept, and plays it back.
import { Diagram } from './diagram.js';
import { el, plural, quantity } from './format.js';
import { keepTheme } from './theme.js';

const getJson = async (path) => {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error((await answer.text()).trim());
  return answer.json();
};

/** Number of the run that the address asks for; null: none. */
export const runAsked = () => /^#run=(\d+)$/.exec(location.hash)?.[1] ?? null;

export class StudyPage {
  constructor(host, theme) {
    Object.assign(this, { host, theme });
  }

  async start() {
    this.study = await getJson('api/study');
    const { study } = this;
    document.title = `${study.title} – Jounce`;
    this.note = el('p', { class: 'quiet', id: 'study-note' }, this.hint());
    this.diagrams = study.plots.map((plot) => new Diagram(plot, this.theme, (row) => this.open(row)));
    this.host.replaceChildren(
      el('header', { class: 'top' }, el('span', { class: 'mark' }, 'jounce'), el('h1', { title: study.title }, study.title), el('nav', {}, el('button', { title: 'Light or dark', 'aria-label': 'light or dark', onclick: () => this.setTheme() }, '◐'))),
      el('div', { class: 'study' }, this.note, el('div', { class: 'diagrams' }, this.diagrams.map((d) => d.card))),
    );
    this.draw();
    window.addEventListener('resize', () => this.draw());
    document.body.dataset.ready = 'true';
  }

  hint() {
    const { rows, open, bad, failed, model, plots } = this.study;
    const counts = [open && `${open} not done yet`, bad && `${bad} with a bad audit`, failed && `${failed} failed`].filter(Boolean).join(', ');
    return `${plural(rows, 'run')} of ${model}${counts ? ` (${counts})` : ''}. ${plots.length ? 'Click on a point to play its run.' : 'None of its figures has points: see report.html.'}`;
  }

  draw() {
    for (const d of this.diagrams) d.draw();
  }

  setTheme() {
    this.theme = this.theme === 'dark' ? 'light' : 'dark';
    keepTheme(this.theme);
    for (const d of this.diagrams) d.theme = this.theme;
    this.draw();
  }

  async open(row) {
    if (this.busy) return;
    this.busy = true;
    this.host.classList.add('busy');
    try {
      const info = await getJson(`api/row?row=${row}`);
      const values = info.columns.slice(0, info.parameters).map((c) => `${c.name} = ${c.word ?? quantity(c.value, c.unit)}`);
      this.note.textContent = `Run ${row} (${values.join(', ')}) is under way …`;
      await getJson(`api/open?row=${row}`);
      location.hash = `run=${row}`; // the page starts anew there
    } catch (error) {
      this.note.textContent = `Run ${row} cannot be shown: ${error.message}`;
    }
    this.busy = false;
    this.host.classList.remove('busy');
  }
}

/** What a run of a study says of itself, over its picture: its number and parameters, and the way back. */
export async function runBanner(row) {
  const info = await getJson(`api/row?row=${row}`);
  const values = info.columns.map((c, i) => el('span', { class: i < info.parameters ? 'parameter' : 'quiet' }, `${c.name} ${c.word ?? quantity(c.value, c.unit)}`));
  return el('div', { class: 'run-of-study', id: 'run-of-study' }, el('a', { href: '#', id: 'to-study' }, '← study'), el('strong', {}, `run ${row}`), values);
}

/** Makes sure that the results of a run are there: an address with a run may be opened later. */
export const openRun = (row) => getJson(`api/open?row=${row}`);
