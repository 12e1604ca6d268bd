// The page in a browser: every picture draws, numbers are the document's, nothing is asked for, nothing is injected.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import type { ReportDocument } from '../../src/data';
import { classed, modelled, seconds } from '../../src/format/numbers';
import { violations } from './axe';
import { Chromium, type Opened, pageOf, plainPageOf } from './harness';
import { type Sample, samples } from './samples';

const all = samples();
const most = 3;
let chromium: Chromium;
before(async () => void (chromium = await Chromium.start()));
after(async () => chromium.close());

const htmlOf = (sample: Sample): string => sample.html ?? pageOf(JSON.stringify(sample.document));

function routes(document: ReportDocument): string[] {
  const made = ['#/'];
  document.profiles.forEach((profile, p) => {
    const prefix = p > 0 ? `/p${p}` : '';
    made.push(`#${prefix}/`);
    profile.kernels.slice(0, p > 0 ? 1 : most).forEach((_, k) => {
      for (const tab of p > 0 ? ['', '/source'] : ['', '/source', '/drawings', '/launches', '/metrics']) made.push(`#${prefix}/kernel/${k}${tab}`);
    });
  });
  if (document.compare) made.push('#/compare');
  return [...new Set(made)];
}

async function go(page: Page, hash: string): Promise<void> {
  await page.evaluate((to) => {
    location.hash = to;
    // Twice: once for the route, once for the width of the pictures.
    return new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 30))));
  }, hash);
}

/** Pictures without size or without marks. */
const emptyPictures = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('.picture')].flatMap((picture) => {
      const svg = picture.querySelector<SVGSVGElement>('.picture-svg');
      const title = picture.querySelector('.picture-title')?.textContent ?? '?';
      const box = svg?.getBoundingClientRect();
      const marks = svg ? [...svg.querySelectorAll('rect, path, circle, line')].filter((mark) => { const b = mark.getBoundingClientRect(); return b.width > 0 || b.height > 0; }) : [];
      const nan = svg ? [...svg.querySelectorAll('*')].filter((e) => [...e.attributes].some((a) => /NaN|undefined|Infinity/.test(a.value))) : [];
      const problem = !box || box.width <= 0 || box.height <= 0 ? 'has no size' : marks.length === 0 ? 'has no marks' : nan.length > 0 ? `has a bad attribute: ${nan[0]?.outerHTML.slice(0, 200)}` : !svg?.getAttribute('aria-label') ? 'has no text alternative' : '';
      return problem ? [`${title} ${problem}`] : [];
    }),
  );

const sideways = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

for (const sample of all) {
  if (sample.document.kind !== 'report') continue;
  test(`${sample.name}: every page draws, on a desk and on a phone`, async () => {
    for (const width of [1360, 390]) {
      const { page, problems } = await chromium.open(htmlOf(sample), { width });
      for (const hash of routes(sample.document)) {
        await go(page, hash);
        assert.deepEqual(await emptyPictures(page), [], `${hash} at ${width}`);
        if (width === 390) assert.ok((await sideways(page)) <= 0, `${hash} scrolls sideways by ${await sideways(page)}`);
      }
      assert.deepEqual(problems, []);
      await page.close();
    }
  });

  test(`${sample.name}: numbers are the document's`, async () => {
    const { page, problems } = await chromium.open(htmlOf(sample), { hash: '#/' });
    const { document } = sample;
    const profile = document.profiles[0]!;
    const times = await page.$$eval('.kernels-row .kernels-time', (cells) => cells.map((cell) => cell.textContent));
    assert.deepEqual(times, profile.kernels.slice(0, times.length).map((kernel) => (kernel.time ? modelled(seconds(kernel.time.seconds)) : '-')));
    for (const [k, kernel] of profile.kernels.slice(0, most).entries()) {
      await go(page, `#/kernel/${k}/metrics`);
      const shown = new Map(await page.$$eval('.metrics tbody tr:not(.metrics-group)', (rows) => rows.map((row): [string, string] => [row.querySelector('.metrics-name')?.firstChild?.textContent ?? '', row.querySelector('.metrics-value')?.textContent ?? ''])));
      document.metrics.forEach((metric, i) => {
        const value = kernel.totals.values[i] ?? null;
        const klass = kernel.exact_metrics?.includes(i) ? 'exact' : metric.class;
        if (value !== null) assert.equal(shown.get(metric.name), classed(value, metric.unit, klass), `${metric.name} of ${kernel.name}`);
      });
      assert.ok(shown.size > 20 || kernel.counted === 0, `only ${shown.size} metrics`);
      await go(page, `#/kernel/${k}/source`);
      const lines = await page.$$eval('.pane-source .pane-row', (rows) => rows.filter((row) => row.querySelector('.pane-cell')?.textContent).length);
      assert.ok(lines > 0 || !kernel.time || kernel.lines.every((line) => !line.file), `no line of ${kernel.name} has a time`);
    }
    assert.deepEqual(problems, []);
    await page.close();
  });
}

test('axe finds nothing serious, light and dark', async () => {
  // The longest document has most of what a page can show.
  const richest = all.filter((s) => s.document.kind === 'report').reduce((a, b) => (JSON.stringify(b.document).length > JSON.stringify(a.document).length ? b : a));
  for (const sample of [richest]) {
    for (const dark of [false, true]) {
      const { page } = await chromium.open(htmlOf(sample), { dark });
      const hashes = ['#/', '#/kernel/0', '#/kernel/0/source', '#/kernel/0/drawings', '#/kernel/0/launches', ...(sample.document.compare ? ['#/compare'] : []), ...(dark ? [] : ['#/kernel/0/metrics'])];
      for (const hash of hashes) {
        await go(page, hash);
        assert.deepEqual(await violations(page), [], `${sample.name} ${hash} ${dark ? 'dark' : 'light'}`);
      }
      await page.close();
    }
  }
});

/** Every text of a document replaced by one that tries to run a script. */
function poisoned(document: ReportDocument): { document: ReportDocument; texts: string[] } {
  const attack = `</script><img src=x onerror="window.hit=1;alert(1)"><svg onload=alert(2)>`;
  const texts: string[] = [];
  const structural = new Set(['kind', 'class', 'unit', 'memory', 'from', 'to', 'level', 'precision', 'of', 'what', 'group', 'name?']);
  const walk = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') {
      if (structural.has(key)) return value;
      texts.push(`${value}${attack}`);
      return `${value}${attack}`;
    }
    if (Array.isArray(value)) return value.map((item) => (typeof item === 'string' && key === '' ? item : walk(item, key)));
    if (value && typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, k === 'metrics' && Array.isArray(v) ? v : walk(v, k)]));
    return value;
  };
  return { document: walk(document, 'document') as ReportDocument, texts };
}

test('no text of the document becomes markup', async () => {
  for (const sample of all.filter((s) => s.document.kind === 'report').slice(0, 1)) {
    const { document: hostile, texts } = poisoned(sample.document);
    assert.ok(texts.length > 50);
    const { page, problems } = await chromium.open(pageOf(JSON.stringify(hostile)));
    for (const hash of routes(sample.document)) {
      await go(page, hash);
      // Images can come from nowhere else: the page has none.
      assert.equal(await page.evaluate(() => document.querySelectorAll('img, svg[onload], iframe, object, embed').length), 0, hash);
      assert.equal(await page.evaluate(() => 'hit' in window), false, hash);
    }
    await go(page, '#/kernel/0');
    assert.match(await page.locator('.kernel-signature').innerText(), /<img src=x onerror=/);
    assert.deepEqual(problems, []);
    await page.close();
  }
});

test('the content security policy stops scripts, styles and requests of others', async () => {
  const { page } = await chromium.open(htmlOf(all[0]!));
  const stopped = await page.evaluate(async () => {
    const script = document.createElement('script');
    script.textContent = 'window.ran = 1';
    document.body.append(script);
    const image = new Image();
    const loaded = new Promise((done) => { image.onload = () => done('loaded'); image.onerror = () => done('stopped'); });
    image.src = 'http://127.0.0.1:9/x.png';
    const fetched = await fetch('data:text/plain,x').then(() => 'fetched', () => 'stopped');
    return { ran: 'ran' in window, image: await loaded, fetched };
  });
  assert.deepEqual(stopped, { ran: false, image: 'stopped', fetched: 'stopped' });
  await page.close();
});

test('the keyboard reaches everything, and shows where it is', async () => {
  for (const hash of ['#/', '#/kernel/0', '#/kernel/0/source']) {
    const { page } = await chromium.open(htmlOf(all[0]!), { hash });
    await page.waitForTimeout(100);
    const wanted = await page.evaluate(() => {
      const list = [...document.querySelectorAll<HTMLElement>('a[href], button:not([disabled]), input, select, summary, [tabindex="0"]')].filter((e) => e.checkVisibility({ visibilityProperty: true }) && e.tabIndex >= 0);
      list.forEach((e, i) => e.setAttribute('data-test-id', String(i)));
      return list.length;
    });
    const reached = new Set<string>();
    let unseen = '';
    for (let i = 0; i < wanted + 20; ++i) {
      await page.keyboard.press('Tab');
      const now = await page.evaluate(() => {
        const e = document.activeElement;
        if (!e || e === document.body) return null;
        const style = getComputedStyle(e);
        return { id: e.getAttribute('data-test-id') ?? '', outlined: style.outlineStyle !== 'none' && style.outlineWidth !== '0px', html: e.outerHTML.slice(0, 120) };
      });
      if (!now) break;
      reached.add(now.id);
      if (!now.outlined) unseen ||= now.html;
    }
    reached.delete('');
    assert.equal(unseen, '', `${hash}: no mark of the focus`);
    assert.ok(reached.size >= wanted, `${hash}: the keyboard reaches ${reached.size} of ${wanted}`);
    await page.close();
  }
});

test('the time line zooms and chooses with keys', async () => {
  const { page, problems } = await chromium.open(htmlOf(all.find((s) => s.document.profiles[0]!.launches.length > 1)!), { hash: '#/' });
  await page.locator('.spans-body').focus();
  const marks = () => page.locator('.spans-body .span').count();
  const whole = await marks();
  for (let i = 0; i < 6; ++i) await page.keyboard.press('+');
  assert.ok((await marks()) < whole, 'zooming leaves fewer marks in view');
  await page.keyboard.press('0');
  assert.equal(await marks(), whole);
  await page.keyboard.press('ArrowDown');
  assert.match(await page.locator('.spans-chosen').innerText(), /\d/);
  assert.deepEqual(problems, []);
  await page.close();
});

test('a line that is chosen is marked in every pane, and in the address', async () => {
  const { page, problems } = await chromium.open(htmlOf(all[0]!), { hash: '#/kernel/0/source' });
  const row = page.locator('.pane-ptx .pane-row').nth(5);
  await row.click();
  assert.match(await row.getAttribute('class') ?? '', /pane-chosen/);
  assert.equal(await page.locator('.pane-source .pane-chosen').count(), 1);
  assert.match(await page.evaluate(() => location.hash), /source\/.*%3A\d+%3A5$/);
  await page.locator('.pane-source .pane-chosen').focus();
  const before = await page.evaluate(() => location.hash);
  await page.keyboard.press('ArrowDown');
  assert.notEqual(await page.evaluate(() => location.hash), before);
  assert.deepEqual(problems, []);
  await page.close();
});

test('a picture saves as SVG and as PNG, by itself', async () => {
  const { page, problems } = await chromium.open(htmlOf(all[0]!), { hash: '#/kernel/0' });
  const save = async (kind: string): Promise<Buffer> => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator('.picture').nth(1).getByRole('button', { name: `as ${kind}` }).click()]);
    assert.match(download.suggestedFilename(), new RegExp(`^[a-z0-9-]+\\.${kind.toLowerCase()}$`));
    return readFileSync(await download.path());
  };
  const svg = (await save('SVG')).toString('utf8');
  assert.doesNotMatch(svg, /var\(|class=|light-dark|color-mix/);
  assert.match(svg, /<title>[^<]+<\/title><desc>[^<]+<\/desc>/);
  assert.equal(await page.evaluate((text) => new DOMParser().parseFromString(text, 'image/svg+xml').querySelector('parsererror')?.textContent ?? '', svg), '');
  const png = await save('PNG');
  assert.equal(png.subarray(1, 4).toString('latin1'), 'PNG');
  assert.ok(png.length > 3000);
  assert.deepEqual(problems, []);
  await page.close();
});

test('the page prints', async () => {
  for (const hash of ['#/', '#/kernel/0', '#/kernel/0/source']) {
    const { page, problems } = await chromium.open(htmlOf(all[0]!), { hash, dark: true });
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    assert.equal(await page.locator('.side').isVisible(), false);
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
    const clipped = await page.evaluate(() => [...document.querySelectorAll('.pane-scroll')].some((e) => e.scrollHeight > e.clientHeight + 4));
    assert.equal(clipped, false, 'a pane is cut');
    const pdf = await page.pdf({ format: 'A4' });
    assert.ok(pdf.length > 10_000);
    assert.deepEqual(problems, []);
    await page.close();
  }
});

test('an address that names nothing shows the overview', async () => {
  const opened: Opened = await chromium.open(htmlOf(all[0]!), { hash: '#/kernel/9999/source/none.cu:7' });
  assert.ok(await opened.page.locator('.overview-head').isVisible());
  assert.deepEqual(opened.problems, []);
  await opened.page.close();
});

test('a document that is not compressed opens, and one that is cut says so', async () => {
  const json = JSON.stringify(poisoned(all[0]!.document).document);
  const plain = await chromium.open(plainPageOf(json), { hash: '#/' });
  assert.ok(await plain.page.locator('.overview-head').isVisible());
  assert.equal(await plain.page.locator('img').count(), 0);
  assert.deepEqual(plain.problems, []);
  await plain.page.close();
  const cut = await chromium.open(pageOf(json).replace(/(id="data">.{2000})[^<]*/, '$1'));
  assert.match(await cut.page.locator('#page').innerText(), /cannot be read/);
  await cut.page.close();
});

test('the data is saved as the document', async () => {
  const { page } = await chromium.open(htmlOf(all[0]!), { hash: '#/' });
  const [saved] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Data (JSON)' }).click()]);
  assert.deepEqual(JSON.parse(readFileSync(await saved.path(), 'utf8')), all[0]!.document);
  await page.close();
});

test('a page without a document says so', async () => {
  const { page, problems } = await chromium.open(plainPageOf(''));
  assert.match(await page.locator('#page').innerText(), /no document/);
  assert.deepEqual(problems, []);
  await page.close();
});
