// A warp's lanes, step by step: rows are basic blocks in the order in which the warp ran them, down to where the lanes
// that took different paths reconverge.
import { useMemo, useState } from 'preact/hooks';
import type { Kernel, Steps } from '../../data';
import { fileName } from '../../format/names';
import { count, counted, share } from '../../format/numbers';
import { Picture } from '../../picture/picture';
import { colour } from '../../theme/colours';
import { hasLane, laneCount, lanesText, warpLanes, without } from '../shared/lanes';
import { tint, useHatches } from '../shared/marks';
import { codePlace, type CodePlace, factsOf, fold, presentLanes, type Step, stepsOf, type WarpSteps } from './layout';

export interface DivergenceDrawingProps {
  steps: Steps;
  kernel: Kernel;
  sources: Record<string, string[]>;
}

const rowHeight = 19;
const rowsAtOnce = 60;

export function DivergenceDrawing({ steps, kernel, sources }: DivergenceDrawingProps) {
  const facts = useMemo(() => steps.warps.map((warp) => factsOf(stepsOf(warp), steps.code_blocks)), [steps]);
  const most = facts.reduce((best, own, i) => (own.divergent > (facts[best]?.divergent ?? 0) ? i : best), 0);
  const [wanted, setWanted] = useState<number | null>(null);
  const [around, setAround] = useState(true);
  const [more, setMore] = useState(1);
  const [chosen, choose] = useState<number | null>(null);
  const { fill, definitions } = useHatches({ some: { hue: 'orange', style: 'rising', ground: 35 }, idle: { hue: 'grey', style: 'dots', ground: 6 } });
  const index = wanted ?? most;
  const warp = steps.warps[index];
  const own = facts[index] ?? { steps: 0, divergent: 0, active: 0 };
  const places = useMemo(() => new Map<number, CodePlace>(), [steps, kernel]);
  const placeOf = (code: number): CodePlace => {
    let place = places.get(code);
    if (!place) places.set(code, (place = codePlace(kernel, steps, code, sources)));
    return place;
  };
  const present = useMemo(() => (warp ? presentLanes(stepsOf(warp)) : 0), [warp]);
  const rows = useMemo(() => (warp ? rowsOf(warp, present, around) : []), [warp, present, around]);
  const shown = rows.slice(0, more * rowsAtOnce);
  const marks = useMemo(() => regionsOf(shown, present), [shown.length, rows, present]);
  if (!warp) return null;
  const divergentWarps = facts.filter((fact) => fact.divergent > 0).length;
  const sentence = own.divergent === 0
    ? `Warp ${warp.warp} of block ${blockText(steps.block)}: ${counted(own.steps, 'step')}, all of its lanes together. No warp of the block diverges.`.replace(divergentWarps > 0 ? ' No warp of the block diverges.' : '\0', '')
    : `Warp ${warp.warp} of block ${blockText(steps.block)}: in ${count(own.divergent)} of ${counted(own.steps, 'step')} only some lanes run. Over all instructions ${share(own.active)} of the lanes are active; ${divergentWarps} of ${counted(facts.length, 'warp')} diverge.`;
  const describe = (row: Row): string => (row.kind === 'skip' ? `${counted(row.steps, 'step')} with all lanes` : `${placeText(placeOf(row.step.code))}: ${lanesText(row.step.lanes)} active${row.step.repeats > 1 ? `, ${row.step.repeats} times` : ''}${row.times > 1 ? `; this sequence runs ${row.times} times` : ''}`);
  return (
    <Picture title="Lanes active, step by step" subtitle={sentence} interactive height={24 + shown.length * rowHeight + 4} maxWidth={1100}
      alternative={`${sentence} ${rows.filter((row) => row.kind === 'step' && row.step.lanes !== present).slice(0, 12).map(describe).join('. ')}`}
      legend={[
        { label: 'active, with all lanes of the warp', colour: tint('blue', 50) },
        { label: 'active, while others wait (hatched)', colour: tint('orange', 65) },
        { label: 'waits for the reconvergence point', colour: colour('grey'), mark: 'outline' },
      ]}
      controls={
        <>
          <label>
            Warp{' '}
            <select value={index} onChange={(event) => { setWanted(Number(event.currentTarget.value)); setMore(1); choose(null); }}>
              {steps.warps.map((each, i) => <option value={i}>{each.warp}{(facts[i]?.divergent ?? 0) > 0 ? ` (${count(facts[i]?.divergent ?? 0)} divergent steps)` : ''}</option>)}
            </select>
          </label>
          <label><input type="checkbox" checked={around} onChange={(event) => { setAround(event.currentTarget.checked); setMore(1); choose(null); }} /> Only around divergence</label>
        </>
      }
      note={
        <>
          <span aria-live="polite">{chosen !== null && shown[chosen] ? describe(shown[chosen]) + '. ' : 'A step is a basic block; the lanes that are not active wait until the others are at the reconvergence point. '}</span>
          {shown.some((row) => row.kind === 'step' && row.times > 1) && 'Rows with ↻ are a sequence that runs as often as its first row says. '}
          {(steps.cut || warp.cut) && 'The recording is cut. '}
          {rows.length > shown.length && <button type="button" class="button" onClick={() => setMore(more + 1)}>Show {Math.min(rowsAtOnce, rows.length - shown.length)} of {rows.length - shown.length} more rows</button>}
        </>
      }
      table={() => ({ columns: ['Step', 'Source', 'Active lanes', 'Lanes'], rows: shown.map((row, i) => (row.kind === 'skip' ? [i + 1, describe(row), '', ''] : [i + 1, placeText(placeOf(row.step.code)), laneCount(row.step.lanes), lanesText(row.step.lanes)])) })}>
      {({ width }) => {
        const narrow = width < 620;
        const left = narrow ? 62 : Math.min(400, Math.round(width * 0.42));
        const right = narrow ? 30 : 64;
        const gutter = 14;
        const cell = (width - left - gutter - right) / warpLanes;
        const x0 = left + gutter;
        const textRoom = Math.floor((left - 46) / 6.6);
        const step = (event: KeyboardEvent) => {
          const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
          if (!by) return;
          event.preventDefault();
          choose((now) => Math.max(0, Math.min(shown.length - 1, (now ?? (by > 0 ? -1 : shown.length)) + by)));
        };
        return (
          <>
            {definitions}
            {Array.from({ length: warpLanes }, (_, lane) => (!narrow || lane % 4 === 0) && <text x={x0 + (lane + 0.5) * cell} y={14} text-anchor="middle" class="small muted">{lane}</text>)}
            <text x={left - 4} y={14} text-anchor="end" class="small muted">lane</text>
            <g tabindex={0} role="slider" aria-label="Step" aria-valuemin={0} aria-valuemax={Math.max(0, shown.length - 1)} aria-valuenow={chosen ?? 0} aria-valuetext={shown[chosen ?? 0] ? describe(shown[chosen ?? 0] as Row) : 'none'} onKeyDown={step}>
              <rect x={0} y={20} width={width} height={shown.length * rowHeight} fill="transparent" />
              {shown.map((row, i) => {
                const y = 22 + i * rowHeight;
                if (row.kind === 'skip')
                  return <text x={x0} y={y + 13} class="small muted">{counted(row.steps, 'step')} with all lanes</text>;
                const place = placeOf(row.step.code);
                const whole = row.step.lanes === present;
                const waiting = without(present, row.step.lanes);
                return (
                  <g data-tip={`${placeText(place)}\n${lanesText(row.step.lanes)}\n${counted(place.instructions, 'instruction')}${row.step.repeats > 1 ? `, ${row.step.repeats} times` : ''}`}>
                    {i === chosen && <rect x={0} y={y - 1} width={width} height={rowHeight} fill={tint('accent', 14)} />}
                    <text x={36} y={y + 13} text-anchor="end" class="small muted">{place.line || ''}</text>
                    {!narrow && <text x={44} y={y + 13} class="small mono">{cutText(place.source, textRoom - (timesText(row).length ? timesText(row).length + 1 : 0))}</text>}
                    <text x={left - 4} y={y + 13} text-anchor="end" class="small bold">{timesText(row)}</text>
                    {rects(row.step.lanes, x0, cell).map((run) => <rect x={run.x} y={y + 1} width={run.width - 1} height={rowHeight - 3} rx={1.5} fill={whole ? tint('blue', 50) : fill('some')} stroke={whole ? 'none' : colour('orange')} />)}
                    {rects(waiting, x0, cell).map((run) => <rect x={run.x} y={y + 1} width={run.width - 1} height={rowHeight - 3} rx={1.5} fill={fill('idle')} />)}
                    <text x={width - 4} y={y + 13} text-anchor="end" class={whole ? 'small muted' : 'small bold'}>{laneCount(row.step.lanes)}{narrow ? '' : ` of ${laneCount(present)}`}</text>
                  </g>
                );
              })}
            </g>
            {marks.map((mark) => (
              <g fill="none" stroke={colour('orange')} stroke-width={1.5} data-tip={`The warp diverged here: ${mark.to - mark.from + 1} rows until its lanes reconverge`}>
                <path d={`M${x0 - 4} ${22 + mark.from * rowHeight + 2}H${x0 - 9}V${22 + (mark.to + 1) * rowHeight - 2}H${x0 - 4}`} />
              </g>
            ))}
          </>
        );
      }}
    </Picture>
  );
}

type Row = { kind: 'step'; step: Step; times: number; first: boolean } | { kind: 'skip'; steps: number };

/** Loops fold; with `around`, of the steps with all lanes only those beside a divergent one stay. */
function rowsOf(warp: WarpSteps, present: number, around: boolean): Row[] {
  const rows: Row[] = fold(stepsOf(warp)).flatMap((group) => group.steps.map((step, i): Row => ({ kind: 'step', step, times: group.times, first: i === 0 })));
  if (!around) return rows;
  const divergent = rows.map((row) => row.kind === 'step' && row.step.lanes !== present);
  if (!divergent.includes(true)) return rows;
  const out: Row[] = [];
  rows.forEach((row, i) => {
    if (divergent[i] || divergent[i - 1] || divergent[i + 1]) return out.push(row);
    const last = out.at(-1);
    if (last?.kind === 'skip') last.steps += row.kind === 'step' ? row.step.repeats * row.times : 0;
    else out.push({ kind: 'skip', steps: row.kind === 'step' ? row.step.repeats * row.times : 0 });
    return 0;
  });
  return out;
}

function regionsOf(rows: readonly Row[], present: number): { from: number; to: number }[] {
  const regions: { from: number; to: number }[] = [];
  rows.forEach((row, i) => {
    if (row.kind !== 'step' || row.step.lanes === present) return;
    const last = regions.at(-1);
    if (last && last.to === i - 1) last.to = i;
    else regions.push({ from: i, to: i });
  });
  return regions;
}

const blockText = (block: Steps['block']): string => (Array.isArray(block) ? block.join(', ') : String(block));
const placeText = (place: CodePlace): string => (place.line ? `${fileName(place.file)}:${place.line}${place.lastLine > place.line ? `–${place.lastLine}` : ''} ${place.source}` : 'code without a source line');
const cutText = (text: string, room: number): string => (text.length > room ? `${text.slice(0, Math.max(1, room - 1))}…` : text);
const timesText = (row: Row): string => (row.kind === 'skip' ? '' : [row.step.repeats > 1 ? `×${row.step.repeats}` : '', row.times > 1 && row.first ? `↻${row.times}` : row.times > 1 ? '↻' : ''].filter(Boolean).join(' '));

/** Neighbouring lanes as one rectangle. */
function rects(mask: number, x0: number, cell: number): { x: number; width: number }[] {
  const out: { x: number; width: number }[] = [];
  for (let lane = 0; lane < warpLanes; ++lane) {
    if (!hasLane(mask, lane)) continue;
    out.push({ x: x0 + lane * cell, width: cell });
  }
  return out;
}
