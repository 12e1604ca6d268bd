// Blocks in the slots of the SMs over time: a slot is a place for a block; waves follow each other.
import type { CycleTimeline } from '../../data';

export interface PlacedBlock {
  block: number;
  start: number;
  end: number;
  /** The block's place in its slot's order, from 0. */
  wave: number;
}
export interface Slot {
  sm: number;
  slot: number;
  blocks: PlacedBlock[];
}

export function slotsOf(blocks: CycleTimeline['blocks']): Slot[] {
  const slots = new Map<string, Slot>();
  for (const [sm, slot, block, start, end] of [...blocks].sort((a, b) => a[3] - b[3])) {
    const key = `${sm} ${slot}`;
    const own = slots.get(key) ?? { sm, slot, blocks: [] };
    slots.set(key, own);
    own.blocks.push({ block, start, end, wave: own.blocks.length });
  }
  return [...slots.values()].sort((a, b) => a.sm - b.sm || a.slot - b.slot);
}

/** How many blocks run, from each time on. */
export function running(slots: readonly Slot[]): [time: number, blocks: number][] {
  const changes = new Map<number, number>();
  for (const { blocks } of slots)
    for (const { start, end } of blocks) {
      changes.set(start, (changes.get(start) ?? 0) + 1);
      changes.set(end, (changes.get(end) ?? 0) - 1);
    }
  let now = 0;
  return [...changes].sort((a, b) => a[0] - b[0]).map(([time, change]) => [time, (now += change)]);
}

export interface Filling {
  /** Share of the slots' time that a block fills. */
  filled: number;
  /** When the first slot has no more block, until the last block ends. */
  tail: number;
  end: number;
  waves: number;
}

export function filling(slots: readonly Slot[], from: number): Filling {
  const ends = slots.map(({ blocks }) => blocks.at(-1)?.end ?? from);
  const end = Math.max(from, ...ends);
  const busy = slots.reduce((sum, { blocks }) => sum + blocks.reduce((own, b) => own + b.end - b.start, 0), 0);
  return {
    filled: end > from && slots.length > 0 ? busy / (slots.length * (end - from)) : 0,
    tail: end - Math.min(end, ...ends),
    end,
    waves: Math.max(0, ...slots.map(({ blocks }) => blocks.length)),
  };
}
