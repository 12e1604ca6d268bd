// A sweep's rows as its pictures and its table need them. Nothing here is drawn.
import type { Sweep, SweepParameter, SweepRow } from '../data';
import { percent, seconds } from '../format/numbers';

/** A row with a time of the last stage. */
export interface Timed {
  row: SweepRow;
  seconds: number;
  occupancy: number | null;
  registers: number | null;
  limiter: string | null;
}

export function timed(rows: readonly SweepRow[]): Timed[] {
  return rows.flatMap((row) => {
    const m = row.measurement;
    if (row.state !== 'timed' || m?.seconds === null || m?.seconds === undefined) return [];
    return [{ row, seconds: m.seconds, occupancy: m.occupancy, registers: m.registers, limiter: m.kernels[0]?.limiter ?? null }];
  });
}

/** In the order of the rows. */
export const groupsOf = (sweep: Sweep): string[] => [...new Set(sweep.rows.map((row) => row.group))];

/** As tables show a parameter's value. */
export function labelOf(parameter: SweepParameter, row: SweepRow): string {
  const value = row.configuration[parameter.name];
  const at = parameter.values.findIndex((known) => known === value);
  return parameter.labels[at] ?? String(value ?? '');
}

export const configurationOf = (sweep: Sweep, row: SweepRow): string => sweep.parameters.map((p) => `${p.name}=${labelOf(p, row)}`).join(' ');

/** "memory (l2)" has the kind "memory". */
export const limiterKind = (limiter: string | null): string => limiter?.split(' ')[0] ?? '';

/** The limiter, or what became of the row. */
export function noteOf(row: SweepRow): string {
  if (row.state === 'timed') return row.measurement?.kernels[0]?.limiter ?? '';
  if (row.dropped) return `dropped, ${row.dropped}`;
  const reason = row.measurement?.reason?.split('\n')[0];
  return reason ? `${row.state}: ${reason}` : row.state;
}

/** Parameters that vary among the rows and are no choice of the group: the axes of heat maps. */
export function axesOf(sweep: Sweep): SweepParameter[] {
  return sweep.parameters.filter((p) => p.kind !== 'device' && !sweep.per.includes(p.name) && new Set(sweep.rows.map((row) => row.configuration[p.name])).size > 1);
}

export interface Cell {
  x: number;
  y: number;
  /** The fastest row; null: none has a time. */
  best: Timed | null;
  rows: number;
  /** What became of the first row without a time. */
  lost: string;
}

/** Of each pair of values that the rows have, the fastest row: the last parameters change first. */
export function cellsOf(rows: readonly SweepRow[], x: SweepParameter, y: SweepParameter): Cell[] {
  const cells = new Map<string, Cell>();
  const places = (p: SweepParameter) => new Map(p.values.map((value, i) => [value, i]));
  const [xs, ys] = [places(x), places(y)];
  for (const row of rows) {
    const at = { x: xs.get(row.configuration[x.name] ?? '') ?? -1, y: ys.get(row.configuration[y.name] ?? '') ?? -1 };
    const key = `${at.x} ${at.y}`;
    const cell = cells.get(key) ?? { ...at, best: null, rows: 0, lost: '' };
    cells.set(key, cell);
    cell.rows += 1;
    const [own] = timed([row]);
    if (own && (!cell.best || own.seconds < cell.best.seconds)) cell.best = own;
    if (!own) cell.lost ||= row.state;
  }
  return [...cells.values()];
}

// ---- the table

export type Column = { key: string; title: string; number: boolean; text: (row: SweepRow) => string; order: (row: SweepRow) => number | string };

const last = Number.POSITIVE_INFINITY;

export function columnsOf(sweep: Sweep): Column[] {
  const parameter = (p: SweepParameter): Column => ({
    key: `parameter ${p.name}`, title: p.name, number: p.values.every((value) => typeof value === 'number'),
    text: (row) => labelOf(p, row), order: (row) => p.values.findIndex((value) => value === row.configuration[p.name]),
  });
  return [
    { key: 'row', title: 'Row', number: true, text: (row) => String(row.row), order: (row) => row.row },
    ...sweep.parameters.map(parameter),
    { key: 'time', title: 'Time', number: true, text: (row) => timeText(row), order: (row) => (row.state === 'timed' ? row.measurement?.seconds : null) ?? last },
    // More occupancy first, as with every column: the better end.
    { key: 'occupancy', title: 'Occupancy', number: true, text: (row) => (row.measurement?.occupancy == null ? '-' : percent(row.measurement.occupancy)), order: (row) => -(row.measurement?.occupancy ?? -last) },
    { key: 'registers', title: 'Registers', number: true, text: (row) => (row.measurement?.registers == null ? '-' : String(row.measurement.registers)), order: (row) => row.measurement?.registers ?? last },
    { key: 'note', title: 'Limiter, or what became of it', number: false, text: noteOf, order: noteOf },
  ];
}

function timeText(row: SweepRow): string {
  const time = row.measurement?.seconds;
  return time == null ? '-' : `~${seconds(time)}`;
}

export function sorted(rows: readonly SweepRow[], column: Column, descending: boolean): SweepRow[] {
  const sign = descending ? -1 : 1;
  return rows.map((row) => ({ row, key: column.order(row) })).sort((a, b) => (a.key === b.key ? a.row.row - b.row.row : (a.key < b.key ? -1 : 1) * sign)).map(({ row }) => row);
}

export interface Filter {
  words: string;
  state: string;
  /** Only rows of the front. */
  front: boolean;
  group: string | null;
}

/** Each word must be in the row's text; "BM=32" is this value and no other. */
export function filtered(sweep: Sweep, filter: Filter, front: ReadonlySet<number>): SweepRow[] {
  const words = filter.words.toLowerCase().split(/\s+/).filter(Boolean);
  return sweep.rows.filter((row) => {
    if (filter.group !== null && row.group !== filter.group) return false;
    if (filter.state !== '' && row.state !== filter.state) return false;
    if (filter.front && !front.has(row.row)) return false;
    if (words.length === 0) return true;
    const settings = sweep.parameters.map((p) => `${p.name}=${labelOf(p, row)}`.toLowerCase());
    const text = `${settings.join(' ')} ${noteOf(row).toLowerCase()} ${row.state}`;
    return words.every((word) => (word.includes('=') ? settings.includes(word) : text.includes(word)));
  });
}
