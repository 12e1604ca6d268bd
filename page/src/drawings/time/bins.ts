// Many short segments on few pixels: each pixel shows the kind that fills most of it.

/** [start, end, kind]; ascending, not overlapping. */
export type Segment = readonly [start: number, end: number, kind: number];
/** Pixels [from, to) of one kind. */
export interface Run {
  from: number;
  to: number;
  kind: number;
}

/** The first of the segments that ends after `time`. */
export function firstAfter(segments: readonly Segment[], time: number): number {
  let low = 0;
  let high = segments.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((segments[middle]?.[1] ?? 0) > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** `kinds`: how many there are. Time that no segment covers is nothing's. */
export function binned(segments: readonly Segment[], from: number, to: number, pixels: number, kinds: number): Run[] {
  const scale = pixels / (to - from);
  const begin = firstAfter(segments, from);
  if (scale >= 0.7) {
    const runs: Run[] = [];
    for (let i = begin; i < segments.length; ++i) {
      const [start, end, kind] = segments[i] as Segment;
      if (start >= to) break;
      runs.push({ from: (Math.max(start, from) - from) * scale, to: (Math.min(end, to) - from) * scale, kind });
    }
    return runs;
  }
  const runs: Run[] = [];
  const cover = new Float64Array(kinds);
  let pixel = 0;
  const flush = () => {
    let best = -1;
    let most = 0;
    let sum = 0;
    for (let kind = 0; kind < kinds; ++kind) {
      const share = cover[kind] ?? 0;
      sum += share;
      if (share > most) {
        most = share;
        best = kind;
      }
    }
    cover.fill(0);
    if (best < 0 || sum < 0.5) return;
    const last = runs.at(-1);
    if (last && last.kind === best && last.to === pixel) last.to = pixel + 1;
    else runs.push({ from: pixel, to: pixel + 1, kind: best });
  };
  for (let i = begin; i < segments.length; ++i) {
    const [start, end, kind] = segments[i] as Segment;
    if (start >= to) break;
    let at = (Math.max(start, from) - from) * scale;
    const stop = (Math.min(end, to) - from) * scale;
    while (at < stop) {
      const now = Math.floor(at);
      if (now !== pixel) {
        flush();
        pixel = now;
      }
      const next = Math.min(stop, now + 1);
      cover[kind] = (cover[kind] ?? 0) + next - at;
      // A pixel that the segment covers whole needs no counting.
      if (next === now + 1 && stop - next > 1) {
        flush();
        const wide = Math.floor(stop);
        const last = runs.at(-1);
        if (last && last.kind === kind && last.to === now + 1) last.to = wide;
        else runs.push({ from: now + 1, to: wide, kind });
        pixel = wide;
        at = wide;
      } else at = next;
    }
  }
  flush();
  return runs;
}

/** One path for all rectangles of a kind. */
export class RectPaths {
  private readonly paths = new Map<number, string[]>();
  add(kind: number, x: number, y: number, width: number, height: number): void {
    let path = this.paths.get(kind);
    if (!path) this.paths.set(kind, (path = []));
    path.push(`M${round(x)} ${y}h${round(width)}v${height}h${round(-width)}z`);
  }
  entries(): [kind: number, path: string][] {
    return [...this.paths].map(([kind, parts]) => [kind, parts.join('')]);
  }
}
const round = (value: number): number => Math.round(value * 100) / 100;
