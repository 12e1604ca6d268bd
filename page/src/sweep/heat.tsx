// The best modelled time over the values of two parameters, a cell a pair.
import { useMemo, useState } from 'preact/hooks';
import type { Sweep, SweepParameter, SweepRow } from '../data';
import { counted, modelled, seconds } from '../format/numbers';
import { Picture } from '../picture/picture';
import { colour } from '../theme/colours';
import { type Cell, cellsOf, configurationOf } from './rows';
import { heatOf } from './scales';

const margin = { top: 40, right: 4, bottom: 4, left: 96 };
const cell = { width: 84, height: 34 };

export function HeatMap({ sweep, rows, axes, group }: { sweep: Sweep; rows: SweepRow[]; axes: SweepParameter[]; group: string }) {
  const [names, setNames] = useState<[string, string]>([axes[0]?.name ?? '', axes[1]?.name ?? '']);
  const x = axes.find((p) => p.name === names[0]);
  const y = axes.find((p) => p.name === names[1]);
  const cells = useMemo(() => (x && y ? cellsOf(rows, x, y) : []), [rows, x, y]);
  if (axes.length < 2 || !x || !y) return <p class="muted">A heat map needs two parameters that vary, besides devices and problem sizes.</p>;
  // Choosing the other axis' parameter exchanges both.
  const choose = (at: 0 | 1, name: string) => setNames(name === names[1 - at] ? [names[1], names[0]] : at === 0 ? [name, names[1]] : [names[0], name]);
  const times = cells.flatMap((c) => (c.best ? [c.best.seconds] : []));
  const [low, high] = [Math.min(...times), Math.max(...times)];
  const best = cells.find((c) => c.best?.seconds === low) ?? null;
  const used = (p: SweepParameter, of: (c: Cell) => number) => p.values.map((_, i) => i).filter((i) => cells.some((c) => of(c) === i));
  const [columns, lines] = [used(x, (c) => c.x), used(y, (c) => c.y)];
  const label = (p: SweepParameter, i: number) => p.labels[i] ?? '';
  const others = axes.filter((p) => p !== x && p !== y).map((p) => p.name);
  const chooser = (at: 0 | 1, title: string) => (
    <label>{title}{' '}
      <select value={names[at]} onChange={(event) => choose(at, event.currentTarget.value)}>{axes.map((p) => <option value={p.name}>{p.name}</option>)}</select>
    </label>
  );
  return (
    <Picture title={`Best time over ${x.name} and ${y.name}${group && `, ${group}`}`} subtitle={others.length > 0 ? `Modelled; each cell is the best over ${others.join(', ')}` : 'Modelled'} interactive
      minWidth={margin.left + margin.right + columns.length * 62} maxWidth={margin.left + margin.right + columns.length * 150}
      alternative={best?.best ? `Best modelled time for each pair of ${x.name} and ${y.name}, from ${seconds(low)} at ${x.name}=${label(x, best.x)}, ${y.name}=${label(y, best.y)} to ${seconds(high)}` : 'No pair has a time'}
      height={margin.top + margin.bottom + lines.length * cell.height}
      controls={<>{chooser(0, 'Across')}{chooser(1, 'Down')}</>}
      table={() => ({
        columns: [`${y.name} \\ ${x.name}`, ...columns.map((c) => label(x, c))],
        rows: lines.map((l) => [label(y, l), ...columns.map((c) => textOf(cells.find((own) => own.x === c && own.y === l)))]),
      })}
      note="The stronger the colour, the slower, in equal ratios. The outlined cell is the best.">
      {({ width }) => {
        const wide = (width - margin.left - margin.right) / columns.length;
        return (
          <g>
            <text x={margin.left} y={12} class="small muted">{x.name} →</text>
            <text x={margin.left - 10} y={28} text-anchor="end" class="small muted">{y.name} ↓</text>
            {columns.map((c, i) => <text x={margin.left + (i + 0.5) * wide} y={30} text-anchor="middle" class="small">{short(label(x, c), wide)}</text>)}
            {lines.map((l, j) => (
              <g transform={`translate(0 ${margin.top + j * cell.height})`}>
                <text x={margin.left - 10} y={cell.height / 2} dy="0.32em" text-anchor="end" class="small">{short(label(y, l), margin.left - 14)}</text>
                {columns.map((c, i) => {
                  const own = cells.find((one) => one.x === c && one.y === l);
                  if (!own) return null;
                  const time = own.best?.seconds;
                  return (
                    <g transform={`translate(${margin.left + i * wide} 0)`} tabindex={0} role="img" aria-label={`${x.name}=${label(x, c)}, ${y.name}=${label(y, l)}: ${textOf(own)}`}
                      data-tip={own.best ? `${modelled(seconds(own.best.seconds))}\n${configurationOf(sweep, own.best.row)}\nrow ${own.best.row.row}, the best of ${counted(own.rows, 'row')}` : `${own.lost}\n${counted(own.rows, 'row')} without a time`}>
                      <rect class="sweep-cell" x={1} y={1} width={Math.max(1, wide - 2)} height={cell.height - 2} fill={time === undefined ? colour('paper') : `var(--heat-${heatOf(time, low, high)})`} stroke={own === best ? colour('ink') : time === undefined ? colour('rule-strong') : 'none'} stroke-width={own === best ? 2 : 1} stroke-dasharray={time === undefined ? '3 3' : undefined} />
                      <text x={wide / 2} y={cell.height / 2} dy="0.32em" text-anchor="middle" class={`small${own === best ? ' bold' : ''}${time === undefined ? ' muted' : ''}`}>{time === undefined ? short(own.lost, wide) : modelled(seconds(time))}</text>
                    </g>
                  );
                })}
              </g>
            ))}
          </g>
        );
      }}
    </Picture>
  );
}

const textOf = (own: Cell | undefined): string => (own?.best ? modelled(seconds(own.best.seconds)) : (own?.lost ?? '-'));

/** As much of a label as a width holds, at about six pixels a letter. */
function short(text: string, width: number): string {
  const most = Math.max(3, Math.floor(width / 6.2));
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
