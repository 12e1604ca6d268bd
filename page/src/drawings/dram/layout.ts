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

/** A row is open until the bank opens another. */
function openRows(channel: ChannelTimeline, end: number): OpenRow[] {
  const rows: OpenRow[] = [];
  for (const bank of channel.banks) {
    let last = null as OpenRow | null;
    for (const burst of channel.bursts) {
      if (burst.bank !== bank || burst.row === null) continue;
      if (last?.row === burst.row) continue;
      if (last) last.to = Math.max(last.from, burst.opened);
      last = { bank, row: burst.row, from: burst.opened, to: Math.max(end, burst.opened) };
      rows.push(last);
    }
  }
  // A row closes when the next one's activation begins.
  for (const row of rows) {
    const opening = channel.spans.find((span) => span.bank === row.bank && (span.kind === 'activate' || span.kind === 'precharge') && span.to <= row.to && span.from > row.from && span.to > row.from && span.from < row.to);
    if (opening) row.to = Math.min(row.to, opening.from);
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
