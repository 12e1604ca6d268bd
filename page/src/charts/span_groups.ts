// Spans of a row as marks: neighbours that are closer than a pixel become one.
import type { ScaleContinuousNumeric } from 'd3-scale';

export interface Span {
  start: number;
  length: number;
  colour: string;
  label: string;
  /** The first line is the heading. */
  tip: string;
  link?: string;
}

export interface SpanRow {
  label: string;
  /** In order of start. */
  spans: Span[];
}

export interface Group {
  first: number;
  last: number;
  x0: number;
  x1: number;
  /** Of all spans of the group. */
  busy: number;
  /** Of its longest span. */
  colour: string;
}

export function groups(spans: Span[], x: ScaleContinuousNumeric<number, number>, width: number, narrowest: number): Group[] {
  const made: Group[] = [];
  let longest = 0;
  for (let i = 0; i < spans.length; ++i) {
    const span = spans[i];
    if (!span) continue;
    const x0 = x(span.start);
    const x1 = x(span.start + span.length);
    if (x1 < 0) continue;
    if (x0 > width) break;
    const open = made.at(-1);
    const thin = x1 - x0 < narrowest;
    if (open && thin && open.x1 - open.x0 < 8 && x0 - open.x1 < narrowest && (open.last > open.first || open.x1 - open.x0 < narrowest * 2)) {
      open.last = i;
      open.x1 = Math.max(open.x1, x1, x0 + narrowest);
      open.busy += span.length;
      if (span.length > longest) {
        longest = span.length;
        open.colour = span.colour;
      }
      continue;
    }
    longest = span.length;
    made.push({ first: i, last: i, x0, x1: Math.max(x1, x0 + Math.min(narrowest, 0.8)), busy: span.length, colour: span.colour });
  }
  return made;
}
