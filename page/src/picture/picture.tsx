// The frame of every picture: title, text alternative, key of colours, and buttons that save it.
import type { ComponentChildren, RefObject } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { savePng, saveSvg } from './save';
import './picture.css';

export interface Size {
  width: number;
  height: number;
}

export interface KeyEntry {
  label: string;
  /** As colour() gives it. */
  colour: string;
  /** How the mark looks; a square by default. */
  mark?: 'square' | 'line' | 'dashed' | 'dot' | 'outline';
  /** Explains the entry on hover and focus. */
  tip?: string;
}

export interface PictureTable {
  columns: string[];
  rows: (string | number)[][];
}

export interface PictureProps {
  title: string;
  subtitle?: ComponentChildren;
  /** What the picture says, in words, for people who cannot see it. */
  alternative: string;
  /** Pixels, or a function of the width. */
  height: number | ((width: number) => number);
  /** The least width that the picture needs; on a narrower screen it scrolls inside its frame. */
  minWidth?: number;
  /** The widest that it gets. */
  maxWidth?: number;
  legend?: KeyEntry[];
  /** Numbers as a table, on request: for screen readers, and for copying. */
  table?: () => PictureTable;
  /** Buttons and sliders of this picture, above it. */
  controls?: ComponentChildren;
  /** True if marks inside can be focused. */
  interactive?: boolean;
  svgRef?: RefObject<SVGSVGElement | null>;
  /** What is under the picture: a sentence that says how to read it. */
  note?: ComponentChildren;
  children: (size: Size) => ComponentChildren;
}

function useWidth(initial: number): [RefObject<HTMLDivElement | null>, number] {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(initial);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const measure = () => {
      const now = Math.floor(element.clientWidth);
      if (now > 0) setWidth(now);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}

export function Picture(props: PictureProps) {
  const id = useId();
  const own = useRef<SVGSVGElement>(null);
  const svg = props.svgRef ?? own;
  const [ref, available] = useWidth(720);
  const [tableShown, setTableShown] = useState(false);
  const width = Math.min(Math.max(available, props.minWidth ?? 0), props.maxWidth ?? Infinity);
  const height = typeof props.height === 'function' ? props.height(width) : props.height;
  const caption = { title: props.title, legend: props.legend ?? [] };
  return (
    <figure class="picture" aria-labelledby={`${id}t`}>
      <figcaption class="picture-head">
        <div class="picture-words">
          <h4 class="picture-title" id={`${id}t`}>{props.title}</h4>
          {props.subtitle && <p class="picture-subtitle">{props.subtitle}</p>}
        </div>
        <div class="picture-buttons">
          {props.table && (
            <button type="button" aria-expanded={tableShown} aria-controls={`${id}n`} onClick={() => setTableShown(!tableShown)}
              aria-label={`Numbers of "${props.title}" as a table`}>
              Table
            </button>
          )}
          <button type="button" aria-label={`Save "${props.title}" as SVG`} onClick={() => svg.current && saveSvg(svg.current, caption)}>SVG</button>
          <button type="button" aria-label={`Save "${props.title}" as PNG`} onClick={() => svg.current && savePng(svg.current, caption)}>PNG</button>
        </div>
      </figcaption>
      {props.controls && <div class="picture-controls">{props.controls}</div>}
      <div class="picture-scroll" ref={ref} tabIndex={width > available ? 0 : undefined} role={width > available ? 'group' : undefined}
        aria-label={width > available ? `${props.title}, scrolls sideways` : undefined}>
        <svg ref={svg} class="picture-svg" xmlns="http://www.w3.org/2000/svg" width={width} height={height} viewBox={`0 0 ${width} ${height}`}
          role={props.interactive ? 'group' : 'img'} aria-label={props.alternative}>
          {props.children({ width, height })}
        </svg>
      </div>
      {props.legend && props.legend.length > 0 && (
        <ul class="picture-key" aria-label={`Colours of "${props.title}"`}>
          {props.legend.map((entry) => (
            <li data-tip={entry.tip} tabIndex={entry.tip ? 0 : undefined}>
              <KeyMark entry={entry} />
              {entry.label}
            </li>
          ))}
        </ul>
      )}
      {props.note && <p class="picture-note">{props.note}</p>}
      {props.table && <div id={`${id}n`} class="picture-table" hidden={!tableShown}>{tableShown && <Table data={props.table()} title={props.title} />}</div>}
    </figure>
  );
}

function KeyMark({ entry }: { entry: KeyEntry }) {
  return (
    <svg class="key-mark" width="14" height="10" viewBox="0 0 14 10" aria-hidden="true">
      {keyMark(entry)}
    </svg>
  );
}

/** A mark of the key, 14 by 10. */
export function keyMark(entry: KeyEntry) {
  switch (entry.mark) {
    case 'line':
      return <line x1="0" y1="5" x2="14" y2="5" stroke={entry.colour} stroke-width="2" />;
    case 'dashed':
      return <line x1="0" y1="5" x2="14" y2="5" stroke={entry.colour} stroke-width="2" stroke-dasharray="3 2" />;
    case 'dot':
      return <circle cx="7" cy="5" r="4" fill={entry.colour} />;
    case 'outline':
      return <rect x="2.75" y="0.75" width="8.5" height="8.5" fill="none" stroke={entry.colour} stroke-width="1.5" />;
    default:
      return <rect x="2" y="0" width="10" height="10" rx="1.5" fill={entry.colour} />;
  }
}

function Table({ data, title }: { data: PictureTable; title: string }) {
  return (
    <div class="scroll-x" tabIndex={0} role="group" aria-label={`${title}: table`}>
      <table class="plain">
        <thead><tr>{data.columns.map((column) => <th scope="col">{column}</th>)}</tr></thead>
        <tbody>
          {data.rows.map((row) => (
            <tr>{row.map((cell, i) => (i === 0 ? <th scope="row">{cell}</th> : <td class={typeof cell === 'number' || /^~?[\d<]/.test(cell) ? 'number' : ''}>{cell}</td>))}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
