// A warp's steps through a kernel: which lanes ran each basic block, one after the other.
import type { Instruction, Kernel, Steps } from '../../data';
import { laneCount, lanesIn, warpLanes } from '../shared/lanes';

export type WarpSteps = Steps['warps'][number];

export interface Step {
  /** Its place in the recording. */
  index: number;
  code: number;
  lanes: number;
  repeats: number;
}

/** Rows of the picture: steps, or a sequence of them that repeats. */
export interface Fold {
  steps: Step[];
  times: number;
}

export const stepsOf = (warp: WarpSteps): Step[] => warp.steps.map(([code, lanes, repeats], index) => ({ index, code, lanes: lanes >>> 0, repeats }));

const sameStep = (a: Step | undefined, b: Step | undefined): boolean => !!a && !!b && a.code === b.code && a.lanes === b.lanes && a.repeats === b.repeats;
const longestPeriod = 16;

/** Sequences that repeat at once, at least twice, become one. */
export function fold(steps: readonly Step[]): Fold[] {
  const out: Fold[] = [];
  let i = 0;
  while (i < steps.length) {
    let best = { period: 1, times: 1 };
    for (let period = 1; period <= longestPeriod && i + 2 * period <= steps.length; ++period) {
      let times = 1;
      for (let at = i + period; at + period <= steps.length; at += period) {
        let same = true;
        for (let k = 0; k < period && same; ++k) same = sameStep(steps[i + k], steps[at + k]);
        if (!same) break;
        ++times;
      }
      if (times > 1 && period * (times - 1) > best.period * (best.times - 1)) best = { period, times };
    }
    const group = steps.slice(i, i + best.period);
    const last = out.at(-1);
    if (best.times === 1 && last?.times === 1) last.steps.push(...group);
    else out.push({ steps: group, times: best.times });
    i += best.period * best.times;
  }
  return out;
}

/** The lanes that have a thread. */
export const presentLanes = (steps: readonly Step[]): number => steps.reduce((mask, step) => (mask | step.lanes) >>> 0, 0);

export interface StepFacts {
  steps: number;
  divergent: number;
  /** Lanes active of 32, over all instructions of all steps: 0 to 1. */
  active: number;
}

export function factsOf(steps: readonly Step[], codeBlocks: Steps['code_blocks']): StepFacts {
  const present = presentLanes(steps);
  let divergent = 0;
  let count = 0;
  let instructions = 0;
  let lanes = 0;
  for (const step of steps) {
    count += step.repeats;
    if (step.lanes !== present) divergent += step.repeats;
    const all = (codeBlocks[step.code]?.length ?? 0) * step.repeats;
    instructions += all;
    lanes += all * laneCount(step.lanes);
  }
  return { steps: count, divergent, active: instructions === 0 ? 0 : lanes / (instructions * warpLanes) };
}

export interface CodePlace {
  file: string;
  line: number;
  lastLine: number;
  source: string;
  instructions: number;
}

/** A basic block's lines in the source: those of its instructions in the file of the most of them. */
export function codePlace(kernel: Kernel, steps: Steps, code: number, sources: Record<string, string[]>): CodePlace {
  const own: Instruction[] = (steps.code_blocks[code] ?? []).flatMap((index) => kernel.instructions[index] ?? []);
  const files = new Map<string, number[]>();
  for (const { file, line } of own) if (line > 0) files.set(file, [...(files.get(file) ?? []), line]);
  const [file = '', lines = []] = [...files].sort((a, b) => b[1].length - a[1].length)[0] ?? [];
  const line = lines.length ? Math.min(...lines) : 0;
  return { file, line, lastLine: lines.length ? Math.max(...lines) : 0, source: (sources[file]?.[line - 1] ?? '').trim(), instructions: own.length };
}

/** Between two barriers: what each thread of the block did. */
export interface Round {
  /** Of the block's threads: that run a basic block which others skip; all, if nothing is skipped. */
  working: Set<number>;
  /** Of all threads, that ran anything. */
  present: Set<number>;
  /** By warp: no lane works, all do, or some. */
  warps: { warp: number; lanes: number; state: 'idle' | 'whole' | 'divergent' }[];
  /** The basic blocks that not all threads run. */
  partial: number[];
}

/** The rounds of a block between its barriers. Every thread passes the same barriers. */
export function roundsOf(steps: Steps): Round[] {
  const parts = steps.warps.map((warp) => {
    const ends = warp.barriers.map(([step]) => step);
    const all = stepsOf(warp);
    const cuts = [...ends, all.length - 1];
    let from = 0;
    return cuts.map((cut) => {
      // The step that ends at the barrier belongs to the round before it.
      const own = all.slice(from, cut + 1);
      from = cut + 1;
      return { warp: warp.warp, steps: own };
    });
  });
  const number = Math.max(0, ...parts.map((part) => part.length));
  const rounds: Round[] = [];
  for (let r = 0; r < number; ++r) {
    const present = new Set<number>();
    const byCode = new Map<number, Set<number>>();
    const lanesPresent = new Map<number, number>();
    for (const part of parts) {
      const own = part[r];
      if (!own) continue;
      for (const step of own.steps)
        for (const lane of lanesIn(step.lanes)) {
          const thread = own.warp * warpLanes + lane;
          present.add(thread);
          const set = byCode.get(step.code) ?? new Set();
          byCode.set(step.code, set);
          set.add(thread);
          lanesPresent.set(own.warp, ((lanesPresent.get(own.warp) ?? 0) | (1 << lane)) >>> 0);
        }
    }
    if (present.size === 0) continue;
    // What is only a jump around such code is no work.
    const isJump = (code: number) => (steps.code_blocks[code]?.length ?? Infinity) <= 1;
    const partial = [...byCode].filter(([code, threads]) => threads.size < present.size && !isJump(code));
    const working = new Set<number>();
    for (const [, threads] of partial) for (const thread of threads) working.add(thread);
    if (partial.length === 0) for (const thread of present) working.add(thread);
    rounds.push({
      working,
      present,
      partial: partial.map(([code]) => code),
      warps: [...lanesPresent].map(([warp, lanes]) => {
        const active = lanesIn(lanes).filter((lane) => working.has(warp * warpLanes + lane)).length;
        return { warp, lanes: active, state: active === 0 ? 'idle' : active === laneCount(lanes) ? 'whole' : 'divergent' };
      }),
    });
  }
  return rounds;
}

/** Rounds in a row in which the same threads do the same code are one; rounds count from 1. */
export function alike(rounds: readonly Round[]): { round: Round; first: number; last: number }[] {
  const out: { round: Round; first: number; last: number }[] = [];
  const same = (a: Round, b: Round): boolean => a.working.size === b.working.size && a.partial.join() === b.partial.join() && [...a.working].every((thread) => b.working.has(thread));
  rounds.forEach((round, i) => {
    const before = out.at(-1);
    if (before && same(before.round, round)) before.last = i + 1;
    else out.push({ round, first: i + 1, last: i + 1 });
  });
  return out;
}
