// One picture of a result without the page around it: node picture.js JOUNCE OUT.png DIR TIME BODY... The paths of the bodies are drawn.
import { launch, openPage, serve } from './browser.js';

const [jounce, out, folder, time, ...names] = process.argv.slice(2);
const browser = await launch();
const server = await serve(jounce, 'view', folder);
const { page, errors } = await openPage(browser, server.url, { viewport: { width: 1200, height: 600 }, colorScheme: 'light', deviceScaleFactor: 1 });
const missing = await page.evaluate(
  ([t, wanted]) => {
    const { stage, timeline } = window.jounce;
    const index = (name) => stage.scene.bodies.findIndex((b) => b.name === name);
    for (const name of wanted) if (index(name) > 0) stage.addTrail(name, index(name), stage.scene.bodies[index(name)].com);
    Object.assign(document.querySelector('.stage').style, { position: 'fixed', inset: '0', width: '100vw', height: '100vh', zIndex: 9 });
    stage.hud.style.display = 'none';
    timeline.jump(Number(t));
    return wanted.filter((name) => index(name) <= 0);
  },
  [time, names],
);
await page.waitForTimeout(300);
await page.evaluate(() => {
  const { stage } = window.jounce;
  stage.fit(stage.direction(1.0, -1.15, 0.62));
  stage.camera.position.lerp(stage.controls.target, 0.2);
  stage.controls.update();
});
await page.waitForTimeout(500);
await page.screenshot({ path: out });
await server.stop();
await browser.close();
for (const name of missing) errors.push(`${folder} has no body '${name}'`);
for (const e of errors) console.error(e);
console.log(`made  ${out}`);
process.exit(errors.length ? 1 : 0);
