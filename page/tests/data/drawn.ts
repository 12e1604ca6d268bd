// A drawn launch in the report's form, made by a small machine: for tests of drawings, and of their speed.
import type { CycleTimeline, Steps } from '../../src/data';

/** A reduction in shared memory of `threads`, as examples/reduction.cu has it: neighboured or interleaved pairs. */
export function reductionSteps(threads: number, kind: 'neighboured' | 'interleaved'): Steps {
  const strides: number[] = [];
  for (let s = 1; s < threads; s *= 2) strides.push(s);
  if (kind === 'interleaved') strides.reverse();
  const works = (thread: number, stride: number) => (kind === 'neighboured' ? thread % (2 * stride) === 0 : thread < stride);
  const warps = Array.from({ length: threads / 32 }, (_, warp) => {
    const steps: [number, number, number][] = [[0, 0xffffffff, 1]];
    const barriers: [number, number][] = [[0, 0]];
    for (const stride of strides) {
      let mask = 0;
      for (let lane = 0; lane < 32; ++lane) if (works(warp * 32 + lane, stride)) mask = (mask | (1 << lane)) >>> 0;
      steps.push([1, 0xffffffff, 1]);
      if (mask !== 0) steps.push([2, mask, 1]);
      steps.push([3, 0xffffffff, 1]);
      barriers.push([steps.length - 1, 0]);
    }
    steps.push([4, 0xffffffff, 1]);
    if (warp === 0) steps.push([5, 1, 1]);
    steps.push([6, 0xffffffff, 1]);
    return { warp, steps, barriers };
  });
  return { block: 0, cut: false, code_blocks: [8, 3, 4, 4, 2, 3, 1].map((size, i, all) => Array.from({ length: size }, (_, k) => all.slice(0, i).reduce((a, b) => a + b, 0) + k)), warps };
}

/** Random numbers that are the same every time. */
function numbers(seed: number): () => number {
  return () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32;
  };
}

export interface Machine {
  sms: number;
  schedulers: number;
  warpsPerBlock: number;
  blocksPerSm: number;
  blocks: number;
  /** Instructions of a warp. */
  instructions: number;
  channels: number;
  banks: number;
}

/** `stalls`: the names in the order of their numbers. */
export function timelineOf(machine: Machine, stalls: readonly string[]): CycleTimeline {
  const random = numbers(7);
  const number = (name: string) => Math.max(0, stalls.indexOf(name));
  const waits: [stall: number, cycles: number][] = [
    [number('wait'), 4], [number('long_scoreboard'), 480], [number('short_scoreboard'), 28], [number('wait'), 5], [number('math_pipe_throttle'), 3], [number('barrier'), 60],
  ];
  const blocks: CycleTimeline['blocks'] = [];
  const warps: CycleTimeline['warps'] = [];
  const issues: CycleTimeline['issues'] = [];
  const free = Array.from({ length: machine.sms * machine.blocksPerSm }, () => 0);
  const busy: Set<number>[] = Array.from({ length: machine.schedulers }, () => new Set());
  for (let block = 0; block < machine.blocks; ++block) {
    const place = free.indexOf(Math.min(...free));
    const sm = Math.floor(place / machine.blocksPerSm);
    const slot = place % machine.blocksPerSm;
    const start = free[place] ?? 0;
    let end = start;
    for (let warp = 0; warp < machine.warpsPerBlock; ++warp) {
      const segments: [number, number, number][] = [];
      const scheduler = warp % machine.schedulers;
      let at = start;
      for (let i = 0; i < machine.instructions; ++i) {
        const [stall, cycles] = waits[(i * 7 + warp) % waits.length] ?? [0, 1];
        const ready = at + Math.max(1, Math.round(cycles * (0.6 + 0.8 * random())));
        segments.push([at, ready, stall]);
        let cycle = ready;
        if (sm === 0) {
          while (busy[scheduler]?.has(cycle)) ++cycle;
          busy[scheduler]?.add(cycle);
          if (cycle > ready) segments.push([ready, cycle, number('not_selected')]);
          issues.push([scheduler, cycle, warps.length, i % 25]);
        }
        at = cycle + 1;
      }
      end = Math.max(end, at);
      if (sm === 0) warps.push({ sm, scheduler, slot: slot * machine.warpsPerBlock + warp, block, warp, start, end: at, segments });
    }
    blocks.push([sm, slot, block, start, end]);
    free[place] = end;
  }
  const last = Math.max(...free);
  issues.sort((a, b) => a[1] - b[1]);
  const dram: CycleTimeline['dram'] = [];
  const rows = new Map<string, number>();
  const bankFree = new Map<string, number>();
  const busFree = Array.from({ length: machine.channels }, () => 0);
  for (let i = 0, at = 0; at < last; ++i, at += Math.ceil(random() * 6)) {
    const channel = i % machine.channels;
    const bank = Math.floor(random() * machine.banks);
    const key = `${channel} ${bank}`;
    const row = random() < 0.7 ? (rows.get(key) ?? 0) : Math.floor(random() * 500);
    const hit = rows.get(key) === row;
    const opened = Math.max(at, bankFree.get(key) ?? 0);
    const data = Math.max(opened + (hit ? 0 : 45), busFree[channel] ?? 0);
    busFree[channel] = data + 3;
    rows.set(key, row);
    bankFree.set(key, data + 3);
    dram.push([at, data, data + 3, channel, bank, row, random() < 0.2 ? 'w' : 'r', hit ? 1 : 0, hit ? data : opened]);
  }
  return { sms: machine.sms, schedulers: machine.schedulers, cut: false, blocks, warps, issues, dram, sm: 0, channels: machine.channels, banks: machine.banks, end: last, blocks_until: last, warps_until: last, dram_until: last };
}
