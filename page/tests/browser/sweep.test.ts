// The page of a sweep: every picture draws, numbers are the document's, and table and choices work.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import type { ReportDocument, Sweep } from '../../src/data';
import { modelled, seconds } from '../../src/format/numbers';
import { axesOf, groupsOf } from '../../src/sweep/rows';
import { violations } from './axe';
import { Chromium, pageOf } from './harness';
import { type Sample, sweeps } from './samples';

const all = sweeps();
let chromium: Chromium;
before(async () => void (chromium = await Chromium.start()));
after(async () => chromium.close());

const htmlOf = (sample: Sample): string => sample.html ?? pageOf(JSON.stringify(sample.document));
const sweepOf = (sample: Sample): Sweep => sample.document.sweep!;
const sideways = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
const bad = (page: Page) => page.evaluate(() => [...document.querySelectorAll('.picture-svg *')].filter((e) => [...e.attributes].some((a) => /NaN|undefined|Infinity/.test(a.value))).map((e) => e.outerHTML.slice(0, 200)));

test('there is a sweep with failures, and one with dropped rows', () => {
  const states = new Set(all.flatMap((s) => sweepOf(s).rows.map((row) => row.state)));
  for (const state of ['timed', 'dropped', 'does not fit']) assert.ok(states.has(state), state);
});

for (const sample of all) {
  test(`${sample.name}: pictures and table, on a desk and on a phone`, async () => {
    const sweep = sweepOf(sample);
    for (const width of [1360, 390]) {
      const { page, problems } = await chromium.open(htmlOf(sample), { width });
      assert.ok((await sideways(page)) <= 0, `scrolls sideways by ${await sideways(page)} at ${width}`);
      assert.equal(await page.locator('.sweep-rows tbody tr').count(), Math.min(100, sweep.rows.length));
      assert.ok((await page.locator('.sweep-mark').count()) > 0, 'no mark');
      if (axesOf(sweep).length > 1) assert.ok((await page.locator('.sweep-cell').count()) > 1, 'no cell');
      assert.deepEqual(await bad(page), []);
      assert.deepEqual(problems, []);
      await page.close();
    }
  });

  test(`${sample.name}: numbers are the document's, for every group`, async () => {
    const sweep = sweepOf(sample);
    const timeOf = new Map(sweep.rows.map((row) => [row.row, row.measurement?.seconds]));
    const { page, problems } = await chromium.open(htmlOf(sample));
    assert.deepEqual(await page.locator('.sweep-time').allInnerTexts(), sweep.best.map((b) => modelled(seconds(timeOf.get(b.row)!))));
    for (const { group, row } of sweep.best) {
      if (sweep.best.length > 1) await page.locator('.sweep-group select').selectOption(group);
      const best = modelled(seconds(timeOf.get(row)!));
      await page.getByText(`best: ${best}`, { exact: true }).waitFor();
      if (axesOf(sweep).length > 1) assert.equal(await page.locator('.picture-svg text.bold', { hasText: /^~/ }).first().textContent(), best, group);
    }
    // The first row of the table is the best of all.
    assert.match((await page.locator('.sweep-rows tbody tr').first().getAttribute('class')) ?? '', /sweep-best/);
    assert.deepEqual(problems, []);
    await page.close();
  });
}

const rich = all.find((s) => sweepOf(s).rows.some((row) => row.state === 'dropped')) ?? all[0]!;

test('the table sorts and filters', async () => {
  const sweep = sweepOf(rich);
  const { page, problems } = await chromium.open(htmlOf(rich));
  const rows = () => page.locator('.sweep-rows tbody tr th').allInnerTexts();
  await page.getByRole('button', { name: 'Row', exact: true }).click();
  assert.deepEqual((await rows()).map(Number), sweep.rows.map((row) => row.row).slice(0, 100));
  assert.equal(await page.locator('th[aria-sort="ascending"]').innerText(), 'Row ▲');
  await page.getByRole('button', { name: 'Row', exact: true }).click();
  assert.equal(Number((await rows())[0]), Math.max(...sweep.rows.map((row) => row.row)));
  await page.getByLabel('only the Pareto front').check();
  assert.deepEqual(new Set((await rows()).map(Number)), new Set(sweep.pareto_front));
  await page.getByLabel('only the Pareto front').uncheck();
  await page.getByLabel('State').selectOption('dropped');
  assert.equal((await rows()).length, Math.min(100, sweep.rows.filter((row) => row.state === 'dropped').length));
  await page.getByLabel('State').selectOption('');
  const [p] = sweep.parameters;
  await page.getByLabel('Search').fill(`${p!.name}=${p!.labels[0]}`);
  assert.equal((await rows()).length, Math.min(100, sweep.rows.filter((row) => row.configuration[p!.name] === p!.values[0]).length));
  if (groupsOf(sweep).length > 1) {
    await page.getByLabel('Search').fill('');
    await page.getByLabel('the table has all of them').uncheck();
    assert.equal(await page.locator('.sweep-controls [role=status]').innerText(), `${sweep.rows.filter((row) => row.group === sweep.best[0]!.group).length} of ${sweep.rows.length}`);
  }
  assert.deepEqual(problems, []);
  await page.close();
});

test('a mark says its configuration, and a heat map exchanges its parameters', async () => {
  const { page, problems } = await chromium.open(htmlOf(rich));
  const mark = page.locator('.sweep-mark').last();
  await mark.hover();
  assert.match(await page.locator('.tip').innerText(), new RegExp(`${sweepOf(rich).parameters[0]!.name}=.*\\n~.* registers`));
  const [x, y] = axesOf(sweepOf(rich));
  await page.locator('.picture-controls select').first().selectOption(y!.name);
  assert.equal(await page.getByText(`Best time over ${y!.name} and ${x!.name}`).count(), 1);
  await page.getByRole('button', { name: 'Registers', exact: true }).first().click();
  assert.equal(await page.getByText(/^Time over registers/).count(), 1);
  assert.deepEqual(problems, []);
  await page.close();
});

test('axe finds nothing serious, light and dark', async () => {
  for (const dark of [false, true]) {
    const { page } = await chromium.open(htmlOf(rich), { dark });
    assert.deepEqual(await violations(page), [], dark ? 'dark' : 'light');
    await page.close();
  }
});

test('no text of a sweep becomes markup, and a sweep that has not run is shown', async () => {
  const attack = '<img src=x onerror="window.hit=1">';
  const sweep = structuredClone(sweepOf(rich));
  for (const row of sweep.rows) row.measurement && (row.measurement.reason = `${attack}${row.measurement.reason}`);
  for (const p of sweep.parameters) p.labels = p.labels.map((label) => `${label}${attack}`);
  const open = (changed: Sweep) => chromium.open(pageOf(JSON.stringify({ ...rich.document, sweep: changed } satisfies ReportDocument)));
  const hostile = await open({ ...sweep, title: attack, program: [attack] });
  assert.equal(await hostile.page.locator('img').count(), 0);
  assert.equal(await hostile.page.evaluate(() => 'hit' in window), false);
  assert.deepEqual(hostile.problems, []);
  await hostile.page.close();
  const none = await open({ ...sweepOf(rich), best: [], pareto_front: [], rows: sweepOf(rich).rows.map((row) => ({ ...row, state: 'not run', measurement: null, dropped: null })) });
  assert.match(await none.page.locator('main').innerText(), /No configuration has a time yet/);
  assert.deepEqual(none.problems, []);
  await none.page.close();
});
