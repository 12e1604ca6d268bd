// Warps of one SM over time in as few rows as can be: the first row of its scheduler that is free takes the next warp.
import type { CycleTimeline, StallDefinition } from '../../data';

export type TimedWarp = CycleTimeline['warps'][number];

export interface WarpRow {
  scheduler: number;
  /** One after the other. */
  warps: TimedWarp[];
}

export interface SchedulerRows {
  scheduler: number;
  rows: WarpRow[];
  /** Cycles in which it issues, ascending. */
  issues: number[];
}

export function rowsOf(timeline: CycleTimeline): SchedulerRows[] {
  const schedulers: SchedulerRows[] = Array.from({ length: timeline.schedulers }, (_, scheduler) => ({ scheduler, rows: [], issues: [] }));
  for (const warp of [...timeline.warps].sort((a, b) => a.start - b.start || a.block - b.block || a.warp - b.warp)) {
    const rows = schedulers[warp.scheduler]?.rows;
    if (!rows) continue;
    const free = rows.find((row) => (row.warps.at(-1)?.end ?? 0) <= warp.start);
    if (free) free.warps.push(warp);
    else rows.push({ scheduler: warp.scheduler, warps: [warp] });
  }
  for (const [scheduler, cycle] of timeline.issues) schedulers[scheduler]?.issues.push(cycle);
  for (const scheduler of schedulers) scheduler.issues.sort((a, b) => a - b);
  return schedulers;
}

export interface StallShare {
  stall: number;
  name: string;
  cycles: number;
  share: number;
}

/** What the warps do with their cycles, the most first; issuing is not among the stalls. */
export function stallShares(warps: readonly TimedWarp[], stalls: readonly StallDefinition[]): { issuing: number; stalls: StallShare[]; cycles: number } {
  const cycles = warps.reduce((sum, warp) => sum + warp.end - warp.start, 0);
  const waits = new Map<number, number>();
  for (const warp of warps) for (const [start, end, stall] of warp.segments) waits.set(stall, (waits.get(stall) ?? 0) + end - start);
  const waited = [...waits.values()].reduce((sum, n) => sum + n, 0);
  return {
    cycles,
    issuing: cycles === 0 ? 0 : (cycles - waited) / cycles,
    stalls: [...waits]
      .map(([stall, n]) => ({ stall, name: stalls[stall]?.name ?? `stall ${stall}`, cycles: n, share: n / cycles }))
      .sort((a, b) => b.cycles - a.cycles),
  };
}

/** The warp that a row holds at a time, and its wait then. */
export function findAt(row: WarpRow | undefined, time: number): { warp: TimedWarp; segment: TimedWarp['segments'][number] | null } | null {
  const warp = row?.warps.find((candidate) => candidate.start <= time && time < candidate.end);
  if (!warp) return null;
  return { warp, segment: warp.segments.find(([start, end]) => start <= time && time < end) ?? null };
}

/** The share of cycles in which a scheduler issues. */
export const utilization = (scheduler: SchedulerRows, cycles: readonly [number, number]): number =>
  cycles[1] > cycles[0] ? scheduler.issues.length / (cycles[1] - cycles[0]) : 0;
