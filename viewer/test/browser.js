// Chromium without a screen, for tests and screenshots.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const PATHS = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export const executable = () => PATHS.find((p) => p && existsSync(p));

export function launch() {
  return chromium.launch({
    executablePath: executable(),
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
  });
}

/** Starts `jounce view` or `watch` and gives its address; stop() ends it. */
export function serve(jounce, ...words) {
  const child = spawn(jounce, [...words, '--no-open'], { stdio: ['ignore', 'pipe', 'inherit'] });
  process.on('exit', () => child.kill()); // also where a test throws
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (part) => {
      text += part;
      const found = /http:\/\/[^\s]+/.exec(text);
      if (found) resolve({ url: found[0], stop: () => new Promise((r) => (child.once('exit', r), child.kill('SIGINT'))) });
    });
    child.once('exit', (code) => reject(new Error(`jounce ended with ${code}: ${text}`)));
  });
}

/** A page that fails on any message of an error. */
export async function openPage(browser, url, options = {}) {
  const page = await browser.newPage(options);
  const errors = [];
  page.on('console', (m) => ['error', 'warning'].includes(m.type()) && !/GPU stall|GL Driver Message/.test(m.text()) && errors.push(m.text()));
  page.on('pageerror', (e) => errors.push(String(e)));
  await page.goto(url);
  try {
    await page.waitForSelector('body[data-ready=true]', { timeout: 30000, state: 'attached' });
  } catch (e) {
    throw new Error(`${url} does not get ready: ${errors.join('; ')} ${await page.textContent('#app')}`, { cause: e });
  }
  await page.waitForTimeout(300);
  return { page, errors };
}
