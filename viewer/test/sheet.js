// Many pictures on one sheet: node sheet.js OUT.png WIDTH COLUMNS PICTURE...
import { basename, resolve } from 'node:path';
import { launch } from './browser.js';
const [out, width, columns, ...pictures] = process.argv.slice(2);
const browser = await launch();
const page = await browser.newPage({ viewport: { width: Number(width), height: 600 } });
const { readFileSync } = await import('node:fs');
await page.setContent(`<body style="margin:4px;display:grid;gap:6px;font:12px sans-serif;grid-template-columns:repeat(${columns},1fr)">` + pictures.map((p) => `<div><img style="width:100%" src="data:image/png;base64,${readFileSync(resolve(p)).toString('base64')}"><br>${basename(p)}</div>`).join('') + '</body>');
await page.waitForTimeout(500);
await page.screenshot({ path: out, fullPage: true });
await browser.close();
