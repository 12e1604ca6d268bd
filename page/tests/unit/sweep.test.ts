// The rows of a sweep as its page shows them.
import assert from 'node:assert/strict';
import test from 'node:test';
import type { Sweep, SweepRow, Value } from '../../src/data';
import { axesOf, cellsOf, columnsOf, configurationOf, filtered, groupsOf, labelOf, noteOf, sorted, timed } from '../../src/sweep/rows';
import { heatOf, marksOf, ticksOf } from '../../src/sweep/scales';

const row = (number: number, bm: number, pad: number, gpu: string, seconds: Value, more: Partial<SweepRow> = {}): SweepRow => ({
  row: number, group: `GPU=${gpu}`, state: seconds === null ? 'does not fit' : 'timed', configuration: { BM: bm, PAD: pad, GPU: gpu }, dropped: null,
  measurement: { outcome: seconds === null ? 'does not fit' : 'ok', reason: seconds === null ? 'a launch was refused\nmore' : null, stage: 'whole', seconds, extrapolated: false, least_cycles: null, occupancy: seconds === null ? null : 100 - bm, registers: bm, kernels: seconds === null ? [] : [{ name: 'k', launches: 1, registers: bm, grid: '1', block: '32', seconds, occupancy: 50, limiter: 'memory (l2)' }], host_seconds: 0 },
  ...more,
});

const sweep: Sweep = {
  title: 's.dwsweep', drywarp_sweep: 1, drywarp_version: '', program: ['a.cu'], arguments: [], device: null, search: 'grid', per: [], constraints: [],
  parameters: [
    { name: 'BM', kind: 'macro', values: [8, 16, 32], labels: ['8', '16', '32'], when: null },
    { name: 'PAD', kind: 'macro', values: [0, 1], labels: ['no', 'yes'], when: null },
    { name: 'GPU', kind: 'device', values: ['h200', 'k40'], labels: ['h200', 'k40'], when: null },
  ],
  rows: [row(1, 8, 0, 'h200', 4e-6), row(2, 16, 0, 'h200', 2e-6), row(3, 16, 1, 'h200', 3e-6), row(4, 32, 1, 'h200', null), row(5, 8, 0, 'k40', 9e-6), row(6, 32, 0, 'k40', 8e-6, { state: 'dropped', dropped: 'rank 6 of 6' })],
  best: [{ group: 'GPU=h200', row: 2, flags: '' }, { group: 'GPU=k40', row: 5, flags: '' }], pareto_front: [2, 5],
};

test('only rows of the last stage have a time', () => {
  assert.deepEqual(timed(sweep.rows).map((t) => t.row.row), [1, 2, 3, 5]);
  assert.deepEqual(groupsOf(sweep), ['GPU=h200', 'GPU=k40']);
});

test('values are shown by their names', () => {
  assert.equal(configurationOf(sweep, sweep.rows[2]!), 'BM=16 PAD=yes GPU=h200');
  assert.equal(labelOf(sweep.parameters[1]!, sweep.rows[0]!), 'no');
  assert.equal(noteOf(sweep.rows[3]!), 'does not fit: a launch was refused');
  assert.equal(noteOf(sweep.rows[5]!), 'dropped, rank 6 of 6');
  assert.equal(noteOf(sweep.rows[0]!), 'memory (l2)');
});

test('axes are what varies and is no device', () => {
  assert.deepEqual(axesOf(sweep).map((p) => p.name), ['BM', 'PAD']);
  assert.deepEqual(axesOf({ ...sweep, per: ['BM'] }).map((p) => p.name), ['PAD']);
});

test('a cell has the fastest row of its pair, or what became of it', () => {
  const cells = cellsOf(sweep.rows, sweep.parameters[0]!, sweep.parameters[2]!);
  const at = (x: number, y: number) => cells.find((c) => c.x === x && c.y === y);
  assert.equal(at(1, 0)?.best?.row.row, 2);
  assert.equal(at(1, 0)?.rows, 2);
  assert.equal(at(2, 0)?.best, null);
  assert.equal(at(2, 0)?.lost, 'does not fit');
  assert.equal(at(2, 1)?.lost, 'dropped');
  assert.equal(at(1, 1), undefined);
});

test('columns sort by value and not by text, rows without one last', () => {
  const column = (key: string) => columnsOf(sweep).find((c) => c.key === key)!;
  const order = (key: string, descending = false) => sorted(sweep.rows, column(key), descending).map((r) => r.row);
  assert.deepEqual(order('time'), [2, 3, 1, 5, 4, 6]);
  assert.deepEqual(order('parameter BM'), [1, 5, 2, 3, 4, 6]);
  assert.deepEqual(order('parameter BM', true), [4, 6, 2, 3, 1, 5]);
  assert.deepEqual(order('occupancy'), [1, 5, 2, 3, 6, 4]);
});

test('a filter takes settings whole and words anywhere', () => {
  const front = new Set(sweep.pareto_front);
  const found = (words: string, more = {}) => filtered(sweep, { words, state: '', front: false, group: null, ...more }, front).map((r) => r.row);
  assert.deepEqual(found('bm=8'), [1, 5]);
  assert.deepEqual(found('bm=3'), []);
  assert.deepEqual(found('pad=yes refused'), [4]);
  assert.deepEqual(found('', { front: true }), [2, 5]);
  assert.deepEqual(found('', { state: 'dropped' }), [6]);
  assert.deepEqual(found('', { group: 'GPU=k40' }), [5, 6]);
});

test('heat goes by ratios, and an axis has a few round values', () => {
  assert.deepEqual([1, 2, 15, 16].map((t) => heatOf(t, 1, 16)), [1, 3, 8, 8]);
  assert.equal(heatOf(1, 1, 1), 1);
  for (const [low, high] of [[1e-6, 1.02e-6], [3e-6, 3e-6], [1e-6, 9e-6], [1e-6, 3e-4], [1e-6, 5]] as const) {
    const ticks = ticksOf(low, high);
    assert.ok(ticks.length >= 2 && ticks.length <= 10, `${low} to ${high}: ${ticks.join(' ')}`);
  }
});

test('marks of one place are one, and the fastest stands for them', () => {
  const marks = marksOf(timed(sweep.rows), () => 10, (t) => (t.seconds > 3.5e-6 ? 100 : 50));
  assert.deepEqual(marks.map((m) => [m.first.row.row, m.more.length]), [[2, 1], [1, 1]]);
});
