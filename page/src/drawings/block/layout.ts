// A block's threads as a drawing places them.
import { warpLanes } from '../shared/lanes';

export type Triple = [number, number, number];

export interface WarpsOfBlock {
  threads: number;
  warps: number;
  idle: number;
}
export function warpsOf(block: Triple): WarpsOfBlock {
  const threads = block[0] * block[1] * block[2];
  const warps = Math.ceil(threads / warpLanes);
  return { threads, warps, idle: warps * warpLanes - threads };
}

interface Cell {
  x: number;
  y: number;
  thread: number;
}
export interface Plane {
  z: number | null;
  columns: number;
  rows: number;
  cells: Cell[];
}

export const isFlat = (block: Triple): boolean => block[1] === 1 && block[2] === 1;
export const numberOf = (block: Triple): string =>
  `A thread's number is threadIdx.x${block[1] > 1 || block[2] > 1 ? ` + ${block[0]} * threadIdx.y` : ''}${block[2] > 1 ? ` + ${block[0] * block[1]} * threadIdx.z` : ''}`;

/** A block of one dimension is cut into rows of a warp each: it would be one long row. */
export function planesOf(block: Triple): Plane[] {
  const [bx, by, bz] = block;
  if (isFlat(block)) {
    const cells = Array.from({ length: bx }, (_, thread) => ({ x: thread % warpLanes, y: Math.floor(thread / warpLanes), thread }));
    return [{ z: null, columns: warpLanes, rows: Math.ceil(bx / warpLanes), cells }];
  }
  return Array.from({ length: bz }, (_, z) => ({
    z: bz > 1 ? z : null,
    columns: bx,
    rows: by,
    cells: Array.from({ length: bx * by }, (_, i) => ({ x: i % bx, y: Math.floor(i / bx), thread: i + z * bx * by })),
  }));
}
