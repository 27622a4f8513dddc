// Pictures of results: node screenshots.js JOUNCE OUT DIR... Desktop in light and dark, phone width in light.
import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { launch, openPage, serve } from './browser.js';

const [jounce, out, ...folders] = process.argv.slice(2);
const LOOKS = process.env.LOOKS?.split(',') ?? ['light', 'dark', 'phone'];
mkdirSync(out, { recursive: true });
const browser = await launch();
let failed = 0;

for (const folder of folders) {
  const name = basename(folder);
  const server = await serve(jounce, 'view', folder);
  for (const look of LOOKS) {
    const phone = look === 'phone';
    const { page, errors } = await openPage(browser, server.url, {
      viewport: phone ? { width: 390, height: 844 } : { width: 1280, height: 800 },
      colorScheme: look === 'dark' ? 'dark' : 'light',
    });
    await page.evaluate(() => {
      const app = window.jounce;
      app.timeline.jump(app.motion.from + 0.37 * (app.motion.to - app.motion.from));
    });
    if (!phone) await page.keyboard.press('n');
    await page.waitForTimeout(500);
    await page.screenshot({ path: join(out, `${name}-${look}.png`), fullPage: phone });
    for (const e of errors) console.error(`${name} (${look}): ${e}`);
    failed += errors.length;
    await page.close();
  }
  await server.stop();
  console.log(`made  ${out}/${name}-*.png`);
}
await browser.close();
process.exit(failed ? 1 : 0);
