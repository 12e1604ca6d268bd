// The page of `drywarp sweep plot --html`: the best of each device, time over occupancy, a heat map, every configuration.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { ThemeButton } from '../app/theme';
import type { ReportDocument, Sweep, SweepRow } from '../data';
import { counted, factor, modelled, percent, seconds } from '../format/numbers';
import { download } from '../picture/save';
import { HeatMap } from './heat';
import { axesOf, configurationOf, groupsOf, timed } from './rows';
import { TimeScatter } from './scatter';
import { SweepTable } from './table';
import '../app/app.css';
import './sweep.css';

export function SweepPage({ document: contents, sweep }: { document: ReportDocument; sweep: Sweep }) {
  const groups = useMemo(() => groupsOf(sweep), [sweep]);
  const [group, setGroup] = useState(sweep.best[0]?.group ?? groups[0] ?? '');
  const [everywhere, setEverywhere] = useState(groups.length > 1);
  const front = useMemo(() => new Set(sweep.pareto_front), [sweep]);
  const best = useMemo(() => new Set(sweep.best.map((b) => b.row)), [sweep]);
  const rows = useMemo(() => sweep.rows.filter((row) => row.group === group), [sweep, group]);
  const points = useMemo(() => timed(rows), [rows]);
  const axes = useMemo(() => axesOf(sweep), [sweep]);
  const several = groups.length > 1;
  useEffect(() => {
    document.title = `${sweep.title} - drywarp`;
  }, [sweep]);
  return (
    <>
      <header class="top">
        <span class="brand">drywarp</span>
        <span class="top-title" title={sweep.title}>{sweep.title}</span>
        <span class="top-device">{sweep.device}</span>
        <ThemeButton />
      </header>
      <main class="content" id="main">
        <div class="sweep-head">
          <h1>{sweep.program.join(' ')}{sweep.arguments.length > 0 && ` -- ${sweep.arguments.join(' ')}`}</h1>
          <p class="muted">{counted(sweep.rows.length, 'configuration')}, {sweep.search} search: {statesOf(sweep)}. Times are modelled.</p>
        </div>
        <BestTable sweep={sweep} chosen={group} choose={several ? setGroup : null} />
        {several && (
          <div class="sweep-controls sweep-group">
            <label>Pictures of{' '}
              <select value={group} onChange={(event) => setGroup(event.currentTarget.value)}>{groups.map((name) => <option value={name}>{name}</option>)}</select>
            </label>
            <label class="check"><input type="checkbox" checked={everywhere} onChange={(event) => setEverywhere(event.currentTarget.checked)} /> the table has all of them</label>
          </div>
        )}
        <section class="section columns" aria-label="Pictures">
          <TimeScatter sweep={sweep} rows={points} front={front} group={group} />
          <HeatMap sweep={sweep} rows={rows} axes={axes} group={group} />
        </section>
        <SweepTable sweep={sweep} group={everywhere || !several ? null : group} front={front} best={best} />
        {sweep.constraints.length > 0 && <p class="muted small">Only configurations with {sweep.constraints.join(', ')}.</p>}
        <footer class="foot">
          <span>drywarp {contents.drywarp_version}. A number with <b>~</b> is modelled; occupancy is theoretical.</span>
          <button type="button" class="button" onClick={() => download(new Blob([JSON.stringify(contents)], { type: 'application/json' }), `${sweep.title}.json`)}>Data (JSON)</button>
        </footer>
      </main>
    </>
  );
}

function statesOf(sweep: Sweep): string {
  const states = new Map<string, number>();
  for (const row of sweep.rows) states.set(row.state, (states.get(row.state) ?? 0) + 1);
  return [...states].sort(([a], [b]) => (a < b ? -1 : 1)).map(([state, n]) => `${n} ${state}`).join(', ');
}

function BestTable({ sweep, chosen, choose }: { sweep: Sweep; chosen: string; choose: ((group: string) => void) | null }) {
  const rowOf = useMemo(() => new Map(sweep.rows.map((row) => [row.row, row])), [sweep]);
  if (sweep.best.length === 0) return <p class="notice">No configuration has a time yet.</p>;
  const second = (best: SweepRow): number | null => {
    const times = timed(sweep.rows.filter((row) => row.group === best.group && row !== best)).map((t) => t.seconds);
    return times.length > 0 ? Math.min(...times) : null;
  };
  return (
    <section class="section" aria-labelledby="best-title">
      <h2 id="best-title">{sweep.best.length > 1 ? 'The best of each' : 'The best'}</h2>
      <div class="scroll-x" tabIndex={0} role="group" aria-label="The best">
        <table class="plain wide">
          <thead><tr>{choose && <th scope="col">Of</th>}<th scope="col">Configuration</th><th scope="col" class="number">Time</th><th scope="col" class="number">Against the next</th><th scope="col" class="number">Occupancy</th><th scope="col" class="number">Registers</th><th scope="col">As flags</th></tr></thead>
          <tbody>
            {sweep.best.map(({ group, row: number, flags }) => {
              const row = rowOf.get(number);
              const m = row?.measurement;
              if (!row || m?.seconds == null) return null;
              const next = second(row);
              return (
                <tr class={choose && group === chosen ? 'sweep-chosen' : ''}>
                  {choose && <th scope="row"><button type="button" class="sweep-sort" aria-pressed={group === chosen} onClick={() => choose(group)}>{group}</button></th>}
                  <td class="mono sweep-settings">{configurationOf(sweep, row)}</td>
                  <td class="number sweep-time">{modelled(seconds(m.seconds))}</td>
                  <td class="number">{next === null ? '-' : modelled(factor(next / m.seconds))}</td>
                  <td class="number">{m.occupancy === null ? '-' : percent(m.occupancy)}</td>
                  <td class="number">{m.registers ?? '-'}</td>
                  <td class="mono sweep-flags">{flags}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </section>
  );
}
