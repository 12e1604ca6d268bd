import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytes, classed, count, counted, dimensions, quantity, rate, seconds, share, unitFor } from '../../src/format/numbers';

// The same numbers as tests/profile/report expects of src/profile/report/model/numbers.cpp.
test('counts', () => {
  const cases: [number, string][] = [[0, '0'], [9999, '9999'], [10000, '10.00k'], [1234000, '1.234M'], [0.5, '0.500'], [12345678901, '12.35G'], [-5, '-5'], [999960, '1.000M'], [16.84, '16.84']];
  for (const [value, text] of cases) assert.equal(count(value), text);
});
test('bytes are multiples of 1024', () => {
  assert.equal(bytes(512), '512 B');
  assert.equal(bytes(4096), '4.000 KB');
  assert.equal(bytes(1.5 * 2 ** 30), '1.500 GB');
});
test('seconds', () => {
  const cases: [number, string][] = [[0, '0 s'], [1.5e-6, '1.50 us'], [0.0213, '21.3 ms'], [2.1, '2.10 s'], [6.939e-5, '69.4 us'], [0.00033, '330 us'], [5e-10, '0.50 ns']];
  for (const [value, text] of cases) assert.equal(seconds(value), text);
});
test('a tie goes to the even digit, as in the reports', () => {
  assert.equal(count(1.0625), '1.062');
  assert.equal(count(1.1875), '1.188');
});
test('values with their units', () => {
  assert.equal(quantity(56.25, '%'), '56.25 %');
  assert.equal(quantity(1.068e11, 'byte/s'), '106.8 GB/s');
  assert.equal(quantity(4, 'sector/request'), '4 sectors/request');
  assert.equal(quantity(1, 'sector'), '1 sector');
  assert.equal(quantity(20000, 'ns'), '20.0 us');
  assert.equal(quantity(null, 'sector'), '-');
  assert.equal(unitFor(2, 'inst/warp'), 'inst/warp');
  assert.equal(unitFor(2, 'branch'), 'branches');
  assert.equal(rate(4.8e12, 'B/s'), '4.800 TB/s');
});
test('modelled values carry a mark, missing ones do not', () => {
  assert.equal(classed(2, 'warp', 'modelled'), '~2 warps');
  assert.equal(classed(2, 'warp', 'exact'), '2 warps');
  assert.equal(classed(null, 'warp', 'modelled'), '-');
});
test('words', () => {
  assert.equal(counted(1, 'launch'), '1 launch');
  assert.equal(counted(3, 'launch'), '3 launches');
  assert.equal(dimensions([64, 64, 1]), '64x64');
  assert.equal(dimensions([64, 1, 1]), '64');
  assert.equal(share(0.0004), '0.04 %');
  assert.equal(share(0.00004), '<0.01 %');
  assert.equal(share(0.936), '94 %');
});
