// Pictures of pages, to look at: node --import tsx tools/shots.ts DOCUMENT.json FOLDER [hash ...]
import { mkdirSync, readFileSync } from 'node:fs';
import { Chromium, pageOf } from '../tests/browser/harness';

const [, , documentFile = '', folder = 'shots', ...hashes] = process.argv;
mkdirSync(folder, { recursive: true });
const html = pageOf(readFileSync(documentFile, 'utf8'));
const chromium = await Chromium.start();
const views = (process.env['VIEWS'] ?? 'light,dark,phone').split(',');
for (const hash of hashes.length ? hashes : ['#/']) {
  for (const view of views) {
    const { page, problems } = await chromium.open(html, { hash, dark: view === 'dark', width: view === 'phone' ? 390 : Number(process.env['WIDTH'] ?? 1360), height: view === 'phone' ? 844 : 900 });
    await page.waitForTimeout(250);
    const file = `${folder}/${hash.replace(/[^a-z0-9]+/gi, '_')}_${view}.png`;
    await page.screenshot({ path: file, fullPage: process.env['VIEWPORT'] === undefined });
    console.log(file, problems.join('\n'));
    await page.close();
  }
}
await chromium.close();
