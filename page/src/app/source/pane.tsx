// A list of code lines that scrolls by itself, keeps the chosen ones in view, and moves with the arrow keys.
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { heatStep } from '../../theme/colours';
import type { Column, Part } from './columns';

export interface PaneRow {
  key: number;
  number: number | string;
  part: Part | null;
  text: ComponentChildren;
  /** 2: the chosen row; 1: belongs to it. */
  marked: 0 | 1 | 2;
}

export interface PaneProps {
  title: string;
  name: string;
  note: string;
  columns: Column[];
  rows: PaneRow[];
  choose: (row: PaneRow) => void;
  /** Changes when the pane should bring its marked row into view. */
  follow: string;
}

export function Pane(props: PaneProps) {
  const list = useRef<HTMLDivElement>(null);
  const followed = useRef('');
  const strongest = props.rows.findIndex((row) => row.marked === 2);
  const marked = strongest >= 0 ? strongest : props.rows.findIndex((row) => row.marked > 0);
  useLayoutEffect(() => {
    if (followed.current === props.follow || !list.current) return;
    followed.current = props.follow;
    const target = list.current.querySelectorAll<HTMLElement>('.pane-row')[marked];
    if (!target) return;
    const box = list.current;
    const top = target.offsetTop;
    if (top < box.scrollTop + 40 || top > box.scrollTop + box.clientHeight - 40) box.scrollTop = top - box.clientHeight / 3;
  }, [props.follow, marked]);
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15, Home: -Infinity, End: Infinity };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const rows = [...(list.current?.querySelectorAll<HTMLElement>('.pane-row') ?? [])];
    const at = rows.indexOf(document.activeElement as HTMLElement);
    const next = Math.max(0, Math.min(rows.length - 1, (at < 0 ? marked : at) + step));
    const row = props.rows[next];
    if (!row) return;
    props.choose(row);
    rows[next]?.focus();
  };
  const tabbable = marked >= 0 ? marked : 0;
  return (
    <section class={`pane pane-${props.name}`} aria-label={props.title}>
      <div class="pane-head"><h3>{props.title}</h3><span class="muted">{props.note}</span></div>
      <div class="pane-scroll" ref={list} role="listbox" aria-label={props.title} onKeyDown={onKeyDown}>
        <div class="pane-columns" aria-hidden="true">
          {props.columns.map((column) => <span class={`pane-cell ${column.key === 'stalls' ? 'pane-stalls' : ''}`} data-tip={column.tip}>{column.title}</span>)}
          <span class="pane-number">#</span>
          <span class="pane-text" />
        </div>
        {props.rows.map((row, i) => (
          <div class={`pane-row${row.marked === 2 ? ' pane-chosen' : row.marked === 1 ? ' pane-linked' : ''}`} role="option" aria-selected={row.marked === 2} tabIndex={i === tabbable ? 0 : -1} onClick={() => props.choose(row)}>
            {props.columns.map((column) => {
              const value = row.part ? column.value(row.part) : null;
              return <span class={`pane-cell ${column.key === 'stalls' ? 'pane-stalls' : ''} heat-${row.part && value !== null ? heatStep(column.heat(row.part)) : 0}`}>{row.part && value !== null ? column.cell(value, row.part) : ''}</span>;
            })}
            <span class="pane-number">{row.number}</span>
            <span class="pane-text">{row.text}</span>
          </div>
        ))}
      </div>
    </section>
  );
}
