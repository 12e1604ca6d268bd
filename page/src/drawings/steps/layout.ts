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

/** Between two barriers: what the threads of the block did. Masks of lanes are by warp. */
export interface Round {
  /** The lanes that run a basic block which others skip; all, if nothing is skipped. */
  working: Uint32Array;
  /** The threads of these lanes, and those that ran anything. */
  threads: number;
  present: number;
  /** By warp: no lane works, all do, or some; warps that ran nothing are not there. */
  warps: { warp: number; state: 'idle' | 'whole' | 'divergent' }[];
  /** The basic blocks that not all threads run. */
  partial: number[];
}

const threadsIn = (masks: Uint32Array): number => masks.reduce((sum, mask) => sum + laneCount(mask), 0);

/** The threads' numbers in the block, ascending. */
export const threadsOf = (masks: Uint32Array): number[] => [...masks].flatMap((mask, warp) => lanesIn(mask).map((lane) => warp * warpLanes + lane));

/** A warp's steps from barrier to barrier. The step that ends at a barrier belongs to the round before it. */
function partsOf(warp: WarpSteps): Step[][] {
  const all = stepsOf(warp);
  let from = 0;
  return [...warp.barriers.map(([step]) => step), all.length - 1].map((cut) => {
    const own = all.slice(from, cut + 1);
    from = cut + 1;
    return own;
  });
}

/** The rounds of a block between its barriers. Every thread passes the same barriers. */
export function roundsOf(steps: Steps): Round[] {
  const parts = steps.warps.map((warp) => ({ warp: warp.warp, rounds: partsOf(warp) }));
  const number = Math.max(0, ...parts.map((part) => part.rounds.length));
  const warps = Math.max(0, ...parts.map((part) => part.warp + 1));
  // What is only a jump around such code is no work.
  const isJump = (code: number) => (steps.code_blocks[code]?.length ?? Infinity) <= 1;
  const rounds: Round[] = [];
  for (let r = 0; r < number; ++r) {
    const present = new Uint32Array(warps);
    const byCode = new Map<number, Uint32Array>();
    for (const { warp, rounds: own } of parts)
      for (const step of own[r] ?? []) {
        let masks = byCode.get(step.code);
        if (!masks) byCode.set(step.code, (masks = new Uint32Array(warps)));
        masks[warp]! |= step.lanes;
        present[warp]! |= step.lanes;
      }
    const all = threadsIn(present);
    if (all === 0) continue;
    const partial = [...byCode].filter(([code, masks]) => !isJump(code) && threadsIn(masks) < all);
    const working = partial.length === 0 ? present : new Uint32Array(warps);
    for (const [, masks] of partial) masks.forEach((mask, warp) => (working[warp]! |= mask));
    rounds.push({
      working,
      threads: threadsIn(working),
      present: all,
      partial: partial.map(([code]) => code),
      warps: [...present].flatMap((lanes, warp) => (lanes === 0 ? [] : [{ warp, state: working[warp] === 0 ? 'idle' : working[warp] === lanes ? 'whole' : 'divergent' } as const])),
    });
  }
  return rounds;
}

/** Rounds in a row in which the same threads do the same code are one; rounds count from 1. */
export function alike(rounds: readonly Round[]): { round: Round; first: number; last: number }[] {
  const out: { round: Round; first: number; last: number }[] = [];
  const same = (a: Round, b: Round): boolean => a.partial.join() === b.partial.join() && a.working.join() === b.working.join();
  rounds.forEach((round, i) => {
    const before = out.at(-1);
    if (before && same(before.round, round)) before.last = i + 1;
    else out.push({ round, first: i + 1, last: i + 1 });
  });
  return out;
}
