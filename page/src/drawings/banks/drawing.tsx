// A warp's access to shared memory: 32 lanes above, the banks below, a row for each pass through them.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { count } from '../../format/numbers';
import { Picture, type Size } from '../../picture/picture';
import { colour } from '../../theme/colours';
import { bandHeight, LaneBand, type LaneBandGeometry, lanePort } from '../shared/lane_band';
import { laneCount, lanesIn, lanesText } from '../shared/lanes';
import { tint, useHatches } from '../shared/marks';
import { type BankCell, type BankLayout, layOutBanks, passesOf } from './layout';

export interface BanksDrawingProps {
  title: string;
  lanes: number;
  passes: BankCell[][];
  /** The turn that each pass belongs to; unless given, a pass is one if nothing conflicts, else all are one. */
  turns?: number[] | undefined;
  banks: number;
  wavefronts: number;
  ideal: number;
  controls?: ComponentChildren;
  /** Below the picture: other pictures of the same access. */
  note?: ComponentChildren;
}

/** "32 wavefronts where 1 would do: 31 are lost to bank conflicts." */
export function wavefrontsSentence(wavefronts: number, ideal: number, layout: BankLayout): string {
  const shared = layout.shared > 0 ? ' Lanes that read the same word share its pass.' : '';
  if (wavefronts === ideal) return `${count(wavefronts)} ${wavefronts === 1 ? 'wavefront' : 'wavefronts'}, as few as possible: no bank conflict.${shared}`;
  return `${count(wavefronts)} wavefronts where ${count(ideal)} would do: bank conflicts cost ${count(wavefronts - ideal)}.${shared}`;
}

const cellTip = (pass: number, cell: BankCell): string =>
  `Pass ${pass + 1}, bank ${cell.bank}\nword ${cell.word}: ${lanesText(cell.lanes)}${laneCount(cell.lanes) > 1 ? ' read it together' : ''}`;

export function BanksDrawing(props: BanksDrawingProps) {
  const [chosen, choose] = useState<number | null>(null);
  const hatches = useHatches({ conflict: { hue: 'orange', style: 'rising', ground: 35 } });
  const layout = layOutBanks(props.banks, props.passes);
  const turns = props.turns ?? props.passes.map((_, pass) => (props.wavefronts === props.ideal ? pass : 0));
  const busiest = Math.max(0, ...countsByBank(layout));
  const sentence = wavefrontsSentence(props.wavefronts, props.ideal, layout);
  return (
    <Picture title={props.title} subtitle={sentence} interactive height={(width) => shapeOf(layout, width).height} maxWidth={980} controls={props.controls}
      alternative={`${laneCount(props.lanes)} lanes access shared memory of ${props.banks} banks. ${sentence} The busiest bank serves ${busiest} ${busiest === 1 ? 'pass' : 'passes'} of ${props.passes.length}; ${countsByBank(layout).filter((n) => n === 0).length} banks are idle.`}
      legend={[
        { label: 'first pass of the bank', colour: tint('blue', 45) },
        { label: 'later pass of the same bank (hatched): a conflict', colour: tint('orange', 70) },
        { label: 'several lanes read one word (×n)', colour: colour('green'), mark: 'outline' },
      ]}
      note={<>{describe(layout, props.lanes, chosen)}{new Set(turns).size > 1 && ' So wide an access takes turns: half or a quarter of the lanes at a time.'}{props.note}</>}
      table={() => ({ columns: ['Pass', 'Bank', 'Word', 'Lanes'], rows: layout.passes.flatMap((cells, pass) => cells.map((cell) => [pass + 1, cell.bank, String(cell.word), lanesText(cell.lanes)])) })}>
      {({ width }: Size) => {
        const s = shapeOf(layout, width);
        return (
          <>
            {hatches.definitions}
            <Connectors layout={layout} shape={s} lanes={props.lanes} chosen={chosen} />
            <LaneBand geometry={s.band} active={props.lanes} chosen={chosen} onChoose={choose} describe={(lane) => describe(layout, props.lanes, lane)} />
            {s.halves.map((half) => <Half half={half} layout={layout} turns={turns} shape={s} hatch={hatches.fill('conflict')} chosen={chosen} />)}
          </>
        );
      }}
    </Picture>
  );
}

function countsByBank(layout: BankLayout): number[] {
  const counts = Array.from({ length: layout.banks }, () => 0);
  for (const cell of layout.passes.flat()) counts[cell.bank] = (counts[cell.bank] ?? 0) + 1;
  return counts;
}

function describe(layout: BankLayout, lanes: number, lane: number | null): string {
  if (lane === null) return `A row is one pass: each bank gives one word. ${laneCount(lanes)} of 32 lanes take part. Point at a lane, or use the arrow keys.`;
  const banks = layout.banksOf[lane] ?? [];
  if (banks.length === 0) return `Lane ${lane} is not active.`;
  return `Lane ${lane}: ${banks.length === 1 ? 'bank' : 'banks'} ${banks.join(', ')}, served in pass ${passesOf(layout, lane).map((pass) => pass + 1).join(', ')}.`;
}

interface HalfShape {
  first: number;
  last: number;
  top: number;
  /** No lane uses one of these banks. */
  idle: boolean;
}
interface Shape {
  band: LaneBandGeometry;
  left: number;
  cell: number;
  row: number;
  halves: HalfShape[];
  height: number;
}
const headerHeight = 20;

function shapeOf(layout: BankLayout, width: number): Shape {
  const narrow = width < 560;
  const left = narrow ? 26 : 76;
  const right = narrow ? 2 : 74;
  const columns = narrow ? Math.min(16, layout.banks) : layout.banks;
  const inner = width - left - right;
  const band = { left, top: 0, width: inner, rows: narrow ? 2 : 1 };
  const row = layout.passes.length > 16 ? 15 : 21;
  const halfHeight = headerHeight + layout.passes.length * row;
  const top = bandHeight(band) + (narrow ? 34 : 62);
  const halves: HalfShape[] = [];
  const used = countsByBank(layout);
  let at = top;
  for (let first = 0; first < layout.banks; first += columns) {
    const idle = used.slice(first, first + columns).every((passes) => passes === 0);
    halves.push({ first, last: first + columns - 1, top: at, idle });
    at += (idle ? headerHeight : halfHeight) + 14;
  }
  return { band, left, cell: inner / columns, row, halves, height: at };
}

function Connectors({ layout, shape, lanes, chosen }: { layout: BankLayout; shape: Shape; lanes: number; chosen: number | null }) {
  return (
    <g fill="none" aria-hidden="true">
      {lanesIn(lanes).map((lane) => {
        const banks = layout.banksOf[lane] ?? [];
        const port = lanePort(shape.band, lane);
        // With words wider than a bank, the first of a lane's banks stands for all.
        return banks.slice(0, 1).map((bank) => {
          const half = shape.halves.find((h) => bank >= h.first && bank <= h.last);
          if (!half || (half !== shape.halves[0] && lane !== chosen)) return null;
          const x = shape.left + (bank - half.first + 0.5) * shape.cell;
          const middle = (port.y + half.top) / 2;
          return <path d={`M${port.x} ${port.y}C${port.x} ${middle} ${x} ${middle} ${x} ${half.top}`} stroke={lane === chosen ? colour('ink') : colour('grey')} stroke-width={lane === chosen ? 2 : 1} opacity={chosen === null || lane === chosen ? 0.75 : 0.2} />;
        });
      })}
    </g>
  );
}

function Half({ half, layout, turns, shape, hatch, chosen }: { half: HalfShape; layout: BankLayout; turns: number[]; shape: Shape; hatch: string; chosen: number | null }) {
  const banks = Array.from({ length: half.last - half.first + 1 }, (_, i) => half.first + i);
  // The banks that gave a word in this turn.
  const seen = new Set<number>();
  const narrow = shape.left < 60;
  if (half.idle) return <text x={shape.left} y={half.top + 14} class="small muted">Banks {half.first}–{half.last}: idle</text>;
  return (
    <g>
      <text x={shape.left - 8} y={half.top + 14} text-anchor="end" class="small muted">{narrow ? '' : 'bank'}</text>
      {banks.map((bank) => (
        <text x={shape.left + (bank - half.first + 0.5) * shape.cell} y={half.top + 14} text-anchor="middle" class="small muted">{bank}</text>
      ))}
      {layout.passes.map((cells, pass) => {
        const y = half.top + headerHeight + pass * shape.row;
        const begins = pass > 0 && turns[pass] !== turns[pass - 1];
        if (begins) seen.clear();
        return (
          <g>
            {begins && <line x1={0} x2={shape.left + banks.length * shape.cell} y1={y - 1} y2={y - 1} stroke={colour('rule-strong')} />}
            <text x={shape.left - 8} y={y + shape.row / 2 + 3} text-anchor="end" class="small muted">{narrow ? '' : 'pass '}{pass + 1}</text>
            <rect x={shape.left} y={y} width={banks.length * shape.cell} height={shape.row - 2} fill={colour('sunk')} opacity={0.6} />
            {cells.filter((cell) => cell.bank >= half.first && cell.bank <= half.last).map((cell) => {
              const later = seen.has(cell.bank);
              seen.add(cell.bank);
              return <Cell cell={cell} pass={pass} x={shape.left + (cell.bank - half.first) * shape.cell} y={y} shape={shape} fill={later ? hatch : tint('blue', 45)} later={later} chosen={chosen} />;
            })}
          </g>
        );
      })}
    </g>
  );
}

function Cell({ cell, pass, x, y, shape, fill, later, chosen }: { cell: BankCell; pass: number; x: number; y: number; shape: Shape; fill: string; later: boolean; chosen: number | null }) {
  const lanes = lanesIn(cell.lanes);
  const together = lanes.length > 1;
  const marked = chosen !== null && lanes.includes(chosen);
  const label = together ? `×${lanes.length}` : `${lanes[0] ?? ''}`;
  return (
    <g data-tip={cellTip(pass, cell)}>
      <rect x={x + 1} y={y + 0.5} width={shape.cell - 2} height={shape.row - 3} rx={1.5} fill={marked ? colour('ink') : fill} stroke={together ? colour('green') : later ? colour('orange') : colour('blue')} stroke-width={together ? 2 : 1} />
      {shape.cell >= 14 && (
        <text x={x + shape.cell / 2} y={y + shape.row / 2 + 2.5} text-anchor="middle" class="small" style={marked ? { fill: colour('paper') } : { paintOrder: 'stroke', stroke: later ? tint('orange', 35) : 'none', strokeWidth: '3px' }}>{label}</text>
      )}
    </g>
  );
}
