// A warp's access to global or local memory: 32 lanes above, the sectors that they touch below, line by line.
import { useState } from 'preact/hooks';
import { count, share } from '../../format/numbers';
import { Picture, type Size } from '../../picture/picture';
import { colour } from '../../theme/colours';
import { bandHeight, LaneBand, type LaneBandGeometry, lanePort } from '../shared/lane_band';
import { laneCount, lanesIn, lanesText, without, allLanes } from '../shared/lanes';
import { tint, useHatches } from '../shared/marks';
import { type AccessLayout, type Address, layOutAccess, type Line, lineBytes, placeOf, sectorBytes } from './layout';

export interface SectorsDrawingProps {
  title: string;
  lanes: number;
  addresses: readonly Address[];
  bytes: number;
  /** As counted. */
  sectors: number;
  /** "uncoalesced": the first word of what is said. */
  verdict?: string;
}

/** "12 sectors of 32 bytes where 4 would do: 33 % of the moved bytes are used (128 of 384)." */
export function sectorsSentence(layout: AccessLayout, sectors: number): string {
  if (laneCount(layout.active) === 0) return 'No lane takes part.';
  const fewest = Math.ceil(layout.usedBytes / sectorBytes);
  const moved = sectors <= fewest ? `${count(sectors)} ${sectors === 1 ? 'sector' : 'sectors'}, as few as possible` : `${count(sectors)} sectors of 32 bytes where ${count(fewest)} would do`;
  return `${moved}: ${share(layout.usedBytes / (sectors * sectorBytes))} of the moved bytes are used (${layout.usedBytes} of ${sectors * sectorBytes}).`;
}

function alternativeOf(props: SectorsDrawingProps, layout: AccessLayout): string {
  const idle = without(allLanes, layout.active);
  const full = layout.lines.flatMap((line) => line.sectors).filter((sector) => sector.usedBytes === sectorBytes).length;
  return `${laneCount(props.lanes)} lanes access ${props.bytes} bytes each. ${sectorsSentence(layout, props.sectors)} ` +
    `They lie in ${layout.lines.length} ${layout.lines.length === 1 ? 'line' : 'lines'} of 128 bytes; ${full} sectors are fully used, ${layout.sectors - full} partly.` +
    (idle ? ` Not active: ${lanesText(idle)}.` : '');
}

export function SectorsDrawing(props: SectorsDrawingProps) {
  const [chosen, choose] = useState<number | null>(null);
  const hatches = useHatches({ waste: { hue: 'orange', style: 'rising', ground: 8 } });
  const layout = layOutAccess(props.lanes, props.addresses, props.bytes);
  const shape = (width: number): Shape => shapeOf(layout, width);
  return (
    <Picture title={props.title} subtitle={`${props.verdict ? `${props.verdict[0]?.toUpperCase() ?? ''}${props.verdict.slice(1)}: ` : ''}${sectorsSentence(layout, props.sectors)}`} alternative={alternativeOf(props, layout)} interactive
      height={(width) => shape(width).height} maxWidth={980}
      legend={[
        { label: 'used, in a sector that is used whole', colour: tint('blue', 45) },
        { label: 'used, in a sector that is used in part', colour: tint('orange', 55) },
        { label: 'moved and not used (hatched)', colour: colour('orange'), mark: 'outline' },
        { label: 'sector not moved', colour: colour('faint'), mark: 'outline' },
      ]}
      note={describeLane(layout, chosen)}
      table={() => ({
        columns: ['Lane', 'Bytes', 'Line', 'Sector'],
        rows: lanesIn(layout.active).map((lane) => {
          const place = placeOf(layout, lane);
          return place ? [lane, `${place.from}–${place.to}`, place.line, place.sector] : [lane, '-', '-', '-'];
        }),
      })}>
      {({ width }: Size) => {
        const s = shape(width);
        return (
          <>
            {hatches.definitions}
            <Connectors layout={layout} shape={s} chosen={chosen} />
            <LaneBand geometry={s.band} active={layout.active} chosen={chosen} onChoose={choose} describe={(lane) => describeLane(layout, lane)} />
            {layout.lines.map((line, i) => <LineRow line={line} index={i} shape={s} waste={hatches.fill('waste')} chosen={chosen} gap={gapBefore(layout.lines, i)} />)}
          </>
        );
      }}
    </Picture>
  );
}

function describeLane(layout: AccessLayout, lane: number | null): string {
  if (lane === null) return 'Bytes, lines and sectors are numbered from the first line that the warp touches. Point at a lane, or use the arrow keys.';
  const place = placeOf(layout, lane);
  if (!place) return `Lane ${lane} is not active.`;
  return `Lane ${lane}: bytes ${place.from}–${place.to}, sector ${place.sector} of line ${place.line}.`;
}

interface Shape {
  cell: number;
  band: LaneBandGeometry;
  left: number;
  perRow: number;
  byte: number;
  rowHeight: number;
  rowsTop: number;
  height: number;
  width: number;
}
function shapeOf(layout: AccessLayout, width: number): Shape {
  const narrow = width < 560;
  const left = narrow ? 40 : 76;
  const right = narrow ? 4 : 86;
  const perRow = narrow ? 2 : 4;
  const inner = width - left - right;
  const band = { left, top: 0, width: inner, rows: narrow ? 2 : 1 };
  const rowsTop = bandHeight(band) + (layout.lines.length <= 4 ? 56 : 30);
  const cell = layout.lines.length > 12 ? 15 : 20;
  const rowHeight = (cell + 3) * (4 / perRow) + (cell > 15 ? 5 : 2);
  return { cell, band, left, perRow, byte: inner / (perRow * sectorBytes), rowHeight, rowsTop, height: rowsTop + layout.lines.length * rowHeight + 2, width };
}

const cellPlace = (shape: Shape, row: number, byte: number): { x: number; y: number } => {
  const bytesOfRow = shape.perRow * sectorBytes;
  return {
    x: shape.left + (byte % bytesOfRow) * shape.byte,
    y: shape.rowsTop + row * shape.rowHeight + Math.floor(byte / bytesOfRow) * (shape.cell + 3),
  };
};

function Connectors({ layout, shape, chosen }: { layout: AccessLayout; shape: Shape; chosen: number | null }) {
  const few = layout.lines.length <= 4;
  const rowOf = new Map(layout.lines.map((line, i) => [line.offset, i]));
  return (
    <g fill="none" aria-hidden="true">
      {lanesIn(layout.active).map((lane) => {
        const offset = layout.offsets[lane] ?? 0;
        if (!few && lane !== chosen) return null;
        const line = Math.floor(offset / lineBytes) * lineBytes;
        const port = lanePort(shape.band, lane);
        const to = cellPlace(shape, rowOf.get(line) ?? 0, offset - line);
        const x = to.x + (layout.bytes * shape.byte) / 2;
        const middle = (port.y + to.y) / 2;
        return <path d={`M${port.x} ${port.y}C${port.x} ${middle} ${x} ${middle} ${x} ${to.y}`} stroke={lane === chosen ? colour('ink') : colour('grey')} stroke-width={lane === chosen ? 2 : 1} opacity={chosen === null || lane === chosen ? 0.75 : 0.2} />;
      })}
    </g>
  );
}

/** Bytes between this line and the one above it that nobody touches. */
const gapBefore = (lines: Line[], i: number): number => (i === 0 ? 0 : (lines[i]?.offset ?? 0) - (lines[i - 1]?.offset ?? 0) - lineBytes);

function LineRow({ line, index, shape, waste, chosen, gap }: { line: Line; index: number; shape: Shape; waste: string; chosen: number | null; gap: number }) {
  const touched = line.sectors.filter((sector) => sector.touched);
  const used = touched.reduce((sum, sector) => sum + sector.usedBytes, 0);
  const start = cellPlace(shape, index, 0);
  return (
    <g>
      {gap > 0 && <line x1={0} x2={shape.width} y1={start.y - 4} y2={start.y - 4} stroke={colour('faint')} stroke-dasharray="1 4" />}
      <text x={shape.left - 8} y={start.y + shape.cell / 2 + 4} text-anchor="end" class="small muted" data-tip={`Line ${line.offset / lineBytes}: bytes ${line.offset}–${line.offset + lineBytes - 1}${gap > 0 ? `\n${count(gap)} bytes before it are not touched` : ''}`}>
        {shape.left > 60 ? 'line ' : ''}{line.offset / lineBytes}
      </text>
      {line.sectors.map((sector, i) => {
        const at = cellPlace(shape, index, i * sectorBytes);
        const whole = sector.usedBytes === sectorBytes;
        const tip = sector.touched ? `Sector ${line.offset / sectorBytes + i}, bytes ${line.offset + i * sectorBytes}–${line.offset + (i + 1) * sectorBytes - 1}\n${sector.usedBytes} of 32 bytes used` : `Sector ${line.offset / sectorBytes + i}\nnot moved`;
        return (
          <g data-tip={tip}>
            <rect x={at.x + 1} y={at.y} width={sectorBytes * shape.byte - 2} height={shape.cell} rx={2} fill={sector.touched && !whole ? waste : 'transparent'}
              stroke={sector.touched ? colour(whole ? 'blue' : 'orange') : colour('faint')} stroke-dasharray={sector.touched ? undefined : '3 3'} />
            {sector.pieces.map((piece) => <PieceMark piece={piece} shape={shape} index={index} whole={whole} chosen={chosen} />)}
          </g>
        );
      })}
      {shape.perRow === 4 && <text x={shape.width - 80} y={start.y + shape.cell / 2 + 4} class="small muted">{used} of {touched.length * sectorBytes} B</text>}
    </g>
  );
}

function PieceMark({ piece, shape, index, whole, chosen }: { piece: Line['sectors'][number]['pieces'][number]; shape: Shape; index: number; whole: boolean; chosen: number | null }) {
  const at = cellPlace(shape, index, piece.from);
  const width = (piece.to - piece.from) * shape.byte;
  const lanes = lanesIn(piece.lanes);
  const marked = chosen !== null && lanes.includes(chosen);
  const label = lanes.length === 1 ? `${lanes[0]}` : `×${lanes.length}`;
  // A word that several lanes read carries their number.
  const fits = width >= (label.length === 1 ? 8 : label.length === 2 ? 13 : 19);
  return (
    <g data-tip={`Bytes ${piece.from}–${piece.to - 1} of the line\n${lanesText(piece.lanes)}`}>
      <rect x={at.x + 1} y={at.y + 0.5} width={Math.max(1, width - 1.5)} height={shape.cell - 1} fill={marked ? colour('ink') : whole ? tint('blue', 45) : tint('orange', 55)} />
      {fits && <text x={at.x + width / 2} y={at.y + shape.cell / 2 + 4} text-anchor="middle" class="small" style={marked ? { fill: colour('paper') } : undefined}>{label}</text>}
    </g>
  );
}
