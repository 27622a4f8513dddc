// The viewer in a real browser: node run.js JOUNCE MODELS. Every check says what it found.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { executable, launch, openPage, serve } from './browser.js';
import { testCrowd, testLinks, testMarkup, testSlow } from './guard.js';
import { testStudy } from './study.js';

const [jounce, models] = process.argv.slice(2);
if (!executable()) {
  console.log('skipped: no chromium');
  process.exit(77);
}
const folder = mkdtempSync(join(tmpdir(), 'jounce-viewer-'));
let failed = 0;

function check(fine, text) {
  console.log(`${fine ? 'ok    ' : 'FAILED'} ${text}`);
  if (!fine) failed++;
}

function run(...words) {
  const done = spawnSync(jounce, words, { encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`jounce ${words.join(' ')}: ${done.stderr}`);
  return done.stdout;
}

/** Columns of series.csv. */
function readSeries(dir) {
  const [head, ...rows] = readFileSync(join(dir, 'series.csv'), 'utf8').trim().split('\n');
  const names = head.split(',');
  const values = rows.map((r) => r.split(',').map(Number));
  return { time: values.map((r) => r[0]), column: (name) => values.map((r) => r[names.indexOf(name)]) };
}

/** Share of pixels of the 3D view that differ from its corner. */
const drawn = (page) =>
  page.evaluate(() => {
    const gl = document.querySelector('.stage canvas');
    const copy = document.createElement('canvas');
    [copy.width, copy.height] = [gl.width, gl.height];
    const c = copy.getContext('2d');
    c.drawImage(gl, 0, 0);
    const { data } = c.getImageData(0, 0, copy.width, copy.height);
    let other = 0;
    let sum = 0;
    for (let i = 0; i < data.length; i += 4) {
      if (Math.abs(data[i] - data[0]) + Math.abs(data[i + 1] - data[1]) + Math.abs(data[i + 2] - data[2]) > 40) other++;
      sum = (sum * 31 + data[i] + 3 * data[i + 1] + 7 * data[i + 2]) % 1000000007;
    }
    return { share: (4 * other) / data.length, sum };
  });

const settle = (page) => page.evaluate(() => new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r))));

/** Moves the scrub bar as a user does. */
const scrub = (page, part) =>
  page.evaluate((x) => {
    const bar = document.getElementById('scrub');
    bar.value = String(x);
    bar.dispatchEvent(new Event('input', { bubbles: true }));
  }, part);

/** Body positions on the screen's side: world places of all bodies. */
const places = (page) => page.evaluate(() => window.jounce.stage.bodies.map((b) => b.group.position.toArray().concat(b.group.quaternion.toArray())));

async function testView(browser, dir, body) {
  const server = await serve(jounce, 'view', dir);
  const { page, errors } = await openPage(browser, server.url, { viewport: { width: 1000, height: 700 } });
  const series = readSeries(dir);
  const first = await drawn(page);
  check(first.share > 0.003, `the scene is not blank: ${(100 * first.share).toFixed(2)} % of it drawn`);

  const before = await places(page);
  await page.keyboard.press(' ');
  await page.waitForFunction(() => window.jounce.timeline.time > window.jounce.motion.from, null, { timeout: 20000 });
  await page.waitForTimeout(400);
  const after = await places(page);
  await page.keyboard.press(' ');
  await settle(page);
  check(JSON.stringify(before) !== JSON.stringify(after), 'play moves bodies');
  check((await drawn(page)).sum !== first.sum, 'play changes the picture');

  await page.evaluate((name) => document.querySelector(`.part[data-kind=body][data-name="${name}"]`).click(), body);
  await page.waitForSelector(`tr[data-channel="body.${body}.x"] td.value[data-value]`);
  const rows = [0.25, 0.8].map((x) => Math.round(x * (series.time.length - 1)));
  for (const row of rows) {
    const last = series.time[series.time.length - 1];
    await scrub(page, series.time[row] / last);
    for (const suffix of ['x', 'y', 'vx']) {
      const channel = `body.${body}.${suffix}`;
      const wanted = series.column(channel)[row];
      const shown = await page
        .waitForFunction(
          ([c, w]) => {
            const v = Number(document.querySelector(`tr[data-channel="${c}"] td.value`)?.dataset.value);
            return Math.abs(v - w) <= 1e-9 * Math.max(1, Math.abs(w)) ? String(v) : null;
          },
          [channel, wanted],
          { timeout: 10000 },
        )
        .then((h) => h.jsonValue())
        .catch(async () => `not that: ${await page.evaluate((c) => document.querySelector(`tr[data-channel="${c}"] td.value`)?.dataset.value, channel)}`);
      check(!shown.startsWith('not'), `${channel} at t = ${series.time[row]} is ${wanted} in series.csv, shown ${shown}`);
    }
  }
  await testControls(page);
  check(errors.length === 0, `no messages of errors in the console ${errors.join('; ')}`);
  await page.close();
  return server;
}

async function testControls(page) {
  const time = () => page.evaluate(() => window.jounce.timeline.time);
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  const frame = await page.evaluate(() => window.jounce.motion.times[1]);
  check((await time()) === frame, 'the right arrow goes one frame on');
  await page.keyboard.press('End');
  check((await time()) === (await page.evaluate(() => window.jounce.motion.to)), 'End goes to the end');
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  const old = await theme();
  await page.keyboard.press('t');
  check((await theme()) !== old, 'T changes the theme');
  const plots = await page.locator('.plot').count();
  check(plots >= 1 && (await page.locator('.plot canvas').count()) >= plots, `${plots} plots are drawn`);
  const axis = await page.evaluate(() => window.jounce.plots.cards.find((c) => c.chart)?.chart.axes[0]._values[0]);
  check(/\d [mµn]?s$/.test(axis), `the first tick of time has its unit: ${axis}`);
  const cut = await page.evaluate(() => [...document.querySelectorAll('.chips')].filter((c) => c.scrollWidth > c.clientWidth).length);
  check(cut === 0, 'no name of a curve is cut off');
  const marks = await page.evaluate(() => window.jounce.timeline.events.length);
  check(marks > 0, `${marks} events are marked`);
  await page.setViewportSize({ width: 390, height: 844 });
  await settle(page);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  check(wide <= 390, `nothing sticks out at phone width: ${wide} pixels of 390`);
}

/** One request with headers as given; the status. */
function ask(url, path, { method = 'GET', headers = {} } = {}) {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const r = request({ hostname, port, path, method, headers }, (answer) => {
      let body = '';
      answer.on('data', (d) => (body += d));
      answer.on('end', () => resolve({ status: answer.statusCode, headers: answer.headers, body }));
    });
    r.on('error', () => resolve({ status: 0, headers: {}, body: '' }));
    r.end(method === 'POST' ? 'x' : undefined);
  });
}

/** The answer to a request without any header. */
function bare(url) {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => socket.write('GET /api/state HTTP/1.0\r\n\r\n'));
    socket.on('data', (d) => (text += d));
    socket.on('close', () => resolve(text));
    socket.on('error', () => resolve(text));
  });
}

async function testHostile(server, dir) {
  const { port } = new URL(server.url);
  const paths = ['/files/../../../../etc/passwd', '/files/%2e%2e/%2e%2e/etc/passwd', '/files/..%2f..%2fetc%2fpasswd', '/files//etc/passwd', '/files/summary.json%00.html', '/files/', '/../etc/passwd', '/etc/passwd', '/files/other.txt', '/files/link.csv'];
  symlinkSync('/etc/passwd', join(dir, 'link.csv'));
  for (const path of paths) {
    const { status, body } = await ask(server.url, path);
    check(status >= 400 && !body.includes('root:'), `${path} is refused: ${status}`);
  }
  for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1:1', `localhost.evil.example:${port}`])
    check((await ask(server.url, '/api/state', { headers: { Host: host } })).status >= 400, `Host ${JSON.stringify(host)} is refused`);
  check((await ask(server.url, '/api/state', { headers: { Host: `localhost:${port}` } })).status === 200, 'Host localhost is taken');
  check((await bare(server.url)).startsWith('HTTP/1.1 403'), 'a request without Host is refused');
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
    check((await ask(server.url, '/api/state', { method })).status >= 400, `${method} is refused`);
  const series = '/api/series?c=' + 'a'.repeat(300);
  check((await ask(server.url, series)).status === 400, 'an unknown channel is refused');
  check((await ask(server.url, '/api/series?' + Array(100).fill('c=time').join('&'))).status === 400, 'too many channels are refused');
  check([0, 400, 413, 414, 431, 500].includes((await ask(server.url, '/api/series?c=' + 'a'.repeat(60000))).status), 'a very long request is refused');
  const many = JSON.parse((await ask(server.url, '/api/series?c=time&n=1e12')).body);
  check(many.time.length <= 40000, `no more than 40000 points are sent: ${many.time.length}`);
  const peak = Math.max(...readSeries(dir).column('contact.guide.fn'));
  const thin = JSON.parse((await ask(server.url, '/api/series?c=contact.guide.fn&n=20')).body);
  check(thin.time.length === 40 && Math.max(...thin.values[0]) === peak, `thinning 1501 rows to ${thin.time.length} keeps the peak ${peak}`);
  const page = await ask(server.url, '/');
  check(/default-src 'none'/.test(page.headers['content-security-policy']), 'the page has a Content-Security-Policy');
  check((await ask(server.url, '/api/state')).status === 200, 'the server is still there');
}

/** A reader that stops in the middle of a long answer keeps nobody else waiting, nor do clients that say nothing. */
async function testStalled() {
  const dir = join(folder, 'long_motion');
  cpSync(join(folder, 'slider_crank'), dir, { recursive: true, filter: (f) => !f.endsWith('link.csv') });
  const motion = readFileSync(join(dir, 'motion.bin'));
  const frame = Buffer.alloc(16 + 28 * motion.readUInt32LE(8) + 28 * 250); // 250 contacts: more than a socket holds
  frame.writeUInt32LE(250, 0);
  writeFileSync(join(dir, 'motion.bin'), Buffer.concat([motion.subarray(0, 16), ...Array(3500).fill(frame)]));
  const server = await serve(jounce, 'view', dir);
  const { hostname, port } = new URL(server.url);
  const sockets = Array.from({ length: 14 }, (_, i) => {
    const socket = connect(Number(port), hostname, () => i < 2 && socket.write(`GET /api/motion HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`));
    socket.on('error', () => {});
    return socket.pause();
  });
  await new Promise((r) => setTimeout(r, 1000));
  const start = Date.now();
  const { status } = await ask(server.url, '/api/state');
  const wait = (Date.now() - start) / 1000;
  check(status === 200 && wait < 5, `beside 2 stalled and 12 silent clients an answer takes ${wait} s`);
  for (const socket of sockets) socket.destroy();
  await server.stop();
}

/** A block that strikes with points of its face: drawn as a block, with a table of its impacts. */
async function testImpacts(browser) {
  const dir = join(folder, 'block');
  run('run', join(models, 'rodriguez2014/rocking_block_3d.yaml'), '--quiet', '-o', dir);
  const server = await serve(jounce, 'view', dir);
  const { page, errors } = await openPage(browser, server.url, { viewport: { width: 900, height: 600 } });
  const { share } = await drawn(page);
  check(share > 0.05, `a body whose shapes are points is drawn as a block: ${(100 * share).toFixed(1)} %`);
  const rows = await page.locator('.impacts tr').count();
  check(rows === 4, `three impacts are listed: ${rows - 1}`);
  check(errors.length === 0, `no messages of errors ${errors.join('; ')}`);
  await page.close();
  await server.stop();
}

/** The picture goes along with a robot that walks. */
async function testFollow(browser) {
  const dir = join(folder, 'athena');
  spawnSync(jounce, ['run', join(models, 'rodrigues2024/athena.yaml'), '--quiet', '-o', dir, '--set', 'run.until=3', '--set', 'record.every=50 ms']);
  const server = await serve(jounce, 'view', dir);
  const { page, errors } = await openPage(browser, server.url, { viewport: { width: 900, height: 600 } });
  const target = () => page.evaluate(() => window.jounce.stage.controls.target.x);
  const start = await target();
  await page.keyboard.press('End');
  await settle(page);
  const way = (await target()) - start;
  const torso = readSeries(dir).column('body.torso.x');
  const walked = torso[torso.length - 1] - torso[0];
  check(Math.abs(way - walked) < 1e-5, `the picture goes ${way.toFixed(5)} m along with a torso that goes ${walked.toFixed(5)} m`);
  const feet = await page.evaluate(() => window.jounce.plots.cards.flatMap((c) => c.names).filter((n) => /^contact\.foot\d\.fn$/.test(n)).length);
  check(feet === 6, `the usual plots show all feet: ${feet} of 6`);
  const hidden = await page.evaluate(() => [...document.querySelectorAll('.chips')].filter((c) => c.scrollHeight > c.clientHeight + 1).length);
  check(hidden === 0, `every curve's name is seen without scrolling: ${hidden} plots hide one`);
  await page.keyboard.press('v');
  await page.keyboard.press('Home');
  const whole = await target();
  await page.keyboard.press('End');
  check((await target()) === whole, 'V stays with all of the way');
  check(errors.length === 0, `no messages of errors ${errors.join('; ')}`);
  await page.close();
  await server.stop();
}

/** A box that falls far: follow goes along with its height, and everything is in the picture without it. */
async function testFall(browser) {
  const dir = join(folder, 'fall');
  const model = join(folder, 'fall.yaml');
  writeFileSync(model, 'bodies:\n  box: {mass: 1, at: [0, 0, 5], inertia: [0.01, 0.01, 0.01], shapes: [{type: box, size: [0.2, 0.2, 0.2]}]}\n  ground: {shapes: [{type: plane}]}\ncontacts: {all: {restitution: 0}}\nrun: {method: nonsmooth, step: 1 ms, until: 1.2 s}\nexpect: [{channel: body.box.z, at: last, value: 7, within: 0.1}]\n');
  spawnSync(jounce, ['run', model, '--quiet', '-o', dir]);
  const server = await serve(jounce, 'view', dir);
  const { page, errors } = await openPage(browser, server.url, { viewport: { width: 900, height: 600 } });
  const place = () =>
    page.evaluate(() => {
      const s = window.jounce.stage;
      const p = s.bodies[1].group.position.clone().project(s.camera);
      return Math.max(Math.abs(p.x), Math.abs(p.y));
    });
  await page.keyboard.press('v');
  for (const key of ['Home', 'End']) {
    await page.keyboard.press(key);
    await settle(page);
    check((await place()) < 0.7, `follow keeps a falling box in the picture at ${key}: ${(await place()).toFixed(2)} of its half`);
  }
  await page.keyboard.press('v');
  await page.keyboard.press('Home');
  await settle(page);
  check((await place()) < 1, `without it all of the fall is in the picture: ${(await place()).toFixed(2)}`);
  const pills = await page.evaluate(() => [document.querySelector('.pill').textContent, document.querySelector('#expectations').textContent]);
  check(pills[0] === 'audit good' && pills[1] === '0 of 1 expectations met', `an expectation that fails is not a bad audit: ${pills.join('; ')}`);
  check(/Can be trusted/.test(await page.textContent('.audit')), 'the audit of such a run can be trusted');
  const arrow = await page.evaluate(() => {
    const app = window.jounce;
    const { usual } = app.stage.contacts;
    const lists = app.motion.contacts.filter((c) => c.length);
    return { usual, last: lists[lists.length - 1].reduce((sum, c) => sum + c.f[2], 0) };
  });
  check(Math.abs(Math.abs(arrow.last) - 9.81) < 1e-3, `the arrows of a box at rest carry ${arrow.last.toFixed(4)} N`);
  check(errors.length === 0, `no messages of errors ${errors.join('; ')}`);
  await page.close();
  await server.stop();
}

/** With tilted gravity the grid lies in the floor; marks of the timeline have a legend and tips; close up, dots stay dots. */
async function testMarks(browser) {
  const dir = join(folder, 'tilted');
  const model = join(folder, 'tilted.yaml');
  writeFileSync(model, 'gravity: [3, 0, -9]\nbodies:\n  ball: {mass: 1, at: [0, 0, 0.3], inertia: [0.004, 0.004, 0.004], shapes: [{type: sphere, radius: 0.1}]}\n  ground: {shapes: [{type: plane}]}\ncontacts: {all: {restitution: 0.5, friction: 0.5}}\nrun: {method: impact, until: 2 s}\n');
  spawnSync(jounce, ['run', model, '--quiet', '-o', dir]);
  const server = await serve(jounce, 'view', dir);
  const { page, errors } = await openPage(browser, server.url, { viewport: { width: 900, height: 600 } });
  const normal = await page.evaluate(() => {
    const g = window.jounce.stage.grid;
    return window.jounce.stage.axes.up.clone().set(0, 1, 0).applyQuaternion(g.quaternion).toArray();
  });
  check(Math.abs(normal[2]) > 0.9999, `the grid lies in the floor: normal ${normal.map((x) => x.toFixed(3))}`);
  const legend = await page.textContent('.legend');
  check(/impact/.test(legend), `the marks have a legend: ${legend}`);
  const { x, y, width } = await page.evaluate(() => document.querySelector('.marks').getBoundingClientRect().toJSON());
  const [time] = await page.evaluate(() => window.jounce.source.events.events.find((e) => e[1] === 'impact'));
  await page.mouse.move(x + (width * time) / 2, y + 5);
  const tip = await page.textContent('.scrub .tip');
  check(/impact of all at/.test(tip), `a mark says what it is: ${tip}`);
  const dot = () =>
    page.evaluate(() => {
      const { contacts } = window.jounce.stage;
      contacts.points.geometry.computeBoundingSphere();
      return (contacts.scale * contacts.points.geometry.boundingSphere.radius) / window.jounce.stage.viewHeight();
    });
  await page.evaluate(() => {
    const s = window.jounce.stage;
    s.camera.position.lerp(s.controls.target, 0.98);
    s.draw();
  });
  await settle(page);
  await settle(page);
  check((await dot()) < 0.02, `close up a contact point takes ${(100 * (await dot())).toFixed(2)} % of the picture's height`);
  check(errors.length === 0, `no messages of errors ${errors.join('; ')}`);
  await page.close();
  await server.stop();
}

async function testReport(browser, dir, words, least) {
  const file = join(folder, 'report.html');
  run('report', dir, ...words, '-o', file);
  const size = statSync(file).size;
  check(size < 5e6, `the report has ${(size / 1e6).toFixed(2)} MB`);
  const context = await browser.newContext({ offline: true });
  const asked = [];
  context.on('request', (r) => r.url().startsWith('file:') || r.url().startsWith('data:') || r.url().startsWith('blob:') || asked.push(r.url()));
  const page = await context.newPage();
  const errors = [];
  page.on('console', (m) => m.type() === 'error' && errors.push(m.text()));
  page.on('pageerror', (e) => errors.push(String(e)));
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector('body[data-ready=true]', { state: 'attached', timeout: 30000 });
  await page.waitForTimeout(300);
  check((await drawn(page)).share > 0.003, 'the report draws its scene from disk');
  const before = await places(page);
  await page.keyboard.press('End');
  await settle(page);
  check(JSON.stringify(before) !== JSON.stringify(await places(page)), 'the report moves');
  check((await page.locator('.plot').count()) >= least, 'the report has its plots');
  check((await page.textContent('.audit')).includes('Can be trusted'), 'the report tells its audit in words');
  check(errors.length === 0 && asked.length === 0, `the report needs nothing and says no errors ${[...errors, ...asked].join('; ')}`);
  await context.close();
}

/** Without WebGL a note stands in place of the picture, and all else is there. */
async function testNoWebGL(browser, dir) {
  const file = join(folder, 'no_webgl.html');
  run('report', dir, '-o', file);
  const page = await browser.newPage();
  await page.addInitScript(() => {
    const plain = HTMLCanvasElement.prototype.getContext;
    HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
      return /webgl/.test(kind) ? null : plain.call(this, kind, ...rest);
    };
  });
  await page.goto(`file://${file}`);
  await page.waitForSelector('body[data-ready=true]', { timeout: 30000, state: 'attached' }).catch(() => {});
  const note = await page.textContent('.no-picture').catch(() => '');
  const plots = await page.locator('.plots canvas').count();
  check(/no WebGL/.test(note), `without WebGL a note says so: ${note}`);
  check(plots > 0 && (await page.textContent('.pill')) === 'audit good', `without WebGL audit and ${plots} plots are there`);
  await page.close();
}

/** A run seen while it goes on, and after it was stopped. */
async function testWatch(browser) {
  const dir = join(folder, 'watched');
  const model = join(folder, 'long.yaml');
  writeFileSync(model, 'plane: xy\nbodies: {a: {mass: 1, inertia: 0.1, com: [0.5, 0]}}\njoints: {p: {type: revolute, between: [ground, a], at: [0, 0]}}\nrun: {until: 100000 s, integrator: rk4, step: 1 ms}\nrecord: {every: 1 s}\n');
  const simulation = spawn(jounce, ['run', model, '-o', dir, '--quiet'], { stdio: 'ignore' });
  const ended = new Promise((r) => simulation.on('exit', r));
  for (let k = 0; k < 300 && !existsSync(join(dir, 'live.bin')); k++) await new Promise((r) => setTimeout(r, 100));
  const server = await serve(jounce, 'watch', dir);
  const { page, errors } = await openPage(browser, server.url, { viewport: { width: 900, height: 600 } });
  const early = await page.evaluate(() => ({ running: window.jounce.source.state.running, to: window.jounce.motion.to }));
  await page.waitForFunction((to) => window.jounce.motion.to > to, early.to, { timeout: 60000 }).catch(() => {});
  const later = await page.evaluate(() => window.jounce.motion.to);
  const shown = await page.waitForFunction(() => window.jounce.timeline.time > 0 && window.jounce.timeline.time === window.jounce.motion.to, null, { timeout: 60000 }).then(() => true).catch(() => false);
  check(shown, 'watch goes along with the run');
  check(early.running && later > early.to, `watch shows the run under way: ${early.to} s, then ${later} s`);
  simulation.kill('SIGINT'); // the run ends and keeps what was computed
  await ended;
  await page.waitForFunction(() => window.jounce.source.summary && document.querySelector('.pill').textContent !== 'running', null, { timeout: 60000 }).catch(() => {});
  const pill = await page.textContent('.pill');
  check(pill === 'look closer', `watch shows that the run was stopped: ${pill}`);
  const { time } = JSON.parse(readFileSync(join(dir, 'summary.json')));
  const frame = Math.ceil(100001 / 4000); // [s] 100001 rows, one a second, are planned, and 4000 frames at most
  await page.waitForFunction((to) => window.jounce.motion.to > to, time - frame - 1, { timeout: 60000 }).catch(() => {});
  const last = await page.evaluate(() => window.jounce.motion.to);
  check(last > time - frame - 1, `watch goes to the end: ${last} s of ${time} s`);
  const real = errors.filter((e) => !/404/.test(e));
  check(real.length === 0, `watch says no errors ${real.join('; ')}`);
  await server.stop();
}

const dir = join(folder, 'slider_crank');
run('run', join(models, 'flores2010/slider_crank.yaml'), '--quiet', '-o', dir, '--set', 'record.every=100 us', '--set', 'record.channels=[body.*, joint.*, contact.*, derived.*]');
const browser = await launch();
try {
  const server = await testView(browser, dir, 'slider');
  await testHostile(server, dir);
  await server.stop();
  const all = { jounce, run, check, folder, browser, ask };
  const slow = testSlow(all, dir); // waits, beside the others
  await testMarkup(all);
  await testLinks(all, dir);
  await testCrowd(all, dir);
  await testReport(browser, dir, ['derived.corner1', 'body.rod.angle:body.rod.w'], 2);
  await testNoWebGL(browser, dir);
  await testStalled();
  await testImpacts(browser);
  await testFollow(browser);
  await testFall(browser);
  await testMarks(browser);
  await testStudy({ ...all, models: resolve(models) });
  await testWatch(browser);
  await slow;
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
console.log(failed ? `${failed} failed` : 'all fine');
process.exit(failed ? 1 : 0);
