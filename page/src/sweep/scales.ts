// Where times go: steps of heat, ticks of an axis, marks of a picture.
import { scaleLinear } from 'd3-scale';
import type { Timed } from './rows';

const steps = 8;

/** 1 for the fastest, 8 for the slowest, by the logarithm. */
export function heatOf(time: number, low: number, high: number): number {
  if (!(low > 0) || high <= low) return 1;
  return 1 + Math.min(steps - 1, Math.floor((Math.log(time / low) / Math.log(high / low)) * steps));
}

/** Marks that are closer than this are drawn as one. */
const apart = 4;

export interface Mark {
  x: number;
  y: number;
  first: Timed;
  more: Timed[];
}

/** One mark for all rows of the same place; the fastest stands for them. */
export function marksOf(points: readonly Timed[], x: (t: Timed) => number, y: (t: Timed) => number): Mark[] {
  const marks = new Map<string, Mark>();
  for (const point of [...points].sort((a, b) => a.seconds - b.seconds)) {
    const key = `${Math.round(x(point) / apart)} ${Math.round(y(point) / apart)}`;
    const mark = marks.get(key);
    if (mark) mark.more.push(point);
    else marks.set(key, { x: x(point), y: y(point), first: point, more: [] });
  }
  return [...marks.values()];
}

/** Three to six round values on a logarithmic axis. */
export function ticksOf(low: number, high: number): number[] {
  const decades = Math.log10(high / low);
  const steps = decades > 3 ? [1] : decades > 1 ? [1, 2, 5] : decades > 0.4 ? [1, 1.5, 2, 3, 4, 5, 7] : null;
  if (!steps) {
    const scale = scaleLinear([low, high === low ? low * 1.01 : high], [0, 1]);
    return scale.ticks(4);
  }
  const ticks: number[] = [];
  for (let d = Math.floor(Math.log10(low)) - 1; d <= Math.ceil(Math.log10(high)); ++d)
    for (const step of steps) {
      const tick = Number(`${step}e${d}`);
      if (tick >= low / 1.08 && tick <= high * 1.08) ticks.push(tick);
    }
  return ticks;
}
