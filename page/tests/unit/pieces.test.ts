import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scaleLinear } from 'd3-scale';
import { compareLink, kernelLink, overviewLink, parseRoute } from '../../src/app/route';
import { highlight } from '../../src/app/source/highlight';
import { placeOf, selectionOf } from '../../src/app/source/selection';
import { groups } from '../../src/charts/span_groups';
import type { Kernel } from '../../src/data';
import { fileName, shortName } from '../../src/format/names';
import { heatStep } from '../../src/theme/colours';

test('short names of kernels', () => {
  assert.equal(shortName('void reduce<4>(int const*, int)'), 'reduce<4>');
  assert.equal(shortName('void f<(int)4, g(h) >(int)'), 'f<(int)4, g(h) >');
  assert.equal(shortName('(anonymous namespace)::k(int)'), '(anonymous namespace)::k');
  assert.equal(shortName('simple(float*)'), 'simple');
  assert.equal(shortName('k'), 'k');
  assert.equal(fileName('/a/b/c.cu'), 'c.cu');
});

test('addresses lead back to what they were made of', () => {
  assert.deepEqual(parseRoute(kernelLink(1, 3, 'source', 'a b.cu:43')), { profile: 1, page: 'kernel', kernel: 3, tab: 'source', rest: 'a b.cu:43' });
  assert.deepEqual(parseRoute(kernelLink(0, 2, 'memory')), { profile: 0, page: 'kernel', kernel: 2, tab: 'analysis', rest: 'memory' });
  assert.equal(parseRoute(overviewLink(2, 'timeline')).rest, 'timeline');
  assert.equal(parseRoute(compareLink(4)).page, 'compare');
  assert.equal(parseRoute('').page, 'start');
  for (const nonsense of ['#/kernel/x', '#%%%', '#/p9', '#/a/b/c/d']) assert.equal(parseRoute(nonsense).page, 'overview');
});

test('spans closer than a pixel become one mark, and none is lost', () => {
  const spans = Array.from({ length: 10_000 }, (_, i) => ({ start: i, length: 0.5, colour: i === 77 ? 'a' : 'b', label: '', tip: '' }));
  const made = groups(spans, scaleLinear([0, 10_000], [0, 500]), 500, 1);
  assert.ok(made.length <= 500);
  assert.equal(made.reduce((n, g) => n + g.last - g.first + 1, 0), 10_000);
  assert.ok(Math.abs(made.reduce((busy, g) => busy + g.busy, 0) - 5000) < 1e-6);
  const zoomed = groups(spans, scaleLinear([100, 110], [0, 500]), 500, 1);
  assert.ok(zoomed.every((g) => g.first === g.last) && zoomed.length === 11);
});

test('comments go over lines, and the text stays whole', () => {
  const lines = ['int x = 0x1F; /* a', 'b */ __shared__ float y; // "no"', "char c = '\"'; threadIdx.x"];
  const tokens = highlight(lines);
  assert.deepEqual(tokens.map((line) => line.map(([, text]) => text).join('')), lines);
  assert.deepEqual(tokens[1]?.[0], ['comment', 'b */']);
  assert.ok(tokens[2]?.some(([kind, text]) => kind === 'cuda' && text === 'threadIdx'));
});

test('a place names a line of the kernel, else the costliest', () => {
  const kernel = { lines: [{ file: '/s/k.cu', line: 9 }, { file: '', line: 0 }], instructions: [{ file: '/s/h.h', line: 4 }] } as unknown as Kernel;
  assert.deepEqual(selectionOf('h.h:4:0', kernel), { file: '/s/h.h', line: 4, instruction: 0 });
  assert.deepEqual(selectionOf('', kernel), { file: '/s/k.cu', line: 9, instruction: null });
  assert.deepEqual(selectionOf('none.cu:1', kernel), { file: '/s/k.cu', line: 9, instruction: null });
  assert.equal(placeOf({ file: '/s/k.cu', line: 9, instruction: 3 }), 'k.cu:9:3');
});

test('heat has nine steps', () => {
  assert.deepEqual([0, -1, NaN, 0.001, 1, 2].map(heatStep), [0, 0, 0, 1, 8, 8]);
});
