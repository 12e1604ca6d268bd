// The explain page's table of inputs: the address keeps them, and the command that it shows says the same.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { createEngine, type Engine } from '../../src/explain/engine';
import { commandOf, fromInput, hashOf, initialOf, paddedArray, questionOf, readDims, readHash, readSize, topics } from '../../src/explain/topics';
import { deviceOf, drywarp, needsDrywarp } from './devices';

const root = join(import.meta.dirname, '../../..');
let engine: Engine;
before(async () => {
  engine = await createEngine(gunzipSync(readFileSync(join(root, 'page/wasm/explain.wasm.gz'))));
});

for (const topic of topics)
  for (const preset of topic.presets) {
    const values = { ...initialOf(topic), ...preset.values };
    test(`${topic.id}, "${preset.label}": the address and the command say what the page shows`, needsDrywarp, () => {
      const read = readHash(hashOf(topic, values));
      assert.equal(read?.topic, topic);
      assert.deepEqual(read?.values, values);
      const command = commandOf(topic, values, topic.ofDevice ? 'h200' : null);
      assert.match(command, /^drywarp explain /);
      const printed = JSON.parse(execFileSync('/bin/sh', ['-c', `"$0" ${command.replace(/^drywarp /, '')} --format json`, drywarp], { encoding: 'utf8' })) as { device?: object };
      const answer = engine.ask<{ device?: object }>({ ...questionOf(topic, values), device: deviceOf('h200') });
      assert.ok(answer.ok, JSON.stringify(answer));
      assert.deepEqual(answer.value, printed);
    });
  }

test('inputs of a document become values', () => {
  const access = fromInput('access', { stride: 2, offset: 1, block: [64, 1, 1] }, false);
  assert.equal(access?.topic.id, 'access');
  assert.deepEqual([access?.values['stride'], access?.values['block'], access?.values['bytes']], [2, [64, 1, 1], 4]);
  assert.deepEqual(fromInput('divergence', { loop: 'tid', block: [32] }, false)?.values, { branch: 'loop', expression: 'tid', let: [], block: [32, 1, 1], grid: [1, 1, 1] });
  assert.deepEqual(fromInput('divergence', { reduction: 'mod', block: [64, 1, 1] }, false)?.values, { reduction: 'mod', block: 64 });
  assert.equal(fromInput('dram', { row_bursts: 8 }, false)?.topic.id, 'rows');
  assert.deepEqual([fromInput('dram', {}, false)?.topic.id, fromInput('dram', {}, true)?.topic.id], ['dram', 'stream']);
  assert.equal(fromInput('caches', { size: '128K' }, true)?.values['size'], 131072);
  assert.equal(fromInput('caches', { size: '128K' }, false), null);
  assert.deepEqual(['64', '128K', '1M', '2 MB', 'x'].map(readSize), [64, 131072, 1048576, 2097152, null]);
});

test('addresses and dimensions that mean nothing', () => {
  assert.equal(readHash('#nothing?x=1'), null);
  assert.equal(readHash(''), null);
  assert.equal(readHash('#access?stride=x')?.values['stride'], 1);
  assert.deepEqual(readHash('#access?block=8x8')?.values['block'], [8, 8, 1]);
  assert.equal(readDims('32x'), null);
  assert.deepEqual(readDims(' 4 x 5x6'), [4, 5, 6]);
  assert.equal(paddedArray({ array: '32x32', pad: 2 }), '32x34');
  assert.equal(paddedArray({ array: 'nx32', pad: 2 }), 'nx32');
});
