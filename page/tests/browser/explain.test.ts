// The explain page in a browser: every example draws, inputs move the picture, the address and the command.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import type { ReportDocument } from '../../src/data';
import { initialOf, hashOf, topics } from '../../src/explain/topics';
import { violations } from './axe';
import { Chromium, pageOf } from './harness';
import { samples } from './samples';

let chromium: Chromium;
before(async () => void (chromium = await Chromium.start()));
after(async () => chromium.close());

const device = samples().find(({ document }) => document.kind === 'report')?.document.profiles[0]?.device ?? null;
const documentOf = (topic: string, input: Record<string, unknown>, result: Record<string, unknown> = {}, own: typeof device = null): string =>
  pageOf(JSON.stringify({ drywarp_report: 1, drywarp_version: '0', kind: 'explain', metrics: [], stalls: [], profiles: [], compare: null, explain: [{ topic, title: topic, input, result, device: own }] } satisfies ReportDocument));

const subtitle = (page: Page) => page.locator('.picture-subtitle').first().textContent();
const command = (page: Page) => page.locator('.command code').textContent();
const badMarks = (page: Page) =>
  page.evaluate(() => [...document.querySelectorAll('.picture-svg *')].filter((e) => [...e.attributes].some((a) => /NaN|undefined|Infinity/.test(a.value))).map((e) => e.outerHTML.slice(0, 120)));

test('every example of every topic draws, on a desk and on a phone', async () => {
  for (const width of [1360, 390]) {
    const { page, problems } = await chromium.open(documentOf('access', {}, {}, device), { width });
    for (const topic of topics)
      for (const preset of topic.presets) {
        const hash = hashOf(topic, { ...initialOf(topic), ...preset.values });
        await page.evaluate((to) => void (location.hash = to), hash);
        await page.locator('h1', { hasText: topic.title }).waitFor();
        await page.locator('.explain-picture .picture').first().waitFor();
        await page.locator(`.presets [aria-pressed="true"]`, { hasText: preset.label }).first().waitFor();
        assert.deepEqual(await badMarks(page), [], hash);
        assert.ok((await page.locator('.picture-svg rect').count()) > 3, hash);
        const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.ok(over <= 0, `${hash} scrolls sideways by ${over} at ${width}`);
      }
    assert.deepEqual(problems, []);
    await page.close();
  }
});

test("a document's inputs are the first that are shown; a slider moves picture, address and command", async () => {
  const { page, problems } = await chromium.open(documentOf('access', { stride: 2, offset: 1 }));
  await page.locator('.explain-picture .picture').waitFor();
  assert.equal(await command(page), 'drywarp explain access --stride 2 --offset 1');
  assert.match((await subtitle(page)) ?? '', /^Uncoalesced: 8 sectors of 32 bytes where 4 would do: 50 %/);
  await page.getByLabel('Stride, slider').focus();
  await page.keyboard.press('ArrowRight');
  assert.equal(await command(page), 'drywarp explain access --stride 3 --offset 1');
  assert.match((await subtitle(page)) ?? '', /^Uncoalesced: 1[23] sectors/);
  assert.equal(await page.evaluate(() => location.hash), '#access?stride=3&offset=1');
  await page.reload();
  await page.locator('.explain-picture .picture').waitFor();
  assert.equal(await command(page), 'drywarp explain access --stride 3 --offset 1');
  assert.deepEqual(problems, []);
  await page.close();
});

test('an error stands beside its input with its place, and the last picture stays', async () => {
  const { page, problems } = await chromium.open(documentOf('access', {}));
  await page.locator('.explain-picture .picture').waitFor();
  await page.getByLabel('Index').fill('a[2 * threadIdx.w]');
  const problem = page.locator('.input-text .problem');
  await problem.waitFor();
  assert.match((await problem.textContent()) ?? '', /'threadIdx.w' has no value \(column 7\)/);
  assert.equal(await problem.locator('pre').textContent(), 'a[2 * threadIdx.w]\n      ^');
  assert.equal(await page.getByLabel('Index').getAttribute('aria-invalid'), 'true');
  assert.equal(await page.locator('.explain-picture.stale .picture').count(), 1);
  await page.getByLabel('Index').fill('a[2 * threadIdx.x]');
  await problem.waitFor({ state: 'detached' });
  assert.equal(await page.locator('.explain-picture.stale').count(), 0);
  assert.deepEqual(problems, []);
  await page.close();
});

test('the keys choose a lane, and its place is said', async () => {
  const { page } = await chromium.open(documentOf('access', { stride: 2 }));
  await page.locator('.explain-picture .picture').waitFor();
  const lanes = page.getByRole('slider', { name: 'Lane', exact: true });
  await lanes.focus();
  for (let i = 0; i < 18; ++i) await page.keyboard.press('ArrowRight');
  assert.equal(await lanes.getAttribute('aria-valuetext'), 'Lane 17: bytes 136–139, sector 4 of line 1.');
  assert.equal(await page.locator('.picture-note').first().textContent(), 'Lane 17: bytes 136–139, sector 4 of line 1.');
  await page.close();
});

test('padding that the slider tries: from 32 wavefronts to one', async () => {
  const { page } = await chromium.open(documentOf('banks', { index: 'tile[threadIdx.x][threadIdx.y]', array: '32x32', block: [32, 8, 1] }));
  await page.locator('.explain-picture .picture').waitFor();
  assert.match((await subtitle(page)) ?? '', /^32 wavefronts where 1 would do/);
  await page.getByLabel('Padding, slider').focus();
  await page.keyboard.press('ArrowRight');
  assert.match((await subtitle(page)) ?? '', /^1 wavefront, as few as possible/);
  assert.match((await command(page)) ?? '', /--array 32x33 /);
  await page.close();
});

test('axe finds nothing serious in any topic, light and dark', async () => {
  for (const dark of [false, true]) {
    const { page } = await chromium.open(documentOf('access', {}, {}, device), { dark });
    for (const topic of topics) {
      await page.evaluate((to) => void (location.hash = to), `#${topic.id}`);
      await page.locator('h1', { hasText: topic.title }).waitFor();
      await page.locator('.explain-picture .picture').first().waitFor();
      assert.deepEqual(await violations(page), [], `${topic.id} ${dark ? 'dark' : 'light'}`);
    }
    await page.getByRole('link', { name: 'Global memory' }).click();
    await page.getByLabel('Index').fill('a[');
    await page.locator('.problem').waitFor();
    assert.deepEqual(await violations(page), [], 'an error');
    await page.close();
  }
});

test('an answer that has no inputs is shown as figures; hostile texts stay texts', async () => {
  const attack = '</script><img src=x onerror="window.hit=1">';
  const { page, problems } = await chromium.open(documentOf('caches', { size: 65536 }, { topic: 'caches', device: attack, levels: [{ name: attack, bytes: 262144 }], size: 65536 }));
  await page.locator('.explain-fixed table').first().waitFor();
  assert.equal(await page.locator('.explain-fixed td', { hasText: attack }).count(), 2);
  assert.equal(await page.evaluate(() => 'hit' in window), false);
  assert.deepEqual(problems, []);
  await page.close();
});
