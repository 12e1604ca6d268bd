// The plot of a picture over time: it takes the pointer and the keys, and draws the time axis below.
import { scaleLinear } from 'd3-scale';
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { count } from '../../format/numbers';
import { AxisBottom } from '../../picture/axis';
import { colour } from '../../theme/colours';
import { tint } from '../shared/marks';
import type { TimeView } from './view';

export interface PaneProps {
  view: TimeView;
  left: number;
  top: number;
  width: number;
  height: number;
  label: string;
  unit: string;
  /** Says what is at a place, for the tip and for screen readers. `y` counts from the plot's top. */
  describe: (time: number, y: number) => string | null;
  /** Called with the arrows up and down. */
  onStep?: (rows: number) => void;
  children: (x: (time: number) => number) => ComponentChildren;
}

/** Room that the axis and the bar over the whole span need. */
export const axisHeight = 38;
/** Room at the right, for the last tick's number. */
export const axisRight = 22;

export function TimePane({ view, left, top, width, height, label, unit, describe, onStep, children }: PaneProps) {
  const id = useId().replace(/\W/g, '');
  const pane = useRef<SVGRectElement>(null);
  const [drag, setDrag] = useState<[number, number] | null>(null);
  const scale = scaleLinear([view.from, view.to], [0, width]);
  const x = (time: number) => ((time - view.from) / (view.to - view.from)) * width;
  const timeAt = (event: PointerEvent | WheelEvent | MouseEvent): number => {
    const box = pane.current?.getBoundingClientRect();
    return box ? view.from + ((event.clientX - box.left) / box.width) * (view.to - view.from) : view.from;
  };

  // The browser lets only listeners that are not passive stop the page from zooming.
  const zoom = useRef(view.zoom);
  zoom.current = view.zoom;
  const at = useRef(timeAt);
  at.current = timeAt;
  useLayoutEffect(() => {
    const element = pane.current;
    const wheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      zoom.current(Math.exp(-event.deltaY * 0.004), at.current(event));
    };
    element?.addEventListener('wheel', wheel, { passive: false });
    return () => element?.removeEventListener('wheel', wheel);
  }, []);

  const onKeyDown = (event: KeyboardEvent) => {
    const rows = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0;
    if (rows === 0 || !onStep) return view.onKeyDown(event);
    event.preventDefault();
    onStep(rows);
  };
  const wholeSpan = view.whole[1] - view.whole[0];
  const wholeX = (time: number) => ((time - view.whole[0]) / wholeSpan) * width;
  return (
    <g transform={`translate(${left} ${top})`}>
      <clipPath id={`clip${id}`}><rect width={width} height={height} /></clipPath>
      <g clip-path={`url(#clip${id})`}>{children(x)}</g>
      {drag && <rect x={x(Math.min(...drag))} width={Math.abs(x(drag[1]) - x(drag[0]))} height={height} fill={tint('accent', 25)} opacity={0.5} stroke={colour('accent')} />}
      <rect ref={pane} width={width} height={height} fill="transparent" tabindex={0} role="application" style={{ cursor: 'crosshair', touchAction: 'pan-y' }}
        aria-label={`${label}. Plus and minus zoom, left and right move, 0 shows everything${onStep ? ', up and down choose a row' : ''}.`}
        onKeyDown={onKeyDown}
        onPointerDown={(event) => {
          if (event.button !== 0 || event.pointerType === 'touch') return;
          event.currentTarget.setPointerCapture(event.pointerId);
          const time = timeAt(event);
          setDrag([time, time]);
        }}
        onPointerMove={(event) => {
          if (drag) return setDrag([drag[0], timeAt(event)]);
          const box = event.currentTarget.getBoundingClientRect();
          const text = describe(timeAt(event), event.clientY - box.top);
          if (text) event.currentTarget.setAttribute('data-tip', text);
          else event.currentTarget.removeAttribute('data-tip');
        }}
        onPointerUp={() => {
          if (drag && Math.abs(x(drag[1]) - x(drag[0])) > 6) view.show(Math.min(...drag), Math.max(...drag));
          setDrag(null);
        }}
        onDblClick={view.reset} />
      <AxisBottom scale={scale} at={height} ticks={Math.max(2, Math.floor(width / 90))} format={(tick) => count(tick)} />
      <text x={-22} y={height + 16} text-anchor="end" class="small muted">{unit}</text>
      {view.zoomed && (
        <g transform={`translate(0 ${height + 26})`} aria-hidden="true">
          <rect width={width} height={6} rx={3} fill={colour('sunk')} transform="translate(0 2)" />
          <rect x={wholeX(view.from)} width={Math.max(4, ((view.to - view.from) / wholeSpan) * width)} y={2} height={6} rx={3} fill={colour('accent')} />
        </g>
      )}
    </g>
  );
}

export function ZoomButtons({ view, what }: { view: TimeView; what: string }) {
  return (
    <span role="group" aria-label={`Zoom of ${what}`} style={{ display: 'inline-flex', gap: '4px' }}>
      <button type="button" class="button" aria-label="Zoom in" onClick={() => view.zoom(2)}>+</button>
      <button type="button" class="button" aria-label="Zoom out" disabled={!view.zoomed} onClick={() => view.zoom(0.5)}>−</button>
      <button type="button" class="button" aria-label="Earlier" disabled={!view.zoomed} onClick={() => view.pan(-0.5)}>←</button>
      <button type="button" class="button" aria-label="Later" disabled={!view.zoomed} onClick={() => view.pan(0.5)}>→</button>
      <button type="button" class="button" disabled={!view.zoomed} onClick={view.reset}>All</button>
    </span>
  );
}
