// What the drawings show is what was counted.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { layOutAccess, placeOf } from '../../src/drawings/access/layout';
import { laneStep, layOutBanks, passesOf as passesOfLane, rowBytes } from '../../src/drawings/banks/layout';
import { passesOf } from '../../src/drawings/banks/passes';
import { planesOf, warpsOf } from '../../src/drawings/block/layout';
import { busShare, explainedDram, recordedDram } from '../../src/drawings/dram/layout';
import { allLanes, laneCount, lanesText, maskOf, runs } from '../../src/drawings/shared/lanes';
import { filling, running, slotsOf } from '../../src/drawings/slots/layout';
import { alike, factsOf, fold, roundsOf, stepsOf } from '../../src/drawings/steps/layout';
import { binned, type Segment } from '../../src/drawings/time/bins';
import { findAt, rowsOf, stallShares } from '../../src/drawings/warps/layout';
import { createEngine, type Engine } from '../../src/explain/engine';
import { reductionSteps, timelineOf } from '../data/drawn';
import { samples } from '../browser/samples';

const documents = samples();
const accesses = documents.flatMap(({ document }) => document.profiles.flatMap((profile) => profile.kernels.flatMap((kernel) => (kernel.drawn?.accesses ?? []).map((access) => ({ access, device: profile.device })))));
const all = { lanes: allLanes, neighbours: Array.from({ length: 32 }, (_, lane) => 4 * lane) };

let engine: Engine;
before(async () => {
  engine = await createEngine(gunzipSync(readFileSync(join(import.meta.dirname, '../../wasm/explain.wasm.gz'))));
});

test('masks of lanes', () => {
  assert.equal(laneCount(0x80000001), 2);
  assert.equal(laneCount(allLanes), 32);
  assert.equal(maskOf([0, 31]), 0x80000001);
  assert.equal(lanesText(0x8000000f), 'lanes 0–3, 31');
  assert.equal(lanesText(0x10), 'lane 4');
  assert.deepEqual(runs([1, 2, 3, 7]), [[1, 3], [7, 7]]);
});

test('recorded accesses have as many sectors as were counted', () => {
  const global = accesses.filter(({ access }) => access.memory !== 'shared' && access.sectors != null);
  assert.ok(global.length >= 10);
  for (const { access } of global) assert.equal(layOutAccess(access.lanes, access.addresses, access.bytes).sectors, access.sectors);
});

test('the engine finds the passes of recorded accesses to shared memory again', () => {
  const shared = accesses.filter(({ access }) => access.memory === 'shared' && access.passes);
  assert.ok(shared.length >= 8);
  for (const { access, device } of shared) {
    const answer = engine.ask<{ warp: Parameters<typeof passesOf>[0] }>({
      topic: 'recorded_banks', lanes: access.lanes, addresses: access.addresses.map((address) => address ?? 0), bytes: access.bytes, op: access.op ?? access.kind, device: { ...device },
    });
    assert.ok(answer.ok, JSON.stringify(answer));
    assert.equal(answer.value.warp.wavefronts, access.wavefronts);
    assert.equal(answer.value.warp.ideal_wavefronts, access.ideal);
    assert.deepEqual(passesOf(answer.value.warp), access.passes);
  }
});

test('lanes onto sectors: two lines of every second word', () => {
  const layout = layOutAccess(allLanes, all.neighbours.map((place) => 2 * place + 1024), 4);
  assert.equal(layout.base, 1024n);
  assert.deepEqual(layout.lines.map((line) => line.offset), [0, 128]);
  assert.deepEqual(layout.lines.map((line) => line.sectors.map((sector) => sector.usedBytes)), [[16, 16, 16, 16], [16, 16, 16, 16]]);
  assert.deepEqual([layout.usedBytes, layout.movedBytes], [128, 256]);
  assert.deepEqual(placeOf(layout, 17), { line: 1, sector: 4, from: 136, to: 139 });
});

test('lanes onto sectors: an element over two sectors, one word for all, addresses beyond 2^53', () => {
  const across = layOutAccess(1, [30, ...Array.from({ length: 31 }, () => 0)], 4);
  assert.deepEqual([across.sectors, across.usedBytes, across.lines[0]?.sectors.map((s) => s.usedBytes)], [2, 4, [2, 2, 0, 0]]);
  const one = layOutAccess(allLanes, all.neighbours.map(() => '18446744073709551488'), 4);
  assert.deepEqual([one.sectors, one.usedBytes, one.lines[0]?.sectors[0]?.pieces.map((p) => laneCount(p.lanes))], [1, 4, [32]]);
  const none = layOutAccess(0, all.neighbours, 4);
  assert.deepEqual([none.sectors, none.lines.length], [0, 0]);
});

test('lanes that are not active have no address', () => {
  const layout = layOutAccess(0b101, [64, null, 128, ...Array.from({ length: 29 }, () => null)], 4);
  assert.deepEqual([layout.base, layout.sectors, layout.offsets[1]], [0n, 2, null]);
  assert.equal(laneStep(0b101, [64, null, 128, ...Array.from({ length: 29 }, () => null)]), 32);
});

test('lanes onto banks', () => {
  const layout = layOutBanks(32, [[{ bank: 0, word: 0, lanes: 0xf }, { bank: 1, word: 1, lanes: 0x10 }], [{ bank: 0, word: 32, lanes: 0x20 }]]);
  assert.equal(layout.shared, 1);
  assert.deepEqual([layout.banksOf[0], layout.banksOf[5], passesOfLane(layout, 5)], [[0], [0], [1]]);
  const banks = { count: 32, word_bytes: 4 };
  assert.equal(laneStep(allLanes, all.neighbours.map((place) => 32 * place)), 128);
  assert.equal(laneStep(0b101, [0, 0, 16, ...Array.from({ length: 29 }, () => 0)]), 8);
  assert.equal(laneStep(0b111, [0, 4, 16, ...Array.from({ length: 29 }, () => 0)]), null);
  assert.deepEqual([rowBytes(4, banks), rowBytes(256, banks), rowBytes(null, banks)], [128, 256, 128]);
});

test('the warps of blocks of one, two and three dimensions', () => {
  assert.deepEqual(warpsOf([6, 5, 2]), { threads: 60, warps: 2, idle: 4 });
  assert.deepEqual(planesOf([100, 1, 1]).map((p) => [p.columns, p.rows, p.cells.length]), [[32, 4, 100]]);
  assert.deepEqual(planesOf([6, 5, 2]).map((p) => [p.z, p.columns, p.rows, p.cells[0]?.thread]), [[0, 6, 5, 0], [1, 6, 5, 30]]);
});

test('steps: loops fold, and active lanes are counted by instructions', () => {
  const warp = { warp: 0, barriers: [], steps: [[0, allLanes, 1], ...Array.from({ length: 9 }, (_, i): [number, number, number] => [1 + (i % 3), i % 3 === 1 ? 0xffff : allLanes, 1]), [4, allLanes, 2]] as [number, number, number][] };
  assert.deepEqual(fold(stepsOf(warp)).map((group) => [group.steps.map((step) => step.code), group.times]), [[[0], 1], [[1, 2, 3], 3], [[4], 1]]);
  const facts = factsOf(stepsOf(warp), [[0], [1], [2, 3], [4], [5]]);
  assert.deepEqual(facts, { steps: 12, divergent: 3, active: (9 * 32 + 6 * 16) / (15 * 32) });
});

for (const [kind, threads, divergent] of [['neighboured', [128, 64, 32, 16, 8, 4, 2, 1, 1], 8], ['interleaved', [128, 64, 32, 16, 8, 4, 2, 1, 1], 6]] as const)
  test(`rounds of a reduction: ${kind} pairs`, () => {
    const rounds = roundsOf(reductionSteps(128, kind));
    // All threads load; then half of them add in each round; one stores.
    assert.deepEqual(rounds.map((round) => round.working.size), threads.slice(0, rounds.length));
    assert.equal(rounds.filter((round) => round.warps.some((warp) => warp.state === 'divergent')).length, divergent);
    for (const round of rounds) assert.equal(round.warps.reduce((sum, warp) => sum + warp.lanes, 0), round.working.size);
  });

test('rounds in a row that are alike are one', () => {
  const steps = reductionSteps(64, 'interleaved');
  const [load, ...rest] = roundsOf(steps);
  assert.deepEqual(alike([load!, load!, ...rest, load!]).map(({ first, last }) => [first, last]).slice(0, 3), [[1, 2], [3, 3], [4, 4]]);
});

test('slots: waves, filling and the tail', () => {
  const slots = slotsOf([[0, 0, 0, 0, 10], [0, 1, 1, 0, 20], [0, 0, 2, 10, 20], [0, 0, 3, 20, 40]]);
  assert.deepEqual(slots.map((slot) => slot.blocks.map((b) => [b.block, b.wave])), [[[0, 0], [2, 1], [3, 2]], [[1, 0]]]);
  assert.deepEqual(filling(slots, 0), { filled: 60 / 80, tail: 20, end: 40, waves: 3 });
  assert.deepEqual(running(slots), [[0, 2], [10, 2], [20, 1], [40, 0]]);
});

test('a pixel shows the kind that fills most of it', () => {
  const segments: Segment[] = [];
  let at = 0;
  for (let i = 0; i < 3000; ++i) {
    const start = at + (i % 3 === 0 ? 1 : 0);
    at = start + 1 + ((i * 7919) % 13);
    segments.push([start, at, (i * 31) % 4]);
  }
  for (const [from, to, pixels] of [[0, at, 200], [100, 5000, 333], [at - 90, at, 500]] as const) {
    const scale = pixels / (to - from);
    const painted = new Map<number, number>();
    for (const run of binned(segments, from, to, pixels, 4)) {
      assert.ok(run.from >= 0 && run.to <= pixels + 1e-9 && run.to > run.from);
      if (scale < 0.7) for (let pixel = run.from; pixel < run.to; ++pixel) { assert.ok(!painted.has(pixel)); painted.set(pixel, run.kind); }
    }
    if (scale >= 0.7) continue;
    for (let pixel = 0; pixel < pixels; ++pixel) {
      const cover = [0, 0, 0, 0];
      for (const [start, end, kind] of segments) cover[kind]! += Math.max(0, Math.min(pixel + 1, (end - from) * scale) - Math.max(pixel, (start - from) * scale));
      const most = Math.max(...cover);
      const sum = cover.reduce((a, b) => a + b, 0);
      const shown = painted.get(pixel);
      if (sum > 0.5 + 1e-6) assert.ok(shown !== undefined && cover[shown]! > most - 1e-6, `pixel ${pixel}`);
      else if (sum < 0.5 - 1e-6) assert.equal(shown, undefined);
    }
  }
});

const stalls = ['selected', 'wait', 'long_scoreboard', 'short_scoreboard', 'math_pipe_throttle', 'barrier', 'not_selected'].map((name) => ({ name, text: name }));
const machine = { sms: 2, schedulers: 4, warpsPerBlock: 8, blocksPerSm: 2, blocks: 20, instructions: 24, channels: 4, banks: 8 };

test('warps in rows: every warp once, one after the other, and its cycles add up', () => {
  const timeline = timelineOf(machine, stalls.map((s) => s.name));
  const schedulers = rowsOf(timeline);
  assert.equal(schedulers.flatMap((s) => s.rows).flatMap((row) => row.warps).length, timeline.warps.length);
  for (const row of schedulers.flatMap((s) => s.rows)) row.warps.forEach((warp, i) => assert.ok(i === 0 || warp.start >= (row.warps[i - 1]?.end ?? 0)));
  const shares = stallShares(timeline.warps, stalls);
  assert.ok(Math.abs(shares.issuing + shares.stalls.reduce((sum, s) => sum + s.share, 0) - 1) < 1e-9);
  assert.equal(Math.round(shares.issuing * shares.cycles), timeline.issues.length);
  const [first] = schedulers[0]?.rows ?? [];
  const segment = first?.warps[0]?.segments[3];
  assert.deepEqual(findAt(first, segment![0] + 0.5)?.segment, segment);
  assert.equal(findAt(first, -1), null);
});

test('DRAM: rows stay open until the next one is opened, bursts do not overlap on a bus', () => {
  const timeline = timelineOf(machine, stalls.map((s) => s.name));
  const channels = recordedDram(timeline.dram, timeline.end);
  assert.equal(channels.reduce((sum, c) => sum + c.hits + c.misses, 0), timeline.dram.length);
  for (const channel of channels) {
    channel.bursts.forEach((burst, i) => assert.ok(i === 0 || burst.from >= (channel.bursts[i - 1]?.to ?? 0)));
    for (const bank of channel.banks) {
      const rows = channel.rows.filter((row) => row.bank === bank);
      rows.forEach((row, i) => assert.ok(row.to >= row.from && (i === 0 || row.from >= (rows[i - 1]?.to ?? 0))));
    }
    assert.ok(busShare(channel, 0, timeline.end) > 0 && busShare(channel, 0, timeline.end) <= 1);
  }
});

test("DRAM as the command draws it: two banks double one bank's use of the bus", () => {
  const shareOf = (banks: number): number => {
    const answer = engine.ask<{ accesses: Parameters<typeof explainedDram>[0] }>({ topic: 'dram', banks });
    assert.ok(answer.ok);
    const [channel] = explainedDram(answer.value.accesses, 1, banks);
    return busShare(channel!, 0, 43);
  };
  assert.ok(Math.abs(shareOf(2) / shareOf(1) - 2) < 0.1);
});
