// Accesses to DRAM as spans of its banks and buses: recorded in a launch, or calculated by `drywarp explain dram`.
import type { CycleTimeline } from '../../data';

export type SpanKind = 'wait' | 'precharge' | 'activate' | 'read' | 'burst' | 'write';

export interface BankSpan {
  bank: number;
  kind: SpanKind;
  from: number;
  to: number;
}
/** Time in which a bank has a row open. */
export interface OpenRow {
  bank: number;
  row: number;
  from: number;
  to: number;
}
export interface ChannelTimeline {
  channel: number;
  banks: number[];
  spans: BankSpan[];
  rows: OpenRow[];
  /** On the channel's bus, in order. */
  bursts: { bank: number; from: number; to: number; write: boolean; hit: boolean | null; row: number | null; opened: number }[];
  hits: number;
  misses: number;
}

const byNumber = (a: number, b: number) => a - b;

function channelOf(channels: Map<number, ChannelTimeline>, channel: number): ChannelTimeline {
  let own = channels.get(channel);
  if (!own) channels.set(channel, (own = { channel, banks: [], spans: [], rows: [], bursts: [], hits: 0, misses: 0 }));
  return own;
}

/** A row is open until the bank begins to close it. */
function openRows(channel: ChannelTimeline, end: number): OpenRow[] {
  const rows: OpenRow[] = [];
  const open = new Map<number, OpenRow>();
  const openings = new Map<number, BankSpan[]>();
  for (const span of channel.spans) {
    if (span.kind !== 'activate' && span.kind !== 'precharge') continue;
    const own = openings.get(span.bank);
    if (own) own.push(span);
    else openings.set(span.bank, [span]);
  }
  for (const own of openings.values()) own.sort((a, b) => a.from - b.from);
  for (const { bank, row, opened } of channel.bursts) {
    const before = open.get(bank);
    if (row === null || before?.row === row) continue;
    if (before) {
      const closing = openings.get(bank)?.find((span) => span.from > before.from);
      before.to = Math.max(before.from, Math.min(opened, closing?.from ?? opened));
    }
    const now = { bank, row, from: opened, to: Math.max(end, opened) };
    open.set(bank, now);
    rows.push(now);
  }
  return rows;
}

/** `end`: of the recording. */
export function recordedDram(accesses: CycleTimeline['dram'], end: number): ChannelTimeline[] {
  const channels = new Map<number, ChannelTimeline>();
  for (const access of [...accesses].sort((a, b) => a[1] - b[1])) {
    const [reached, data, finish, channel, bank, row, kind, hit, opens = data] = access;
    const own = channelOf(channels, channel);
    if (!own.banks.includes(bank)) own.banks.push(bank);
    if (opens > reached) own.spans.push({ bank, kind: 'wait', from: reached, to: opens });
    if (!hit && data > opens) own.spans.push({ bank, kind: 'activate', from: opens, to: data });
    own.spans.push({ bank, kind: kind === 'w' ? 'write' : 'burst', from: data, to: finish });
    own.bursts.push({ bank, from: data, to: finish, write: kind === 'w', hit: hit === 1, row, opened: data });
    if (hit) ++own.hits;
    else ++own.misses;
  }
  const all = [...channels.values()].sort((a, b) => a.channel - b.channel);
  for (const channel of all) {
    channel.banks.sort(byNumber);
    channel.rows = openRows(channel, end);
  }
  return all;
}

export interface ExplainedAccess {
  channel: number;
  bank: number;
  begin: number;
  data: number;
  end: number;
  row?: number;
  kind?: 'hit' | 'closed' | 'conflict';
  precharged?: number;
  activated?: number;
}

/** `channels`, `banks`: all of them, also those without an access. */
export function explainedDram(accesses: readonly ExplainedAccess[], channels: number, banks: number): ChannelTimeline[] {
  const out = new Map<number, ChannelTimeline>();
  for (let channel = 0; channel < channels; ++channel) channelOf(out, channel).banks = Array.from({ length: banks }, (_, bank) => bank);
  const end = Math.max(0, ...accesses.map((access) => access.end));
  for (const access of [...accesses].sort((a, b) => a.data - b.data)) {
    const own = channelOf(out, access.channel);
    const { bank } = access;
    const add = (kind: SpanKind, from: number, to: number) => to > from && own.spans.push({ bank, kind, from, to });
    if (access.kind === undefined) add('read', access.begin, access.data);
    else {
      const precharged = access.precharged ?? access.begin;
      const activated = access.activated ?? precharged;
      add('precharge', access.begin, precharged);
      add('activate', precharged, activated);
      add('read', activated, access.data);
      if (access.kind === 'hit') ++own.hits;
      else ++own.misses;
    }
    add('burst', access.data, access.end);
    own.bursts.push({ bank, from: access.data, to: access.end, write: false, hit: access.kind === undefined ? null : access.kind === 'hit', row: access.row ?? null, opened: access.activated ?? access.data });
  }
  const all = [...out.values()];
  for (const channel of all) channel.rows = openRows(channel, end);
  return all;
}

/** The share of a time in which the bus moves data. */
export function busShare(channel: ChannelTimeline, from: number, to: number): number {
  const busy = channel.bursts.reduce((sum, burst) => sum + Math.max(0, Math.min(to, burst.to) - Math.max(from, burst.from)), 0);
  return to > from ? busy / (to - from) : 0;
}
