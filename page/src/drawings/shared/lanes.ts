// Sets of a warp's lanes, as masks of 32 bits.
export const warpLanes = 32;
export const allLanes = 0xffffffff;
export const hasLane = (mask: number, lane: number): boolean => ((mask >>> lane) & 1) === 1;
export const without = (mask: number, others: number): number => (mask & ~others) >>> 0;

export function laneCount(mask: number): number {
  let count = 0;
  for (let left = mask >>> 0; left !== 0; left = (left & (left - 1)) >>> 0) ++count;
  return count;
}

export function lanesIn(mask: number): number[] {
  const lanes: number[] = [];
  for (let lane = 0; lane < warpLanes; ++lane) if (hasLane(mask, lane)) lanes.push(lane);
  return lanes;
}

export const maskOf = (lanes: Iterable<number>): number => {
  let mask = 0;
  for (const lane of lanes) mask |= 1 << lane;
  return mask >>> 0;
};

/** Neighbouring numbers as [first, last]. `numbers` ascend. */
export function runs(numbers: readonly number[]): [number, number][] {
  const out: [number, number][] = [];
  for (const n of numbers) {
    const last = out.at(-1);
    if (last && last[1] === n - 1) last[1] = n;
    else out.push([n, n]);
  }
  return out;
}

/** "0–15, 20" */
export const rangesText = (numbers: readonly number[]): string => runs(numbers).map(([a, b]) => (a === b ? `${a}` : `${a}–${b}`)).join(', ');

/** "lane 3", "lanes 0–15, 20" */
export function lanesText(mask: number): string {
  const lanes = lanesIn(mask);
  if (lanes.length === 0) return 'no lane';
  return `${lanes.length === 1 ? 'lane' : 'lanes'} ${rangesText(lanes)}`;
}
