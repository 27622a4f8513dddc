// Where the result comes from: this page's server, or the report that the page is part of.

async function get(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`${path}: ${(await answer.text()).trim()}`);
  return answer;
}
const getJson = async (path) => (await get(path)).json();

/** A result folder behind the server of `jounce view` and `jounce watch`. */
export class ServerSource {
  /** run: number of a run of a study, whose folder the server then shows. */
  constructor(run = null) {
    this.run = run;
  }

  /** Address with the run in it. */
  path(name) {
    return this.run === null ? name : `${name}${name.includes('?') ? '&' : '?'}run=${this.run}`;
  }

  async open() {
    this.state = await getJson(this.path('api/state'));
    if (this.state.waiting) return false;
    const [scene, summary, channels, events, motion] = await Promise.all([
      getJson(this.path('api/scene')),
      getJson(this.path('api/summary')),
      getJson(this.path('api/channels')),
      getJson(this.path('api/events')),
      get(this.path('api/motion')).then((a) => a.arrayBuffer()).catch(() => null),
    ]);
    Object.assign(this, { scene, summary, events, motion });
    this.channels = new Map(channels.names.map((name, i) => [name, channels.units[i]]));
    this.from = this.state.from;
    this.to = this.state.to;
    this.plots = [];
    this.files = true;
    return true;
  }

  /** New state of the folder: { changed, ... }. */
  async poll() {
    const state = await getJson(this.path('api/state'));
    const changed = state.stamp !== this.state.stamp;
    return { ...state, changed };
  }

  series(names, { from = this.from, to = this.to, n = 1000, even = false } = {}) {
    const query = new URLSearchParams({ from, to, n });
    for (const name of names) query.append('c', name);
    if (even) query.append('pick', 'even');
    return getJson(this.path(`api/series?${query}`));
  }

  async at(time, names) {
    const out = [];
    for (let i = 0; i < names.length; i += 60) {
      const query = new URLSearchParams({ t: time });
      for (const name of names.slice(i, i + 60)) query.append('c', name);
      out.push(...(await getJson(this.path(`api/at?${query}`))).values);
    }
    return out;
  }
}

/** Data that lie in the page itself. */
export class ReportSource {
  constructor(text) {
    const data = JSON.parse(text);
    this.scene = data.scene;
    this.summary = data.summary;
    this.events = data.events ?? { total: 0, events: [] };
    this.plots = data.plots;
    this.time = data.series.time;
    this.values = data.series.channels;
    this.pairs = data.pairs; // whole rows: values of one time stand together
    this.channels = new Map(Object.entries(this.values).map(([name, c]) => [name, c.unit]));
    this.from = this.time[0] ?? 0;
    this.to = this.time[this.time.length - 1] ?? 0;
    this.state = { follow: false, running: false };
    const bytes = atob(data.motion);
    const motion = new Uint8Array(bytes.length);
    for (let i = 0; i < bytes.length; i++) motion[i] = bytes.charCodeAt(i);
    this.motion = motion.length ? motion.buffer : null;
    this.files = false;
  }

  async open() {
    return true;
  }

  /** even: whole rows, for one channel over another; else smallest and largest values of buckets. */
  async series(names, { from = this.from, to = this.to, even = false } = {}) {
    const { time, channels } = even ? this.pairs : { time: this.time, channels: this.values };
    const first = Math.max(0, time.findIndex((t) => t >= from) - 1);
    let last = time.length;
    while (last > first && time[last - 1] > to) last--;
    last = Math.min(time.length, last + 1);
    return {
      time: time.slice(first, last),
      values: names.map((name) => channels[name].values.slice(first, last)),
    };
  }

  /** Values at a time, linear between whole rows. */
  async at(time, names) {
    const t = this.pairs.time;
    let i = 0;
    let high = t.length - 1;
    while (i < high) {
      const middle = (i + high + 1) >> 1;
      if (t[middle] <= time) i = middle;
      else high = middle - 1;
    }
    const j = Math.min(i + 1, t.length - 1);
    const span = t[j] - t[i];
    const x = span > 0 ? (time - t[i]) / span : 0;
    return names.map((name) => {
      const v = this.pairs.channels[name].values;
      return x === 0 || v[j] === null ? v[i] : v[i] + x * (v[j] - v[i]);
    });
  }
}
