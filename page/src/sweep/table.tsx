// Every configuration, to sort and to filter.
import { useMemo, useState } from 'preact/hooks';
import type { Sweep } from '../data';
import { count, counted } from '../format/numbers';
import { limiterColour } from '../theme/colours';
import { columnsOf, filtered, limiterKind, sorted } from './rows';

const page = 100;

export function SweepTable({ sweep, group, front, best }: { sweep: Sweep; group: string | null; front: ReadonlySet<number>; best: ReadonlySet<number> }) {
  const columns = useMemo(() => columnsOf(sweep), [sweep]);
  const [order, setOrder] = useState({ key: 'time', descending: false });
  const [words, setWords] = useState('');
  const [state, setState] = useState('');
  const [only, setOnly] = useState(false);
  const [shown, setShown] = useState(page);
  const states = useMemo(() => [...new Set(sweep.rows.map((row) => row.state))].sort(), [sweep]);
  const rows = useMemo(() => {
    const column = columns.find((c) => c.key === order.key) ?? columns[0]!;
    return sorted(filtered(sweep, { words, state, front: only, group }, front), column, order.descending);
  }, [sweep, columns, order, words, state, only, group, front]);
  return (
    <section class="section" aria-labelledby="rows-title">
      <h2 id="rows-title">Configurations</h2>
      <div class="sweep-controls">
        <label>Search <input type="search" value={words} onInput={(event) => setWords(event.currentTarget.value)} placeholder="BM=32, or words" /></label>
        <label>State{' '}
          <select value={state} onChange={(event) => setState(event.currentTarget.value)}>
            <option value="">all</option>
            {states.map((one) => <option value={one}>{one}</option>)}
          </select>
        </label>
        <label class="check"><input type="checkbox" checked={only} onChange={(event) => setOnly(event.currentTarget.checked)} /> only the Pareto front</label>
        <span class="muted" role="status">{count(rows.length)} of {count(sweep.rows.length)}</span>
      </div>
      <div class="scroll-x" tabIndex={0} role="group" aria-label="Configurations">
        <table class="plain wide sweep-rows">
          <thead>
            <tr>
              {columns.map((column) => {
                const own = order.key === column.key;
                return (
                  <th scope="col" class={column.number ? 'number' : ''} aria-sort={own ? (order.descending ? 'descending' : 'ascending') : undefined}>
                    <button type="button" class="sweep-sort" onClick={() => setOrder({ key: column.key, descending: own && !order.descending })}>{column.title}<span aria-hidden="true">{own ? (order.descending ? ' ▼' : ' ▲') : ''}</span></button>
                  </th>
                );
              })}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shown).map((row) => (
              <tr key={row.row} class={best.has(row.row) ? 'sweep-best' : ''}>
                {columns.map((column) => {
                  if (column.key === 'row') return <th scope="row" class="number">{row.row}</th>;
                  if (column.key === 'note' && row.state === 'timed') return <td><Mark best={best.has(row.row)} front={front.has(row.row)} />{column.text(row) && <span class="chip" style={{ '--chip': limiterColour(limiterKind(column.text(row))) }}>{column.text(row).replaceAll('_', ' ')}</span>}</td>;
                  return <td class={`${column.number ? 'number' : ''}${column.key === 'time' && row.state !== 'timed' ? ' muted' : ''}`}>{column.text(row)}</td>;
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > shown && <button type="button" class="button more" onClick={() => setShown(shown + 10 * page)}>Show more ({counted(rows.length - shown, 'row')} left)</button>}
    </section>
  );
}

/** On the front, and the best: by word, never by colour alone. */
function Mark({ best, front }: { best: boolean; front: boolean }) {
  if (best) return <span class="sweep-tag sweep-tag-best" data-tip="the best of its device and size">best</span>;
  if (front) return <span class="sweep-tag" data-tip="no other row is better in time, occupancy and registers at once">front</span>;
  return null;
}
