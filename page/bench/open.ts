// How quickly a report with many launches opens, and how large it is.
//   npm run bench [-- DOCUMENT.json | PAGE.html]
// Without a file, a kept document is repeated until it has 1,000 launches of 100 kernels.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Kernel, Profile, ReportDocument } from '../src/data';
import { Chromium, pageOf } from '../tests/browser/harness';

const launches = 1000;
const kernels = 100;
const runs = 5;

function grown(document: ReportDocument): ReportDocument {
  const profile = document.profiles[0]!;
  const from = profile.kernels.length;
  const many: Kernel[] = Array.from({ length: kernels }, (_, i) => ({ ...profile.kernels[i % from]!, name: profile.kernels[i % from]!.name.replace('(', `_${i}(`) }));
  const own = profile.launches.length;
  const more = Array.from({ length: launches }, (_, i) => ({ ...profile.launches[i % own]!, kernel: i % kernels, start_seconds: i * 0.01 }));
  let at = 0;
  const spans: Profile['timeline']['streams'][number]['spans'] = more.map((launch, i) => {
    const seconds = launch.time?.seconds ?? 1e-6;
    at += seconds;
    return [at - seconds, seconds, 'launch', i];
  });
  const calls: Profile['api_calls'] = Array.from({ length: 5 * launches }, (_, i) => [i % profile.api.length, i * 0.002, 0.001]);
  return { ...document, compare: null, profiles: [{ ...profile, kernels: many, launches: more, api_calls: calls, timeline: { ...profile.timeline, streams: [{ stream: 0, spans }], seconds: at } }] };
}

function pageFor(file: string | undefined): string {
  if (file?.endsWith('.html')) return readFileSync(file, 'utf8');
  if (file) return pageOf(readFileSync(file, 'utf8'));
  const kept = gunzipSync(readFileSync(new URL('../tests/data/transpose.json.gz', import.meta.url))).toString('utf8');
  return pageOf(JSON.stringify(grown(JSON.parse(kept) as ReportDocument)));
}

const html = pageFor(process.argv[2]);
const chromium = await Chromium.start();
const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
console.log(`size               ${(Buffer.byteLength(html) / 2 ** 20).toFixed(2)} MB`);
for (const hash of ['#/', '#/kernel/0', '#/kernel/0/source', '#/kernel/0/metrics']) {
  const times: number[] = [];
  for (let i = 0; i < runs; ++i) {
    const { page } = await chromium.open(html, { hash });
    // From the start of the navigation to the first frame that shows the report.
    times.push(await page.evaluate(() => new Promise<number>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))))));
    await page.close();
  }
  console.log(`open ${hash.padEnd(20)} ${median(times).toFixed(0)} ms, median of ${runs}`);
}
await chromium.close();
