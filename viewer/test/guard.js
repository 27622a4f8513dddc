// What must not get through: markup in names, links out of the folder, clients by the hundred, slow and huge ones.
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openPage, serve } from './browser.js';

const MARKUP = `</script><script>window.hit=1</script><img src=x onerror="window.hit=2"><svg onload="window.hit=3">`;

/** What ran of the markup, and what elements came of it. */
const hits = (page) =>
  page.evaluate(() => ({ hit: window.hit ?? 0, images: document.querySelectorAll('#app img, #app svg[onload]').length, title: document.querySelector('h1')?.textContent }));

/** A result whose files have markup wherever a name or a text stands. */
function markedResult(run, folder) {
  const model = join(folder, 'marked.yaml');
  const dir = join(folder, 'marked');
  writeFileSync(
    model,
    'title: plain\nplane: xy\nbodies: {ground: {shape: {type: half_plane}}, ball: {mass: 1, inertia: 0.1, com: [0, 0.2], shape: {type: circle, radius: 0.1, at: [0, 0.2]}}}\n' +
      'contacts: {floor: {between: [ground, ball], restitution: 0.5}}\nrun: {until: 0.5 s, step: 1 ms, method: nonsmooth}\nrecord: {csv: false}\nexpect: [{channel: body.ball.x, below: 1, source: plain}]\n',
  );
  run('run', model, '--quiet', '-o', dir);
  for (const name of ['scene.json', 'summary.json']) {
    const file = join(dir, name);
    const mark = (value) => (typeof value === 'string' && /plain|ball|floor|energy|^nonsmooth/.test(value) ? MARKUP : Array.isArray(value) ? value.map(mark) : value && typeof value === 'object' ? Object.fromEntries(Object.entries(value).map(([k, v]) => [k, mark(v)])) : value);
    writeFileSync(file, JSON.stringify(mark(JSON.parse(readFileSync(file, 'utf8')))));
  }
  const events = join(dir, 'events.csv');
  writeFileSync(events, readFileSync(events, 'utf8').replaceAll(/^([^,]*,[^,]*),(floor|ball)/gm, `$1,"${MARKUP.replaceAll('"', '""')}"`));
  return dir;
}

/** Titles and names with markup are text; what is put into a report by hand does not run either. */
export async function testMarkup({ jounce, run, check, folder, browser }) {
  const dir = markedResult(run, folder);
  const server = await serve(jounce, 'view', dir);
  const { page, errors } = await openPage(browser, server.url);
  const seen = await hits(page);
  check(seen.hit === 0 && seen.images === 0 && seen.title === MARKUP, `markup in a title is text: ${JSON.stringify(seen)}`);
  check((await page.locator('nav a').count()) === 0, 'without series.csv there is no link to it');
  check(errors.length === 0, `a page with markup in its names says no errors ${errors.join('; ')}`);
  await page.close();
  await server.stop();

  const file = join(folder, 'marked.html');
  run('report', dir, '-o', file);
  const report = await openPage(browser, pathToFileURL(file).href);
  const shown = await hits(report.page);
  check(shown.hit === 0 && shown.images === 0 && shown.title === MARKUP, `the same in a report: ${JSON.stringify(shown)}`);
  check(report.errors.length === 0, `a report with markup in its names says no errors ${report.errors.join('; ')}`);
  await report.page.close();

  const text = readFileSync(file, 'utf8');
  check(!text.includes('unsafe-inline'), 'a report allows no inline script or style but its own');
  writeFileSync(file, text.replace('<div id="app">', `<script>window.hit=1</script><img src="data:," onerror="window.hit=2"><div id="app">`));
  const forged = await browser.newPage();
  await forged.goto(pathToFileURL(file).href);
  await forged.waitForSelector('body[data-ready=true]', { state: 'attached', timeout: 30000 });
  check((await hits(forged)).hit === 0, 'a script that was put into a report does not run');
  await forged.close();
}

/** Links and pipes in the place of results. */
export async function testLinks({ jounce, check, folder, ask }, whole) {
  const dir = join(folder, 'linked');
  cpSync(whole, dir, { recursive: true, filter: (f) => !f.endsWith('link.csv') });
  const secret = join(folder, 'secret');
  writeFileSync(secret, 'JNMOTN1\n' + 'root:'.repeat(100));
  for (const name of ['motion.bin', 'events.csv', 'summary.json', 'scene.json']) {
    rmSync(join(dir, name), { force: true });
    symlinkSync(secret, join(dir, name));
  }
  rmSync(join(dir, 'series.csv'));
  const pipe = spawnSync('mkfifo', [join(dir, 'series.csv')]).status === 0;
  const server = await serve(jounce, 'view', dir);
  for (const path of ['/api/motion', '/api/events', '/api/summary', '/api/scene', '/files/motion.bin', '/files/events.csv', ...(pipe ? ['/files/series.csv'] : [])]) {
    const { status, body } = await ask(server.url, path);
    check(status > 0 && !body.includes('root:'), `${path} of a folder of links gives nothing away: ${status}`);
  }
  await server.stop();
}

const dial = (url, text) =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname, () => (text && socket.write(text), resolve(socket)));
    socket.on('error', () => resolve(socket));
  });

/** Hundreds of clients at once, silent ones among them. */
export async function testCrowd({ jounce, check, ask }, dir) {
  const server = await serve(jounce, 'view', dir);
  const answers = await Promise.all(Array.from({ length: 200 }, () => ask(server.url, '/api/series?c=time&n=50')));
  check(answers.every((a) => a.status === 200), `200 clients at once are answered: ${answers.filter((a) => a.status === 200).length}`);
  const silent = await Promise.all(Array.from({ length: 200 }, () => dial(server.url)));
  const start = Date.now();
  const { status } = await ask(server.url, '/api/state');
  check(status === 200 && Date.now() - start < 5000, `beside 200 silent clients an answer takes ${(Date.now() - start) / 1000} s`);
  for (const socket of silent) socket.destroy();
  await server.stop();
}

/** How long a client is served that sends a byte a second, and what becomes of huge ones. */
export async function testSlow({ jounce, check }, dir) {
  const server = await serve(jounce, 'view', dir);
  const { host } = new URL(server.url);
  const start = Date.now();
  const slow = await dial(server.url, `GET /api/state HTTP/1.1\r\nHost: ${host}\r\nX-Slow: `);
  const drip = setInterval(() => slow.writable && slow.write('x'), 1000);
  const ended = (socket, most) =>
    new Promise((resolve) => {
      let bytes = 0;
      const late = setTimeout(() => resolve(-1), most);
      socket.on('data', (d) => (bytes += d.length));
      socket.on('close', () => (clearTimeout(late), resolve(bytes)));
    });
  const huge = [`GET / HTTP/1.1\r\nHost: ${host}\r\nX: ${'x'.repeat(1 << 20)}\r\n\r\n`, `POST / HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 1000000000000\r\n\r\n${'x'.repeat(1 << 20)}`];
  for (const [i, text] of huge.entries()) {
    const bytes = await ended(await dial(server.url, text), 20000);
    check(bytes >= 0 && bytes < 4096, `a huge request ends: ${i ? 'body' : 'header'}, ${bytes} bytes of answer`);
  }
  const bytes = await ended(slow, 30000);
  clearInterval(drip);
  slow.destroy();
  check(bytes >= 0, `a request of one byte a second ends after ${(Date.now() - start) / 1000} s`);
  await server.stop();
}
