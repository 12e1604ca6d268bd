// The drawings of a launch in a browser: keys, zoom, saving, and speed with many segments.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import type { Kernel, ReportDocument } from '../../src/data';
import { reductionSteps, timelineOf } from '../data/drawn';
import { Chromium, pageOf } from './harness';
import { samples } from './samples';

let chromium: Chromium;
before(async () => void (chromium = await Chromium.start()));
after(async () => chromium.close());

/** A sample's document whose first drawn kernel has steps and a timeline. */
function drawnDocument(large: boolean): { document: ReportDocument; kernel: number } {
  const sample = samples().find(({ document: { kind, profiles } }) => kind === 'report' && profiles[0]?.kernels.some((k) => k.drawn));
  assert.ok(sample);
  const { document } = sample;
  const kernels = document.profiles[0]!.kernels;
  const index = kernels.findIndex((k: Kernel) => k.drawn);
  const drawn = kernels[index]!.drawn!;
  drawn.steps = reductionSteps(256, 'neighboured');
  drawn.timeline = timelineOf({ sms: 4, schedulers: 4, warpsPerBlock: 8, blocksPerSm: large ? 8 : 2, blocks: large ? 150 : 20, instructions: large ? 60 : 24, channels: 8, banks: 16 }, document.stalls.map((s) => s.name));
  return { document, kernel: index };
}

async function open(large: boolean, width = 1360): Promise<{ page: Page; problems: string[] }> {
  const { document, kernel } = drawnDocument(large);
  const opened = await chromium.open(pageOf(JSON.stringify(document)), { width, hash: `#/kernel/${kernel}/drawings` });
  await opened.page.locator('.drawings .picture').nth(6).waitFor();
  return opened;
}
const picture = (page: Page, title: RegExp) => page.locator('.picture', { has: page.locator('.picture-title', { hasText: title }) });

test('every drawing draws, on a desk and on a phone', async () => {
  for (const width of [1360, 390]) {
    const { page, problems } = await open(false, width);
    const titles = (await page.locator('.drawings .picture-title').allTextContents()).filter((title) => !/ a lane, warp /.test(title));
    assert.deepEqual(titles, ['Warps hiding latency, cycle by cycle', 'Lanes active, step by step', 'Rounds between barriers: which threads work', 'The warps of a block', "An SM's slots fill with blocks", 'DRAM: banks and rows over time']);
    for (const svg of await page.locator('.drawings .picture-svg').all()) {
      assert.ok(((await svg.getAttribute('aria-label')) ?? '').length > 40);
      assert.ok((await svg.locator('rect, path').count()) > 5);
    }
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)) <= 0);
    assert.deepEqual(problems, []);
    await page.close();
  }
});

test('keys zoom and move the warps, and choose a row that is described', async () => {
  const { page, problems } = await open(false);
  const warps = picture(page, /Warps hiding latency/);
  const pane = warps.getByRole('application');
  const ticks = () => warps.locator('.axis text').allTextContents();
  const whole = await ticks();
  await pane.focus();
  await page.keyboard.press('+');
  await page.keyboard.press('+');
  const zoomed = await ticks();
  assert.notDeepEqual(zoomed, whole);
  await page.keyboard.press('ArrowRight');
  assert.notDeepEqual(await ticks(), zoomed);
  await page.keyboard.press('0');
  assert.deepEqual(await ticks(), whole);
  await page.keyboard.press('ArrowDown');
  assert.match((await warps.locator('.picture-note').textContent()) ?? '', /^warp 0 of block 0.*issues in .* waits for long_scoreboard/);
  assert.deepEqual(problems, []);
  await page.close();
});

test('a dragged range is shown, and a double click shows everything', async () => {
  const { page } = await open(false);
  const dram = picture(page, /DRAM/);
  const pane = dram.getByRole('application');
  const whole = await dram.locator('.axis text').allTextContents();
  await pane.scrollIntoViewIfNeeded();
  const box = (await pane.boundingBox())!;
  await page.mouse.move(box.x + box.width * 0.25, box.y + 30);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 40, { steps: 4 });
  await page.mouse.up();
  assert.notDeepEqual(await dram.locator('.axis text').allTextContents(), whole);
  await pane.dblclick();
  assert.deepEqual(await dram.locator('.axis text').allTextContents(), whole);
  await page.close();
});

test("the rounds' numbers are those of the steps", async () => {
  const { page } = await open(false);
  const rounds = picture(page, /Rounds between barriers/);
  await rounds.getByRole('button', { name: /as a table/ }).click();
  const threads = await rounds.locator('.picture-table tbody td:nth-child(2)').allTextContents();
  assert.deepEqual(threads, ['256', '128', '64', '32', '16', '8', '4', '2', '1', '1']);
  await page.close();
});

test('a timeline of 20,000 segments is drawn by few elements, however far it is zoomed', async () => {
  const { page } = await open(true);
  const warps = picture(page, /Warps hiding latency/);
  await warps.locator('select').selectOption('all');
  await warps.getByRole('application').focus();
  for (let i = 0; i < 6; ++i) {
    assert.ok((await warps.locator('.picture-svg *').count()) < 1500);
    await page.keyboard.press('+');
  }
  await page.close();
});

test('a drawing saves as an SVG that stands alone', async () => {
  const { page } = await open(false);
  for (const title of [/Warps hiding latency/, /Lanes active/]) {
    const [download] = await Promise.all([page.waitForEvent('download'), picture(page, title).getByRole('button', { name: /as SVG/ }).click()]);
    const stream = await download.createReadStream();
    let svg = '';
    for await (const chunk of stream) svg += String(chunk);
    assert.match(svg, /^<svg [^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"/);
    assert.ok(svg.includes('<desc>'), 'it has no description');
    assert.doesNotMatch(svg, /var\(--|color-mix|class=/);
    // Every hatching that a mark uses is in the file.
    for (const [, id] of svg.matchAll(/url\(["']?(?:&quot;)?#([\w-]+)/g)) assert.ok(svg.includes(`id="${id}"`), `${id} is missing`);
  }
  await page.close();
});
