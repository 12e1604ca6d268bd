// Warps hiding latency: a row for each resident warp of an SM, coloured by what it waits for, and the cycles in which its
// scheduler issues. With enough warps the scheduler always finds one that is ready.
import { useMemo, useState } from 'preact/hooks';
import type { CycleTimeline, MachineInstruction, StallDefinition } from '../../data';
import { count, share } from '../../format/numbers';
import { Picture } from '../../picture/picture';
import { colour, stallColour } from '../../theme/colours';
import { type HatchDefinition, tint, useHatches } from '../shared/marks';
import { binned, RectPaths } from '../time/bins';
import { axisHeight, axisRight, TimePane, ZoomButtons } from '../time/pane';
import { useTimeView } from '../time/view';
import { findAt, rowsOf, type SchedulerRows, stallShares, type TimedWarp, utilization } from './layout';

export interface WarpsDrawingProps {
  timeline: CycleTimeline;
  stalls: StallDefinition[];
  machineCode: MachineInstruction[] | null;
}

const rowHeight = 15;
const headHeight = 24;
const narrowRows = 24;

// Waits that are often neighbours differ in their hatching too.
const hatched: Record<string, HatchDefinition> = {
  barrier: { hue: 'red', style: 'crossed', ground: 45 },
  short_scoreboard: { hue: 'sky', style: 'upright', ground: 45 },
  math_pipe_throttle: { hue: 'orange', style: 'rising', ground: 45 },
  lg_throttle: { hue: 'navy', style: 'falling', ground: 45 },
  mio_throttle: { hue: 'teal', style: 'rising', ground: 45 },
  branch_resolving: { hue: 'purple', style: 'dots', ground: 40 },
  no_instruction: { hue: 'brown', style: 'falling', ground: 40 },
  membar: { hue: 'pink', style: 'crossed', ground: 40 },
  wait: { hue: 'grey', style: 'dots', ground: 25 },
};

/** Ink can be read on it. */
const pale = (stall: string): string => `color-mix(in srgb, ${stallColour(stall)} 60%, ${colour('paper')})`;

export function WarpsDrawing({ timeline, stalls, machineCode }: WarpsDrawingProps) {
  const schedulers = useMemo(() => rowsOf(timeline), [timeline]);
  const rowsInAll = schedulers.reduce((sum, scheduler) => sum + scheduler.rows.length, 0);
  const [only, setOnly] = useState<number | null>(rowsInAll > narrowRows ? 0 : null);
  const [chosen, choose] = useState<number | null>(null);
  const cycles: readonly [number, number] = useMemo(() => [timeline.warps.reduce((first, warp) => Math.min(first, warp.start), timeline.warps_until), timeline.warps_until], [timeline]);
  const cut = timeline.warps_until < timeline.end;
  const view = useTimeView(cycles);
  const { fill, definitions } = useHatches(hatched);
  const fillOf = (stall: number): string => {
    const name = stalls[stall]?.name ?? '';
    return name in hatched ? fill(name) : pale(name);
  };
  const shown = schedulers.filter((scheduler) => (only === null || scheduler.scheduler === only) && scheduler.rows.length > 0);
  const plan = planOf(shown);
  const all = useMemo(() => stallShares(timeline.warps, stalls), [timeline, stalls]);
  const used = all.stalls.filter((stall) => stall.share >= 0.005);
  const busy = schedulers.filter((s) => s.rows.length > 0);
  const issue = busy.reduce((sum, scheduler) => sum + utilization(scheduler, cycles), 0) / Math.max(1, busy.length);
  const sentence = `~${count(cycles[1] - cycles[0])} cycles of one SM: its schedulers issue in ${share(issue)} of them. A warp issues in ${share(all.issuing)} of its cycles${used[0] ? ` and waits most for ${used.slice(0, 2).map((s) => `${s.name} (${share(s.share)})`).join(' and ')}` : ''}.`;
  const flat = plan.rows;
  const describe = (time: number, y: number): string | null => {
    const row = flat.find((candidate) => y >= candidate.y && y < candidate.y + rowHeight);
    return row ? describeAt(findAt(row.row, time), time, stalls) : null;
  };
  const chosenRow = chosen === null ? null : flat[chosen];
  return (
    <Picture title="Warps hiding latency, cycle by cycle" subtitle={sentence} interactive height={plan.height + axisHeight}
      alternative={`${sentence} ${timeline.warps.length} warps in ${rowsInAll} rows; ${cut ? 'the recording ends before the launch does.' : 'the recording is complete.'} Cycles by what warps wait for: ${all.stalls.map((s) => `${s.name} ${share(s.share)}`).join(', ')}.`}
      legend={[
        { label: 'issues', colour: colour('ink'), mark: 'line' },
        ...used.map((s) => ({ label: `${s.name} ${share(s.share)}`, colour: pale(s.name), tip: stalls[s.stall]?.text })),
      ]}
      controls={
        <>
          {schedulers.length > 1 && (
            <label>
              Scheduler{' '}
              <select value={only === null ? 'all' : String(only)} onChange={(event) => { setOnly(event.currentTarget.value === 'all' ? null : Number(event.currentTarget.value)); choose(null); }}>
                {schedulers.map((s) => <option value={s.scheduler}>{s.scheduler}</option>)}
                <option value="all">all</option>
              </select>
            </label>
          )}
          <ZoomButtons view={view} what="the warps" />
          <span class="muted">Drag to zoom into a range.</span>
        </>
      }
      note={<span aria-live="polite">{chosenRow ? describeRow(chosenRow.row.warps, stalls) : `~ Modelled. A row is a warp, and after its end a warp of a later block.${cut ? ' The recording ends before the launch does.' : ''}`}</span>}
      table={() => ({
        columns: ['Block', 'Warp', 'Scheduler', 'From', 'To', 'Issues', 'Waits most for'],
        rows: timeline.warps.map((warp) => {
          const own = stallShares([warp], stalls);
          return [warp.block, warp.warp, warp.scheduler, warp.start, warp.end, share(own.issuing), own.stalls[0] ? `${own.stalls[0].name} ${share(own.stalls[0].share)}` : '-'];
        }),
      })}>
      {({ width }) => {
        const left = width < 560 ? 60 : 92;
        const inner = width - left - axisRight;
        return (
          <>
            {definitions}
            {plan.groups.map((group) => <GroupHead group={group} left={left} cycles={cycles} />)}
            {flat.map((row, i) => (
              <text x={left - 6} y={row.y + 11} text-anchor="end" class={i === chosen ? 'small bold' : 'small muted'}>{rowLabel(row.row.warps, left)}</text>
            ))}
            <TimePane view={view} left={left} top={0} width={inner} height={plan.height} label={sentence} unit="cycles" describe={describe}
              onStep={(rows) => choose((now) => Math.max(0, Math.min(flat.length - 1, (now ?? (rows > 0 ? -1 : flat.length)) + rows)))}>
              {(x) => <Rows plan={plan} view={view} inner={inner} x={x} kinds={stalls.length} fillOf={fillOf} chosen={chosen} stalls={stalls} machineCode={machineCode} timeline={timeline} />}
            </TimePane>
          </>
        );
      }}
    </Picture>
  );
}

interface Plan {
  groups: { scheduler: SchedulerRows; y: number }[];
  rows: { row: SchedulerRows['rows'][number]; y: number }[];
  height: number;
}
function planOf(shown: SchedulerRows[]): Plan {
  const plan: Plan = { groups: [], rows: [], height: 0 };
  for (const scheduler of shown) {
    plan.groups.push({ scheduler, y: plan.height });
    plan.height += headHeight;
    for (const row of scheduler.rows) {
      plan.rows.push({ row, y: plan.height });
      plan.height += rowHeight;
    }
    plan.height += 8;
  }
  return plan;
}

function rowLabel(warps: TimedWarp[], left: number): string {
  const [first] = warps;
  if (!first) return '';
  const one = `b${first.block} w${first.warp}`;
  return warps.length > 1 && left > 60 ? `${one} …` : one;
}

function GroupHead({ group, left, cycles }: { group: Plan['groups'][number]; left: number; cycles: readonly [number, number] }) {
  return (
    <g>
      <text x={left - 6} y={group.y + 16} text-anchor="end" class="small bold">{left > 60 ? 'scheduler ' : 's'}{group.scheduler.scheduler}</text>
      <title>{`issues in ${share(utilization(group.scheduler, cycles))} of the cycles`}</title>
    </g>
  );
}

function Rows({ plan, view, inner, x, kinds, fillOf, chosen, stalls, machineCode, timeline }: {
  plan: Plan;
  view: { from: number; to: number };
  inner: number;
  x: (time: number) => number;
  kinds: number;
  fillOf: (stall: number) => string;
  chosen: number | null;
  stalls: StallDefinition[];
  machineCode: MachineInstruction[] | null;
  timeline: CycleTimeline;
}) {
  const pixels = Math.max(1, Math.floor(inner));
  const marks = useMemo(() => {
    const waits = new RectPaths();
    const labels: { x: number; y: number; text: string }[] = [];
    let lives = '';
    let starts = '';
    for (const { row, y } of plan.rows) {
      for (const warp of row.warps) {
        if (warp.end <= view.from || warp.start >= view.to) continue;
        const from = Math.max(0, x(warp.start));
        const to = Math.min(inner, x(warp.end));
        lives += `M${from.toFixed(1)} ${y + 1}h${(to - from).toFixed(1)}v${rowHeight - 2}h${(from - to).toFixed(1)}z`;
        if (warp.start >= view.from) starts += `M${x(warp.start).toFixed(1)} ${y}v${rowHeight}`;
        for (const run of binned(warp.segments, view.from, view.to, pixels, kinds)) {
          waits.add(run.kind, run.from, y + 1, run.to - run.from, rowHeight - 2);
          const name = stalls[run.kind]?.name ?? '';
          if (run.to - run.from > name.length * 6 + 10) labels.push({ x: (run.from + run.to) / 2, y: y + 11, text: name });
        }
      }
    }
    return { waits: waits.entries(), lives, starts, labels: labels.slice(0, 400) };
  }, [plan, view.from, view.to, inner, kinds]);
  const pixelsPerCycle = inner / (view.to - view.from);
  const issues = useMemo(() => issueMarks(plan, timeline, view, x, inner, pixelsPerCycle), [plan, timeline, view.from, view.to, inner]);
  return (
    <>
      {chosen !== null && plan.rows[chosen] && <rect y={plan.rows[chosen].y - 1} width={inner} height={rowHeight + 2} fill={tint('accent', 30)} />}
      <path d={marks.lives} fill={tint('green', 30)} />
      {marks.waits.map(([kind, path]) => <path d={path} fill={fillOf(kind)} />)}
      <path d={marks.starts} stroke={colour('ink')} stroke-width={1.5} />
      {marks.labels.map((label) => (
        <text x={label.x} y={label.y} text-anchor="middle" class="small">{label.text}</text>
      ))}
      {issues.strips.map((strip) => <path d={strip} fill={colour('green')} />)}
      <path d={issues.ticks} stroke={colour('ink')} stroke-width={Math.min(2, Math.max(0.75, pixelsPerCycle * 0.6))} />
      {pixelsPerCycle > 26 && machineCode && issues.names.map(({ x: at, y, code }) => (
        <text x={at + 2} y={y + 11} class="small mono" style={{ paintOrder: 'stroke', stroke: colour('paper'), strokeWidth: '3px', fontSize: '9px' }}>{machineCode[code]?.operation}</text>
      ))}
    </>
  );
}

/** Ticks where a warp issues, if they can be told apart, and for each scheduler a strip: how full its issue slot is. */
function issueMarks(plan: Plan, timeline: CycleTimeline, view: { from: number; to: number }, x: (time: number) => number, inner: number, pixelsPerCycle: number) {
  const strips = plan.groups.map(({ scheduler, y }) => {
    const bins = Math.max(1, Math.min(Math.floor(inner / 2), Math.ceil(view.to - view.from)));
    const counts = new Float64Array(bins);
    const size = (view.to - view.from) / bins;
    for (const cycle of scheduler.issues) if (cycle >= view.from && cycle < view.to) counts[Math.floor((cycle - view.from) / size)]! += 1 / size;
    let path = '';
    counts.forEach((share, i) => {
      const tall = Math.min(1, share) * (headHeight - 6);
      if (tall > 0.2) path += `M${((i * inner) / bins).toFixed(1)} ${y + headHeight - 2}v${(-tall).toFixed(1)}h${(inner / bins + 0.2).toFixed(1)}v${tall.toFixed(1)}z`;
    });
    return path;
  });
  let ticks = '';
  const names: { x: number; y: number; code: number }[] = [];
  if (pixelsPerCycle >= 1.2) {
    const places = new Map<TimedWarp, number>();
    for (const { row, y } of plan.rows) for (const warp of row.warps) places.set(warp, y);
    for (const [, cycle, index, code] of timeline.issues) {
      if (cycle < view.from - 1 || cycle > view.to) continue;
      const warp = timeline.warps[index];
      const y = warp && places.get(warp);
      if (y === undefined) continue;
      ticks += `M${x(cycle + 0.5).toFixed(1)} ${y}v${rowHeight}`;
      if (names.length < 500) names.push({ x: x(cycle), y, code });
    }
  }
  return { strips, ticks, names };
}

function describeAt(found: ReturnType<typeof findAt>, time: number, stalls: StallDefinition[]): string | null {
  if (!found) return null;
  const { warp, segment } = found;
  const head = `Block ${warp.block}, warp ${warp.warp}, cycle ${Math.floor(time)}`;
  if (!segment) return `${head}\nissues`;
  return `${head}\n${stalls[segment[2]]?.name ?? ''} for ${count(segment[1] - segment[0])} cycles\n${stalls[segment[2]]?.text ?? ''}`;
}

function describeRow(warps: TimedWarp[], stalls: StallDefinition[]): string {
  const own = stallShares(warps, stalls);
  const who = warps.map((warp) => `warp ${warp.warp} of block ${warp.block}`);
  return `${who.slice(0, 3).join(', ')}${who.length > 3 ? ` and ${who.length - 3} more` : ''}: issues in ${share(own.issuing)} of ${count(own.cycles)} cycles; waits for ${own.stalls.slice(0, 4).map((s) => `${s.name} ${share(s.share)}`).join(', ')}.`;
}
