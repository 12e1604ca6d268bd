// The course's pictures, as the page saves them: node --import tsx tools/course.ts FOLDER
// FOLDER has divergence.json and transpose.json, written by `drywarp report --format json` of these examples.
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ReportDocument } from '../src/data';
import { Chromium, pageOf } from '../tests/browser/harness';

const [, , documents = '.'] = process.argv;
const out = join(dirname(fileURLToPath(import.meta.url)), '../../docs/course/pictures');
mkdirSync(out, { recursive: true });

const explain = JSON.stringify({ drywarp_report: 1, drywarp_version: '', kind: 'explain', metrics: [], stalls: [], profiles: [], compare: null, explain: [] } satisfies ReportDocument);

/** Addresses of the explain page. */
const explained: [file: string, hash: string][] = [
  ['1-strided', '#access?stride=2'],
  ['1-rows', '#access?index=M%5BRow*Width%2Bk%5D&let=Width%3D1024&let=k%3D0&block=1x32'],
  ['2-banks', '#dram?banks=8'],
  ['2-rows', '#rows?pattern=random'],
  ['3-warps', '#warps?block=6x5x2'],
  ['3-trips', '#divergence?branch=loop&expression=6+%2B+threadIdx.x+%25+3&block=32'],
  ['4-neighbored', '#reduction?reduction=neighbored'],
  ['4-interleaved', '#reduction'],
  ['6-column', '#banks?index=tile%5BthreadIdx.x%5D%5BthreadIdx.y%5D&array=32x32&block=32x8'],
  ['6-padded', '#banks?index=tile%5BthreadIdx.x%5D%5BthreadIdx.y%5D&array=32x33&block=32x8'],
];
/** A drawing of a kernel that was recorded. */
const recorded: [file: string, document: string, kernel: string, title: RegExp, keys: string[]][] = [
  ['3-recorded', 'divergence', 'odd_even', /Lanes active/, []],
  ['7-warps', 'transpose', 'shared<float>', /Warps hiding latency/, ['+', '+', '+', 'Home']],
];

const chromium = await Chromium.start();
async function save(html: string, hash: string, title: RegExp, keys: string[], file: string): Promise<void> {
  const { page, problems } = await chromium.open(html, { hash, width: 1180 });
  const picture = page.locator('.picture', { has: page.locator('.picture-title', { hasText: title }) }).first();
  await picture.waitFor();
  await page.waitForTimeout(200);
  if (keys.length) await picture.getByRole('application').focus();
  for (const key of keys) await page.keyboard.press(key);
  await page.waitForTimeout(200);
  const [download] = await Promise.all([page.waitForEvent('download'), picture.getByRole('button', { name: /as SVG/ }).click()]);
  await download.saveAs(join(out, `${file}.svg`));
  console.log(`${file}.svg`, problems.join('\n'));
  await page.close();
}
for (const [file, hash] of explained) await save(pageOf(explain), hash, /./, [], file);
for (const [file, name, kernel, title, keys] of recorded) {
  const json = readFileSync(join(documents, `${name}.json`), 'utf8');
  const index = (JSON.parse(json) as ReportDocument).profiles[0]!.kernels.findIndex((own) => own.name.includes(kernel));
  await save(pageOf(json), `#/kernel/${index}/drawings`, title, keys, file);
}
await chromium.close();
