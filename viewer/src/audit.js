// The audit of a run in words, with a light: good, look, bad.
import { el, number, plural, quantity } from './format.js';

const worst = (lights) => (lights.includes('bad') ? 'bad' : lights.includes('look') ? 'look' : 'good');

/** A value against its limit. The run's own verdict counts: a good one lets round-off pass. */
function against(value, limit, ok) {
  if (!(limit > 0) || value === null) return 'good';
  return value > limit ? (ok ? 'good' : 'bad') : value > 0.6 * limit ? 'look' : 'good';
}

/** Rows { light, what, text } of a summary. */
export function auditRows(summary) {
  const a = summary.audit;
  const rows = [];
  const timed = ['dynamic', 'kinematic', 'inverse'].includes(summary.analysis);
  if (summary.status !== 'finished') rows.push({ light: summary.status === 'stopped' ? 'look' : 'bad', what: 'End', text: summary.error ?? `the run ${summary.status} at ${quantity(summary.time, 's')}` });
  if (timed) {
    rows.push({
      light: against(a.energy_residual_relative, a.energy_tolerance, a.ok),
      what: 'Energy',
      text:
        a.ok && a.energy_residual_relative > a.energy_tolerance
          ? `${quantity(a.energy_residual, 'J', 3)} unexplained at most, which is round-off`
          : `${quantity(a.energy_residual, 'J', 3)} unexplained at most: ${number(a.energy_residual_relative, 2)} of the energy in motion (limit ${number(a.energy_tolerance, 2)})`,
    });
  }
  if (timed && a.momentum_scale > 0)
    rows.push({
      light: worst([against(a.momentum_residual_relative, a.momentum_tolerance, a.ok), against(a.angular_momentum_residual_relative, a.angular_momentum_tolerance, a.ok)]),
      what: 'Momentum',
      text: `${quantity(a.momentum_residual, 'kg m/s', 3)} unexplained at most, ${number(a.momentum_residual_relative, 2)} of its size; angular ${number(a.angular_momentum_residual_relative, 2)} (limits ${number(a.momentum_tolerance, 2)}, ${number(a.angular_momentum_tolerance, 2)})`,
    });
  if (a.energy?.numerical_size > 0)
    rows.push({ light: 'good', what: 'Numerical', text: `the scheme changed the energy by ${quantity(a.energy.numerical_size, 'J', 3)} in all beside its equations (projections, gaps and anchors that are met again, rest, lost contact points)` });
  if (a.max_position_violation > 0 || a.max_velocity_violation > 0)
    rows.push({ light: against(a.max_position_violation, a.violation_tolerance, a.ok), what: 'Constraints', text: `met to ${number(a.max_position_violation, 2)} m or rad (limit ${number(a.violation_tolerance, 2)})` });
  if (summary.method !== 'smooth') {
    rows.push({
      light: against(a.max_penetration, a.penetration_tolerance, a.ok),
      what: 'Contact',
      text: `bodies overlap by ${quantity(a.max_penetration, 'm', 3)} at most${a.penetration_tolerance > 0 ? ` (limit ${quantity(a.penetration_tolerance, 'm', 2)})` : ''}`,
    });
    if (a.half_thickness > 0) rows.push({ light: against(a.max_relative_penetration, 1, a.ok), what: 'Depth', text: `${number(a.max_relative_penetration, 3)} of half the thickness of a shape at most (${quantity(a.half_thickness, 'm', 3)}, contact ${a.half_thickness_at})` });
    if (a.contacts_lost > 0) rows.push({ light: 'bad', what: 'Lost', text: `${plural(a.contacts_lost, 'contact')} ended or began up to ${quantity(a.lost_depth, 'm', 3)} deep, last ${a.lost_at}` });
    if (a.max_compliance > 0) rows.push({ light: 'good', what: 'Compliance', text: `contacts in piles give way to their load by ${quantity(a.max_compliance, 'm', 3)} at most` });
    if (a.max_stop_overlap > 0) rows.push({ light: 'good', what: 'Stops', text: `rigid stops of joints and tendons are passed by ${number(a.max_stop_overlap, 3)} m or rad at most` });
    if (a.unsolved > 0) rows.push({ light: a.ok ? 'look' : 'bad', what: 'Solver', text: `${plural(a.unsolved, 'contact problem')} did not reach the residual asked for` });
    if (a.impacts_bounded > 0) rows.push({ light: 'good', what: 'Restitution', text: `${plural(a.impacts_bounded, 'impact')} with less than Newton's law says, which with friction would gain energy` });
    if (a.contact_gain > 0) rows.push({ light: 'bad', what: 'Impacts', text: `${quantity(a.contact_gain, 'J', 3)} gained by Newton's restitution with friction` });
  }
  if (a.creep_at) rows.push({ light: 'look', what: 'Creep', text: `${a.creep_at} went ${number(a.max_creep, 3)} m or rad in ${quantity(a.creep_time, 's', 3)} though its dry friction, which is regularised, holds it` });
  if (summary.note) rows.push({ light: 'look', what: 'Note', text: summary.note });
  return rows;
}

/** { met, of } of the expect rows of the model; null where it has none. They are about the model, the audit about the run. */
export function expectations(summary) {
  return summary?.expect?.length ? { met: summary.expect.filter((e) => e.ok).length, of: summary.expect.length } : null;
}

export function auditLight(summary) {
  if (!summary) return 'look';
  if (summary.status === 'stopped') return 'look';
  if (summary.status !== 'finished' || !summary.audit.ok) return 'bad';
  return worst(auditRows(summary).filter((r) => r.what !== 'Note').map((r) => r.light));
}

const WORDS = { good: 'Can be trusted', look: 'Look closer', bad: 'Do not trust' };

export function auditCard(summary) {
  if (!summary) return el('section', { class: 'card audit' }, el('h2', {}, 'Audit'), el('p', { class: 'quiet' }, 'The run is not finished.'));
  const light = auditLight(summary);
  return el(
    'section',
    { class: 'card audit', 'data-light': light },
    el('h2', {}, el('span', { class: `light ${light}` }), WORDS[light]),
    el('p', {}, summary.audit.verdict),
    el('details', { open: light !== 'good' || document.body.dataset.mode === 'report' }, el('summary', {}, 'in numbers'), el('ul', {}, auditRows(summary).map((r) => el('li', {}, el('span', { class: `light ${r.light}` }), el('b', {}, r.what), ' ', r.text)))),
    expectLine(summary),
  );
}

function expectLine(summary) {
  const e = expectations(summary);
  if (!e) return null;
  const missed = summary.expect.filter((x) => !x.ok).map((x) => x.channel ?? 'event');
  return el('p', { class: 'expected' }, el('span', { class: `light ${e.met === e.of ? 'good' : 'bad'}` }), ` ${e.met} of ${e.of} expectations of the model met`, missed.length ? `; not ${[...new Set(missed)].slice(0, 3).join(', ')}` : '');
}

/** What was run, in a small table. */
export function modelCard(scene, summary) {
  const count = (n, one, many) => plural(n, one, many);
  const rows = [];
  const add = (key, value) => value && rows.push(el('tr', {}, el('th', {}, key), el('td', {}, value)));
  add('Model', [count(scene.bodies.length - 1, 'body', 'bodies'), count(scene.joints.length, 'joint'), scene.springs.length ? count(scene.springs.length, 'spring') : null, scene.planar ? 'planar' : 'spatial'].filter(Boolean).join(', '));
  if (summary) {
    add('Method', [summary.analysis, summary.method === 'smooth' ? null : summary.method, summary.scheme ?? summary.integrator, `${summary.coordinates} coordinates`].filter(Boolean).join(', '));
    add('Run', `${quantity(summary.time, 's')} in ${count(summary.steps, 'step')}, ${count(summary.events, 'event')}, ${quantity(summary.wall_time, 's', 3)} of wall time`);
    const e = summary.audit.energy;
    if (e) add('Energy at the end', `kinetic ${quantity(e.kinetic, 'J', 4)}, potential ${quantity(e.potential, 'J', 4)}, elastic ${quantity(e.elastic, 'J', 4)}; dissipated ${quantity(e.dissipated, 'J', 4)}, driven ${quantity(e.driven, 'J', 4)}`);
    add('File', summary.model);
    add('Version', `Jounce ${summary.version}, model ${summary.model_hash}`);
  }
  return el('section', { class: 'card model' }, el('h2', {}, 'Model'), el('table', {}, rows));
}

/** The expect rows, as a table. */
export function expectCard(summary) {
  if (!summary?.expect?.length) return null;
  const limit = (e) => (e.value !== undefined ? `${number(e.value, 6)} ± ${number(e.within, 2)}` : [e.above !== undefined ? `> ${number(e.above, 4)}` : null, e.below !== undefined ? `< ${number(e.below, 4)}` : null].filter(Boolean).join(', '));
  const when = (e) => (e.event ? `${e.nth}. ${e.event}` : e.time !== undefined ? `t = ${quantity(e.time, 's')}` : e.at);
  return el(
    'section',
    { class: 'card expect' },
    el('h2', {}, 'Expectations of the model'),
    el('div', { class: 'scroll' }, el('table', {}, el('tr', {}, ['', 'what', 'when', 'expected', 'found', 'source'].map((h) => el('th', {}, h))), summary.expect.map((e) => el('tr', {}, el('td', {}, el('span', { class: `light ${e.ok ? 'good' : 'bad'}` })), el('td', {}, e.channel ?? 'event'), el('td', {}, when(e)), el('td', {}, limit(e)), el('td', {}, number(e.found, 6)), el('td', { class: 'quiet' }, e.source ?? ''))))),
  );
}

function tableCard(kind, title, heads, rows, note) {
  return el('section', { class: `card expect ${kind}` }, el('h2', {}, title), el('div', { class: 'scroll' }, el('table', {}, el('tr', {}, heads.map((h) => el('th', {}, h))), rows.map((r) => el('tr', {}, r.map((x) => el('td', {}, x)))))), note ? el('p', { class: 'quiet' }, note) : null);
}

/** Natural frequencies and damping ratios; null where none were sought. */
export function modesCard(summary) {
  if (!summary?.modes?.length) return null;
  return tableCard('modes', 'Modes', ['', 'frequency', 'damping'], summary.modes.map((m, i) => [String(i + 1), `${number(m.frequency, 6)} Hz`, number(m.damping, 4)]));
}

const MOST_IMPACTS = 12;

/** Impacts with their impulses, the hardest ones in order of time; null where there are none. */
export function impactsCard({ events, total }) {
  const impacts = events.filter(([, kind, , , , pn]) => kind === 'impact' && Number.isFinite(pn));
  if (!impacts.length) return null;
  const hardest = [...impacts].sort((a, b) => Math.abs(b[5]) - Math.abs(a[5])).slice(0, MOST_IMPACTS).sort((a, b) => a[0] - b[0]);
  const rows = hardest.map(([t, , where, before, after, pn, pt]) => [quantity(t, 's'), where, `${number(before, 4)} → ${number(after, 4)} m/s`, quantity(pn, 'N s', 4), quantity(pt, 'N s', 4)]);
  return tableCard('impacts', 'Impacts', ['time', 'contact', 'normal speed', 'normal impulse', 'friction'], rows, impacts.length > rows.length ? `The ${rows.length} hardest of ${impacts.length}${total > events.length ? ' that the page holds' : ''}.` : null);
}
