// DRAM over time: a row for each bank of a channel with the rows that it opens, and one for the channel's bus. A bank that
// opens a row cannot give data; with many banks the bus is busy all the same.
import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { count, counted, share } from '../../format/numbers';
import { Picture } from '../../picture/picture';
import { colour } from '../../theme/colours';
import { tint, useHatches } from '../shared/marks';
import { RectPaths } from '../time/bins';
import { axisHeight, axisRight, TimePane, ZoomButtons } from '../time/pane';
import { useTimeView } from '../time/view';
import { type BankSpan, busShare, type ChannelTimeline, type SpanKind } from './layout';

export interface DramDrawingProps {
  title: string;
  channels: ChannelTimeline[];
  from: number;
  to: number;
  /** At the axis. */
  unit: string;
  /** In a sentence, if that is another word. */
  units?: string;
  /** Said before what the picture counts. */
  lead?: string;
  controls?: ComponentChildren;
  note?: ComponentChildren;
  cut?: boolean;
}

const kinds: readonly SpanKind[] = ['wait', 'precharge', 'activate', 'read', 'burst', 'write'];
const labels: Record<SpanKind, string> = {
  wait: 'waits for the bank or the bus',
  precharge: 'closes a row (precharge)',
  activate: 'opens a row (activate)',
  read: 'waits for the cells (read)',
  burst: 'burst on the bus',
  write: 'written burst',
};
const bankHeight = 18;
const tallest = 34;

export function DramDrawing(props: DramDrawingProps) {
  const { channels, from, to, unit } = props;
  const [wanted, setWanted] = useState<number | null>(null);
  const busiest = useMemo(() => [...channels].sort((a, b) => b.bursts.length - a.bursts.length)[0], [channels]);
  const several = channels.length > 4;
  const shown = several ? channels.filter((channel) => channel.channel === (wanted ?? busiest?.channel)) : channels;
  const view = useTimeView([from, to], 4);
  const { fill, definitions } = useHatches({
    precharge: { hue: 'pink', style: 'falling', ground: 30 },
    activate: { hue: 'orange', style: 'rising', ground: 30 },
    read: { hue: 'sky', style: 'dots', ground: 14 },
  });
  const fills: Record<SpanKind, string> = { wait: tint('grey', 30), precharge: fill('precharge'), activate: fill('activate'), read: fill('read'), burst: colour('blue'), write: colour('purple') };
  const plan = planOf(shown);
  const hits = channels.reduce((sum, channel) => sum + channel.hits, 0);
  const accesses = channels.reduce((sum, channel) => sum + channel.bursts.length, 0);
  const counted_ = channels.reduce((sum, channel) => sum + channel.hits + channel.misses, 0);
  const bus = channels.reduce((sum, channel) => sum + busShare(channel, from, to), 0) / Math.max(1, channels.length);
  const banksUsed = channels.reduce((sum, channel) => sum + new Set(channel.bursts.map((burst) => burst.bank)).size, 0);
  const sentence = `${props.lead ?? ''}${counted(accesses, 'burst')} from ${counted(banksUsed, 'bank')} of ${counted(channels.length, 'channel')} in ${count(to - from)} ${props.units ?? unit}: the ${channels.length > 1 ? 'buses are' : 'bus is'} busy ${share(bus)} of the time${counted_ > 0 ? `; ${share(hits / counted_)} find their row open` : ''}.`;
  const used = new Set(channels.flatMap((channel) => channel.spans.map((span) => span.kind)));
  const rowsDrawn = channels.some((channel) => channel.rows.length > 0);
  return (
    <Picture title={props.title} subtitle={sentence} interactive height={plan.height + axisHeight}
      alternative={`${sentence} ${shown.map((channel) => `Channel ${channel.channel}: ${counted(channel.bursts.length, 'burst')}, bus busy ${share(busShare(channel, from, to))}${channel.hits + channel.misses > 0 ? `, ${counted(channel.misses, 'row')} opened` : ''}`).join('. ')}.`}
      legend={[
        ...kinds.filter((kind) => used.has(kind)).map((kind) => ({ label: labels[kind], colour: kind === 'wait' ? tint('grey', 30) : kind === 'precharge' ? tint('pink', 60) : kind === 'activate' ? tint('orange', 60) : kind === 'read' ? tint('sky', 45) : fills[kind] })),
        ...(rowsDrawn ? [{ label: 'row open', colour: colour('green'), mark: 'line' as const }] : []),
      ]}
      controls={
        <>
          {several && (
            <label>
              Channel{' '}
              <select value={shown[0]?.channel} onChange={(event) => setWanted(Number(event.currentTarget.value))}>
                {channels.map((channel) => <option value={channel.channel}>{channel.channel} ({counted(channel.bursts.length, 'burst')})</option>)}
              </select>
            </label>
          )}
          {props.controls}
          <ZoomButtons view={view} what="the DRAM" />
        </>
      }
      note={props.note ?? (props.cut ? 'The recording ends before the launch does.' : undefined)}
      table={() => ({
        columns: ['Channel', 'Bank', 'Data from', 'To', 'Row', 'Row was open'],
        rows: shown.flatMap((channel) => channel.bursts.map((burst) => [channel.channel, burst.bank, burst.from, burst.to, burst.row ?? '-', burst.hit === null ? '-' : burst.hit ? 'yes' : 'no'])).slice(0, 1000),
      })}>
      {({ width }) => {
        const left = width < 560 ? 60 : 76;
        const inner = width - left - axisRight;
        return (
          <>
            {definitions}
            {plan.lines.map((line) => (
              <text x={left - 6} y={line.y + line.height / 2 + 4} text-anchor="end" class={line.kind === 'bus' ? 'small bold' : 'small muted'}>{line.kind === 'bus' ? 'bus' : left > 60 ? `bank ${line.bank}` : line.bank}</text>
            ))}
            {shown.length > 1 && plan.heads.map((head) => <text x={0} y={head.y + 12} class="small bold">channel {head.channel}</text>)}
            <TimePane view={view} left={left} top={0} width={inner} height={plan.height} label={sentence} unit={unit} describe={(time, y) => describeAt(plan, time, y, unit)}>
              {(x) => <Banks plan={plan} x={x} inner={inner} view={view} fills={fills} />}
            </TimePane>
          </>
        );
      }}
    </Picture>
  );
}

interface PlanLine {
  kind: 'bank' | 'bus';
  channel: ChannelTimeline;
  bank: number;
  y: number;
  height: number;
}
interface Plan {
  lines: PlanLine[];
  heads: { channel: number; y: number }[];
  height: number;
}

/** Of many banks, those that give data; the least height that can be told apart. */
function planOf(shown: ChannelTimeline[]): Plan {
  const plan: Plan = { lines: [], heads: [], height: 0 };
  for (const channel of shown) {
    if (shown.length > 1) {
      plan.heads.push({ channel: channel.channel, y: plan.height });
      plan.height += 18;
    }
    const used = new Set(channel.bursts.map((burst) => burst.bank));
    const banks = channel.banks.length > 24 ? channel.banks.filter((bank) => used.has(bank)) : channel.banks;
    const height = banks.length > 24 ? 12 : banks.length <= 4 ? 26 : bankHeight;
    for (const bank of banks) {
      plan.lines.push({ kind: 'bank', channel, bank, y: plan.height, height });
      plan.height += height;
    }
    plan.height += 3;
    plan.lines.push({ kind: 'bus', channel, bank: -1, y: plan.height, height: Math.min(tallest, height + 4) });
    plan.height += Math.min(tallest, height + 4) + 10;
  }
  return plan;
}

function Banks({ plan, x, inner, view, fills }: { plan: Plan; x: (time: number) => number; inner: number; view: { from: number; to: number }; fills: Record<SpanKind, string> }) {
  const drawn = useMemo(() => {
    const paths = new RectPaths();
    const texts: { x: number; y: number; text: string }[] = [];
    let open = '';
    const visible = (a: number, b: number) => b >= view.from && a <= view.to;
    for (const line of plan.lines) {
      const { y, height, channel } = line;
      const put = (kind: SpanKind, from: number, to: number, inset: number) => paths.add(kinds.indexOf(kind), x(from), y + inset, Math.max(0.6, x(to) - x(from)), height - 2 * inset);
      if (line.kind === 'bus') {
        for (const burst of channel.bursts) if (visible(burst.from, burst.to)) put(burst.write ? 'write' : 'burst', burst.from, burst.to, 2);
        continue;
      }
      for (const row of channel.rows) {
        if (row.bank !== line.bank || !visible(row.from, row.to)) continue;
        const a = Math.max(0, x(row.from));
        const b = Math.min(inner, x(row.to));
        open += `M${a.toFixed(1)} ${y + height - 2}H${b.toFixed(1)}`;
        const text = `row ${row.row}`;
        if (height >= 17 && b - a > text.length * 7 + 8 && texts.length < 300) texts.push({ x: (a + b) / 2, y: y + height / 2 + 3, text });
      }
      for (const span of channel.spans) {
        if (span.bank !== line.bank || !visible(span.from, span.to)) continue;
        if (span.kind === 'wait') paths.add(0, x(span.from), y + height / 2 - 1, Math.max(0.4, x(span.to) - x(span.from)), 2);
        else put(span.kind, span.from, span.to, 2);
      }
    }
    return { paths: paths.entries(), open, texts };
  }, [plan, view.from, view.to, inner]);
  return (
    <>
      {plan.lines.map((line) => <rect y={line.y + 1} width={inner} height={line.height - 2} fill={line.kind === 'bus' ? tint('grey', 14) : colour('sunk')} opacity={0.6} />)}
      <path d={drawn.open} stroke={colour('green')} stroke-width={2.5} />
      {drawn.paths.map(([kind, path]) => <path d={path} fill={fills[kinds[kind] ?? 'wait']} />)}
      {drawn.texts.map((text) => <text x={text.x} y={text.y} text-anchor="middle" class="small" style={{ paintOrder: 'stroke', stroke: colour('paper'), strokeWidth: '3px', strokeLinejoin: 'round' }}>{text.text}</text>)}
    </>
  );
}

function describeAt(plan: Plan, time: number, y: number, unit: string): string | null {
  const line = plan.lines.find((candidate) => y >= candidate.y && y < candidate.y + candidate.height);
  if (!line) return null;
  const at = `${unit === 'cycles' ? 'cycle' : 'time'} ${count(Math.floor(time))}`;
  if (line.kind === 'bus') {
    const burst = line.channel.bursts.find((b) => b.from <= time && time < b.to);
    return `Bus of channel ${line.channel.channel}, ${at}\n${burst ? `moves a burst of bank ${burst.bank}` : 'idle'}`;
  }
  const span = line.channel.spans.find((s: BankSpan) => s.bank === line.bank && s.kind !== 'wait' && s.from <= time && time < s.to) ?? line.channel.spans.find((s) => s.bank === line.bank && s.from <= time && time < s.to);
  const row = line.channel.rows.find((r) => r.bank === line.bank && r.from <= time && time < r.to);
  return `Channel ${line.channel.channel}, bank ${line.bank}, ${at}\n${span ? labels[span.kind] : 'idle'}${row ? `\nrow ${row.row} is open` : ''}`;
}
