// The page of a study: its diagrams, and the way from a point to its run and back.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPage, serve } from './browser.js';

const STUDY = (models) => `study: How the period depends on the length
model: ${models}/textbook/throw.yaml
vary: {angle: {from: 20 deg, to: 70 deg, count: 6}, speed: [6, 8]}
measure:
  range: {end: body.ball.x}
  path: {sample: [body.ball.x, body.ball.y], when: every 0.1 s}
plots:
  - {scatter: [angle, range], title: How far}
  - {bifurcation: [angle, path.2]}
  - {heat: [angle, speed, range]}
  - {histogram: range}
`;

/** Clicks on the point of a diagram that stands for a run. */
async function clickRow(page, diagram, row) {
  const [x, y] = await page.evaluate(([d, r]) => {
    const it = window.jounce.study.diagrams[d];
    it.canvas.scrollIntoView();
    const [px, py] = it.place(it.plot.row.indexOf(r));
    const box = it.canvas.getBoundingClientRect();
    return [box.left + px, box.top + py];
  }, [diagram, row]);
  await page.mouse.click(x, y);
}

export async function testStudy({ browser, jounce, models, folder, run, check }) {
  const file = join(folder, 'throws.yaml'), dir = join(folder, 'throws');
  writeFileSync(file, STUDY(models));
  run('study', file, '-o', dir, '--quiet');
  const table = readFileSync(join(dir, 'study.csv'), 'utf8').trim().split('\n').map((l) => l.split(','));
  const server = await serve(jounce, 'view', dir);
  const { page, errors } = await openPage(browser, server.url, { viewport: { width: 1000, height: 800 } });
  const study = await page.evaluate(() => window.jounce.study.study);
  check(study.rows === 12 && study.plots.length === 3, `a study shows its ${study.plots.length} figures of points, ${study.rows} runs`);
  const range = table[0].findIndex((name) => /^range\b/.test(name));
  const apart = study.plots[0].row.map((r, i) => Math.abs(study.plots[0].ys[i] - Number(table[1 + r][range])));
  check(apart.length === 12 && Math.max(...apart) < 1e-12, 'points of a diagram are the numbers of study.csv');
  check(study.plots[1].row.length > 20 && new Set(study.plots[1].row).size === 12, `${study.plots[1].row.length} samples know their runs`);

  await clickRow(page, 0, 7);
  await page.waitForFunction(() => location.hash === '#run=7' && document.body.dataset.ready === 'true' && document.getElementById('run-of-study'), null, { timeout: 30000 });
  check((await page.textContent('#run-of-study')).includes('run 7'), 'a click on a point opens its run');
  check(existsSync(join(dir, 'runs', '000007', 'summary.json')), 'the run is kept in runs/000007');
  const end = await page.evaluate(async () => (await window.jounce.source.at(window.jounce.source.to, ['body.ball.x']))[0]);
  check(Math.abs(end - Number(table[8][range])) < 1e-9, `its end is the row's: ${end}`);
  await page.keyboard.press(' ');
  await page.waitForFunction(() => window.jounce.timeline.time > window.jounce.motion.from, null, { timeout: 20000 });
  check(true, 'it plays');
  await page.click('#to-study');
  await page.waitForFunction(() => document.body.dataset.ready === 'true' && window.jounce.study, null, { timeout: 30000 });
  check((await page.locator('.diagram').count()) === 3, 'and the way back leads to the diagrams');

  await clickRow(page, 2, 3);
  await page.waitForFunction(() => location.hash === '#run=3' && document.getElementById('run-of-study'), null, { timeout: 30000 });
  check(true, 'a cell of a map opens its run');
  const bad = await Promise.all(['api/open?row=99', 'api/open?row=-1', 'api/row?row=x', 'api/series?c=time&run=99', 'files/series.csv?run=12'].map((p) => fetch(server.url + p).then((a) => a.status)));
  check(bad.every((s) => s >= 400 && s < 500), `runs that the study does not have are refused: ${bad.join(' ')}`);
  check(errors.length === 0, `no errors on the page${errors.map((e) => `: ${e}`).join('')}`);
  await page.close();
  await server.stop();
}
