// The engine in the page answers what `drywarp explain` prints: the same code, compiled twice.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { createEngine, type Engine, type EngineProblem } from '../../src/explain/engine';
import { deviceOf, needsDrywarp, run } from './devices';

const root = join(import.meta.dirname, '../../..');

let engine: Engine;
test.before(async () => {
  engine = await createEngine(gunzipSync(readFileSync(join(root, 'page/wasm/explain.wasm.gz'))));
});

// The question, and the words of the same command.
const questions: [question: Record<string, unknown>, words: string[], device?: string][] = [
  [{ topic: 'access' }, ['access']],
  [{ topic: 'access', stride: 2, offset: 1 }, ['access', '--stride', '2', '--offset', '1']],
  [{ topic: 'access', index: 'a[2 * threadIdx.x]' }, ['access', '--index', 'a[2 * threadIdx.x]']],
  [{ topic: 'access', index: 'M[Row * Width + k]', let: ['Width=1024', 'k=0'], block: [1, 32, 1] },
    ['access', '--index', 'M[Row * Width + k]', '--let', 'Width=1024', '--let', 'k=0', '--block', '1x32']],
  [{ topic: 'access', index: 'a[gid]', block: [100], grid: [7], bytes: 8, warp: 3, in_block: 6, if: 'gid < 690' },
    ['access', '--index', 'a[gid]', '--block', '100', '--grid', '7', '--bytes', '8', '--warp', '3', '--in-block', '6', '--if', 'gid < 690']],
  [{ topic: 'access', base: 132, offset: -3 }, ['access', '--base', '132', '--offset', '-3']],
  [{ topic: 'access', offset: 1 }, ['access', '--offset', '1'], 'gtx280'],
  [{ topic: 'access', stride: 32 }, ['access', '--stride', '32'], 'k40'],
  [{ topic: 'banks' }, ['banks']],
  [{ topic: 'banks', stride: 2 }, ['banks', '--stride', '2']],
  [{ topic: 'banks', index: 'tile[threadIdx.x][threadIdx.y]', array: '32x32', block: [32, 8] },
    ['banks', '--index', 'tile[threadIdx.x][threadIdx.y]', '--array', '32x32', '--block', '32x8']],
  [{ topic: 'banks', index: 's[0]', op: 'store' }, ['banks', '--index', 's[0]', '--op', 'store']],
  [{ topic: 'banks', stride: 3, bytes: 16, op: 'atomic' }, ['banks', '--stride', '3', '--bytes', '16', '--op', 'atomic']],
  [{ topic: 'banks', stride: 32 }, ['banks', '--stride', '32'], 'k40'],
  [{ topic: 'banks', stride: 2, bytes: 8, eight_byte_banks: true }, ['banks', '--stride', '2', '--bytes', '8', '--eight-byte-banks'], 'k40'],
  [{ topic: 'banks', stride: 17 }, ['banks', '--stride', '17'], 'gtx280'],
  [{ topic: 'warps', block: [6, 5, 2], grid: [100] }, ['warps', '--block', '6x5x2', '--grid', '100']],
  [{ topic: 'warps', block: [16, 16] }, ['warps', '--block', '16x16']],
  [{ topic: 'divergence', if: 'threadIdx.x > 2', block: [128] }, ['divergence', 'threadIdx.x > 2', '--block', '128']],
  [{ topic: 'divergence', if: 'gid < 1000', block: [256], grid: [4] }, ['divergence', '--elements', '1000']],
  [{ topic: 'divergence', loop: '6 + threadIdx.x % 3' }, ['divergence', '--loop', '6 + threadIdx.x % 3']],
  [{ topic: 'divergence', switch: 'lane & 3', block: [8, 8] }, ['divergence', '--switch', 'lane & 3', '--block', '8x8']],
  [{ topic: 'divergence', reduction: 'interleaved', block: [128] }, ['divergence', '--reduction', 'interleaved', '--block', '128']],
  [{ topic: 'divergence', reduction: 'mod', block: [512], elements: 33554432 },
    ['divergence', '--reduction', 'mod', '--block', '512', '--elements', '33554432']],
  [{ topic: 'dram' }, ['dram']],
  [{ topic: 'dram', latency: 20, transfer: 1, banks: 2 }, ['dram', '--latency', '20', '--transfer', '1', '--banks', '2']],
  [{ topic: 'dram', latency: 20.5, banks: 21, channels: 2, pattern: 'stride 3', bus_bits: 128, clock: 1.5, bandwidth: [100] },
    ['dram', '--latency', '20.5', '--banks', '21', '--channels', '2', '--pattern', 'stride', '3', '--bus-bits', '128', '--clock', '1.5', '--bandwidth', '100']],
  [{ topic: 'dram', row_bursts: 4, pattern: 'random' }, ['dram', '--row-bursts', '4', '--pattern', 'random']],
  [{ topic: 'dram', row_bursts: 8, banks: 3, channels: 2, precharge: 5, activate: 9.5, read: 4 },
    ['dram', '--row-bursts', '8', '--banks', '3', '--channels', '2', '--precharge', '5', '--activate', '9.5', '--read', '4']],
  [{ topic: 'dram', of_device: true, pattern: 'random', size: 1 << 20 }, ['dram', '--pattern', 'random', '--size', '1M']],
  [{ topic: 'dram', of_device: true, pattern: 'stride 32', bytes: 8, size: 1 << 20, banks: 8, channels: 4 },
    ['dram', '--pattern', 'stride', '32', '--bytes', '8', '--size', '1M', '--banks', '8', '--channels', '4'], 'gtx970'],
  [{ topic: 'caches', size: 131072 }, ['caches', '--size', '128K']],
  [{ topic: 'caches', size: 1 << 20, passes: 2, sms: 4, pattern: 'stride 32' }, ['caches', '--size', '1M', '--passes', '2', '--sms', '4', '--pattern', 'stride', '32']],
  [{ topic: 'caches', size: 98304, pattern: 'random' }, ['caches', '--size', '96K', '--pattern', 'random'], 'v100'],
  [{ topic: 'caches' }, ['caches'], 'gtx480'],
];

for (const [question, words, id = 'h200'] of questions)
  test(`drywarp explain ${words.join(' ')} (${id})`, needsDrywarp, () => {
    const device = /access|banks|caches/.test(words[0] ?? '') || question['of_device'] ? ['--device', id] : [];
    const printed = JSON.parse(run(['explain', ...words, ...device, '--format', 'json'])) as object;
    const answer = engine.ask<object>({ ...question, topic: question['topic'] as string, device: deviceOf(id) });
    assert.deepEqual(answer, { ok: true, value: printed });
  });

// As compilers print it: "--index:1:5: error: message", then the hint.
const asPrinted = (p: EngineProblem): string =>
  `${p.column === null ? '' : `${p.where}:1:${p.column}: `}error: ${p.message}${p.hint ? `\n  hint: ${p.hint}` : ''}`;

const mistakes: [question: Record<string, unknown>, words: string[]][] = [
  [{ topic: 'access', index: 'a[2 * threadIdx.w]' }, ['access', '--index', 'a[2 * threadIdx.w]']],
  [{ topic: 'access', index: 'a[tid / (tid - 3)]' }, ['access', '--index', 'a[tid / (tid - 3)]']],
  [{ topic: 'access', bytes: 3 }, ['access', '--bytes', '3']],
  [{ topic: 'banks', op: 'push' }, ['banks', '--op', 'push']],
  [{ topic: 'banks', index: 's[tx][ty]' }, ['banks', '--index', 's[tx][ty]']],
  [{ topic: 'warps', block: [2048] }, ['warps', '--block', '2048']],
  [{ topic: 'divergence', if: 'tid <' }, ['divergence', 'tid <']],
  [{ topic: 'dram', latency: 0 }, ['dram', '--latency', '0']],
  [{ topic: 'dram', pattern: 'zigzag' }, ['dram', '--pattern', 'zigzag']],
];

for (const [question, words] of mistakes)
  test(`the error of drywarp explain ${words.join(' ')}`, needsDrywarp, () => {
    const answer = engine.ask({ ...question, topic: question['topic'] as string });
    assert.ok(!answer.ok);
    let printed = '';
    try {
      run(['explain', ...words]);
    } catch (failure) {
      printed = (failure as { stderr: string }).stderr.trim();
    }
    assert.equal(printed.replace('drywarp: ', ''), asPrinted(answer.problem));
  });

test('a recorded access costs what the expression does', () => {
  const asked = engine.ask<{ warp: { lanes: { address: number }[] } }>({ topic: 'access', stride: 3, base: 20 });
  assert.ok(asked.ok);
  const addresses = asked.value.warp.lanes.map((lane) => lane.address);
  const recorded = engine.ask<{ warp: { sectors: number; verdict: string } }>({ topic: 'recorded_access', lanes: 0xffffffff, addresses, bytes: 4 });
  assert.ok(recorded.ok);
  assert.deepEqual(recorded.value.warp, { ...asked.value.warp, ...recorded.value.warp, sectors: 13, verdict: 'uncoalesced' });
});

test('padding a recorded access is as padding the array', () => {
  const addresses = Array.from({ length: 32 }, (_, lane) => 128 * lane + 8);
  const wavefronts = (pad_bytes: number): number => {
    const answer = engine.ask<{ warp: { wavefronts: number } }>({ topic: 'recorded_banks', lanes: 0xffffffff, addresses, bytes: 4, row_bytes: 128, pad_bytes });
    assert.ok(answer.ok);
    return answer.value.warp.wavefronts;
  };
  assert.deepEqual([0, 4, 8, 16].map(wavefronts), [32, 1, 2, 4]);
});

test('a question of wrong types is answered by an error', () => {
  for (const [question, message] of [
    [{ topic: 'nothing' }, "there is no topic 'nothing'"],
    [{ topic: 'access', stride: 'x' }, "'stride' must be a whole number in its range"],
    [{ topic: 'access', bytes: -4 }, "'bytes' must be a whole number in its range"],
    [{ topic: 'access', block: 'x' }, "'block' must be a list"],
    [{ topic: 'dram', latency: {} }, "'latency' must be a number"],
  ] as const) {
    const answer = engine.ask(question);
    assert.ok(!answer.ok);
    assert.equal(answer.problem.message, message);
  }
});
