// Keeps a document of `drywarp report --format json` for the tests, small and without this machine's paths:
//   node --import tsx tools/keep.ts DOCUMENT.json NAME [TIMELINES]
// Only the first TIMELINES kernels of a profile (1) keep what was recorded cycle by cycle.
import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { ReportDocument } from '../src/data';

const [, , file = '', name = '', timelines = '1'] = process.argv;
const text = readFileSync(file, 'utf8');
const folders = new Set([...text.matchAll(/"(\/[^"\\]*\/)[^"\\/]+\.cu"/g)].map((match) => match[1]!));
const places = new Set([...text.matchAll(/(\/tmp\/[^"\\ ]*\/)[^"\\/ ]+\.(?:dwprof|cu)/g)].map((match) => match[1]!));
let kept = text;
for (const folder of [...folders].sort((a, b) => b.length - a.length)) kept = kept.replaceAll(folder, 'examples/');
for (const place of [...places].sort((a, b) => b.length - a.length)) kept = kept.replaceAll(place, '');
const document = JSON.parse(kept) as ReportDocument;
for (const profile of document.profiles) {
  let left = Number(timelines);
  for (const kernel of profile.kernels) {
    if (!kernel.drawn?.timeline) continue;
    if (left-- <= 0) {
      kernel.drawn.timeline = null;
      kernel.drawn.timeline_left_out = true;
    }
  }
}
const packed = gzipSync(JSON.stringify(document), { level: 9 });
writeFileSync(new URL(`../tests/data/${name}.json.gz`, import.meta.url), packed);
console.log(`tests/data/${name}.json.gz: ${(packed.length / 1024).toFixed(0)} KB`);
