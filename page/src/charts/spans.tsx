// Rows of spans over time, with zoom, pan, a strip to brush, and keys. Spans narrower than a pixel are drawn together.
import { brushX, type D3BrushEvent } from 'd3-brush';
import { scaleLinear } from 'd3-scale';
import { select } from 'd3-selection';
import { zoomIdentity } from 'd3-zoom';
import type { ComponentChildren, RefObject } from 'preact';
import { useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { seconds } from '../format/numbers';
import { Picture, type KeyEntry, type PictureTable } from '../picture/picture';
import { AxisBottom } from '../picture/axis';
import { useZoom } from '../picture/zoom';
import { type Group, type SpanRow, groups } from './span_groups';
import './spans.css';

export interface SpanChartProps {
  title: string;
  subtitle?: ComponentChildren;
  alternative: string;
  rows: SpanRow[];
  from: number;
  to: number;
  modelled: boolean;
  legend: KeyEntry[];
  controls?: ComponentChildren;
  note?: ComponentChildren;
  table?: () => PictureTable;
}

// For the names of rows, by the longest.
const leftOf = (rows: SpanRow[]) => 24 + 6.4 * Math.max(...rows.map((row) => row.label.length));
const rowHeight = 30;
const barHeight = 20;
const axisHeight = 26;
const stripHeight = 30;
const narrowest = 1.2;

export function SpanChart(props: SpanChartProps) {
  const svg = useRef<SVGSVGElement>(null);
  const body = useRef<SVGGElement>(null);
  const id = useId();
  const [width, setWidth] = useState(720);
  const [chosen, setChosen] = useState<{ row: number; index: number } | null>(null);
  const left = leftOf(props.rows);
  const height = props.rows.length * rowHeight;
  const plot = Math.max(50, width - left - 8);
  const zoom = useZoom(body, plot, height, Math.max(50, ((props.to - props.from) / shortest(props.rows)) * 2));
  const whole = useMemo(() => scaleLinear([props.from, props.to], [0, plot]), [props.from, props.to, plot]);
  const x = zoom.transform.rescaleX(whole);
  const [low = 0, high = 1] = x.domain();
  const inView = useMemo(() => summary(props.rows, low, high), [props.rows, low, high]);
  const span = chosen ? props.rows[chosen.row]?.spans[chosen.index] : undefined;

  const move = (step: number) => {
    const all = props.rows.flatMap((row, r) => row.spans.map((s, index) => ({ row: r, index, start: s.start, end: s.start + s.length })));
    const seen = all.filter((s) => s.end >= low && s.start <= high).sort((a, b) => a.start - b.start);
    const at = chosen ? seen.findIndex((s) => s.row === chosen.row && s.index === chosen.index) : -1;
    const next = seen[Math.max(0, Math.min(seen.length - 1, at + step))];
    if (next) setChosen({ row: next.row, index: next.index });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      move(event.key === 'ArrowDown' ? 1 : -1);
    } else if (event.key === 'Enter' && span?.link) location.hash = span.link;
    else zoom.onKeyDown(event);
  };

  return (
    <div class="spans">
      <Picture title={props.title} subtitle={props.subtitle} alternative={props.alternative} height={height + axisHeight + stripHeight + 14} interactive svgRef={svg}
        legend={props.legend} note={props.note} table={props.table}
        controls={
          <>
            {props.controls}
            <span class="spans-buttons">
              <button type="button" class="button" onClick={() => zoom.by(2)} aria-label="Zoom in">+</button>
              <button type="button" class="button" onClick={() => zoom.by(0.5)} aria-label="Zoom out">-</button>
              <button type="button" class="button" onClick={zoom.reset} disabled={zoom.transform.k === 1}>All</button>
            </span>
          </>
        }>
        {(size) => (
          <>
            <Measure width={size.width} set={setWidth} />
            <clipPath id={`clip${id}`}><rect x={0} y={-2} width={plot} height={height + 4} /></clipPath>
            <g transform={`translate(${left} 0)`}>
              <AxisBottom scale={x} at={height} grid={0} ticks={Math.max(2, Math.floor(plot / 110))} format={(value) => timeTick(value, high - low)} />
            </g>
            {props.rows.map((row, r) => (
              <g transform={`translate(0 ${r * rowHeight})`}>
                <text x={0} y={rowHeight / 2} dy="0.32em" class="muted small">{row.label}</text>
              </g>
            ))}
            <g transform={`translate(${left} 0)`} ref={body} tabindex={0} role="application" aria-roledescription="time line" aria-describedby={`help${id}`}
              aria-label={`${props.title}: arrow up and down choose an operation, left and right move, plus and minus zoom, 0 shows all, Enter opens the kernel`} onKeyDown={onKeyDown} class="spans-body">
              <rect width={plot} height={height} fill="transparent" />
              <g clip-path={`url(#clip${id})`}>
                {props.rows.map((row, r) => (
                  <Row groups={groups(row.spans, x, plot, narrowest)} row={row} y={r * rowHeight + (rowHeight - barHeight) / 2} modelled={props.modelled}
                    chosen={chosen?.row === r ? chosen.index : -1} choose={(index) => setChosen({ row: r, index })} />
                ))}
              </g>
            </g>
            <g transform={`translate(${left} ${height + axisHeight})`}>
              <Strip rows={props.rows} whole={whole} width={plot} low={low} high={high}
                moved={(a, b) => zoom.set(zoomIdentity.scale(plot / (whole(b) - whole(a))).translate(-whole(a), 0))} />
            </g>
          </>
        )}
      </Picture>
      <p class="spans-chosen" role="status" id={`help${id}`}>
        {span ? (
          <>
            <strong>{span.tip.split('\n')[0]}</strong> {span.tip.split('\n').slice(1).join(', ')} {span.link && <a href={span.link}>open</a>}
          </>
        ) : (
          <span class="muted">
            In view: {inView}. <span class="spans-help">Drag to move, Ctrl and the wheel to zoom, drag on the strip below to choose a part; arrow keys, + and - do the same.</span>
          </span>
        )}
      </p>
    </div>
  );
}

/** Tells the chart how wide the picture is: the zoom needs it outside of the picture. */
function Measure({ width, set }: { width: number; set: (width: number) => void }) {
  useLayoutEffect(() => set(width), [width, set]);
  return null;
}

function Row(props: { groups: Group[]; row: SpanRow; y: number; modelled: boolean; chosen: number; choose: (index: number) => void }) {
  return (
    <g transform={`translate(0 ${props.y})`}>
      {props.groups.map((group) => {
        const span = props.row.spans[group.first];
        if (!span) return null;
        const one = group.first === group.last;
        const tip = one ? span.tip : `${group.last - group.first + 1} operations close together\n${props.modelled ? '~' : ''}${seconds(group.busy)} in all\nzoom in to tell them apart`;
        const room = group.x1 - group.x0;
        const text = one && room > 34 ? span.label : '';
        return (
          <g data-tip={tip} class="span" onClick={() => props.choose(group.first)}>
            <rect x={group.x0} y={0} width={Math.max(narrowest, room - (room > 4 ? 0.6 : 0))} height={barHeight} rx={room > 6 ? 2 : 0} fill={one ? span.colour : group.colour} fill-opacity={one ? 1 : 0.75}
              stroke={one && props.chosen === group.first ? 'var(--ink)' : 'none'} stroke-width={2} />
            {text && <SpanLabel text={text} x={Math.max(0, group.x0)} room={room + Math.min(0, group.x0)} />}
          </g>
        );
      })}
    </g>
  );
}

function SpanLabel({ text, x, room }: { text: string; x: number; room: number }) {
  const fits = Math.floor((room - 10) / 6.4);
  if (fits < 3) return null;
  return <text x={x + 5} y={barHeight / 2} dy="0.34em" class="small mono span-label">{text.length > fits ? `${text.slice(0, fits - 1)}…` : text}</text>;
}

function Strip(props: { rows: SpanRow[]; whole: ReturnType<typeof scaleLinear<number, number>>; width: number; low: number; high: number; moved: (from: number, to: number) => void }) {
  const ref = useRef<SVGGElement>(null) as RefObject<SVGGElement | null>;
  const latest = useRef(props);
  latest.current = props;
  const brush = useMemo(() => brushX<unknown>(), []);
  useLayoutEffect(() => {
    if (!ref.current) return;
    brush.extent([[0, 0], [props.width, stripHeight - 8]]);
    brush.on('brush end', (event: D3BrushEvent<unknown>) => {
      if (!event.sourceEvent) return;
      const { whole, moved } = latest.current;
      const selection = event.selection as [number, number] | null;
      if (selection && selection[1] - selection[0] > 2) moved(whole.invert(selection[0]), whole.invert(selection[1]));
      else if (!selection) moved(whole.invert(0), whole.invert(latest.current.width));
    });
    select<SVGGElement, unknown>(ref.current).call(brush);
  }, [brush, props.width]);
  useLayoutEffect(() => {
    if (!ref.current) return;
    const from = props.whole(props.low);
    const to = props.whole(props.high);
    const all = to - from >= props.width - 0.5;
    select<SVGGElement, unknown>(ref.current).call(brush.move, all ? null : [from, to]);
  }, [brush, props.low, props.high, props.whole, props.width]);
  const marks = useMemo(() => props.rows.flatMap((row, r) => groups(row.spans, props.whole, props.width, narrowest).map((g) => ({ ...g, r }))), [props.rows, props.whole, props.width]);
  const each = (stripHeight - 8) / Math.max(1, props.rows.length);
  return (
    <g transform="translate(0 4)" aria-hidden="true">
      <rect width={props.width} height={stripHeight - 8} fill="var(--sunk)" rx={2} />
      {marks.map((g) => <rect x={g.x0} y={g.r * each + 0.5} width={Math.max(0.8, g.x1 - g.x0)} height={Math.max(1, each - 1)} fill={g.colour} fill-opacity={0.8} />)}
      <g ref={ref} class="spans-brush" />
    </g>
  );
}

function shortest(rows: SpanRow[]): number {
  let least = Infinity;
  for (const row of rows) for (const span of row.spans) if (span.length > 0) least = Math.min(least, span.length);
  return Number.isFinite(least) ? least : 1;
}

function summary(rows: SpanRow[], low: number, high: number): string {
  return rows
    .map((row) => {
      let n = 0;
      for (const span of row.spans) if (span.start + span.length >= low && span.start <= high) ++n;
      return `${n} in ${row.label}`;
    })
    .join(', ');
}

/** A tick with the unit of the visible length, so that all ticks have one. */
export function timeTick(value: number, length: number): string {
  const [scale, unit] = length < 2e-6 ? [1e9, 'ns'] : length < 2e-3 ? [1e6, 'us'] : length < 2 ? [1e3, 'ms'] : [1, 's'];
  const digits = Math.max(0, Math.min(4, 1 - Math.floor(Math.log10((length * scale) / 5))));
  return `${Number((value * scale).toFixed(digits))} ${unit}`;
}
