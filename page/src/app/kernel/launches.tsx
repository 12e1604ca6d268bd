import { useState } from 'preact/hooks';
import { LaunchTimes } from '../../charts/launch_times';
import type { Launch } from '../../data';
import { bytes, count, dimensions, modelled, seconds } from '../../format/numbers';
import { LimiterChip } from '../parts';
import { useReport } from '../report';

const page = 100;
type Order = 'issue' | 'time';

/** A row for each launch of the kernel. */
export function LaunchTable({ index }: { index: number }) {
  const { profile } = useReport();
  const [shown, setShown] = useState(page);
  const [order, setOrder] = useState<Order>('issue');
  const issued = profile.launches.flatMap((launch, i) => (launch.kernel === index ? [{ launch, i }] : []));
  const all = [...issued];
  const time = (launch: Launch) => launch.time?.seconds ?? -1;
  if (order === 'time') all.sort((a, b) => time(b.launch) - time(a.launch));
  const ranges = all.some(({ launch }) => launch.range);
  return (
    <section class="section" aria-labelledby="launches-title">
      <h2 id="launches-title">Launches</h2>
      <LaunchTimes launches={issued} />
      <p class="lede launches-order">{count(all.length)} in order of {order === 'issue' ? 'issue' : 'time'}.{' '}
        <button type="button" class="button" onClick={() => setOrder(order === 'issue' ? 'time' : 'issue')}>Order by {order === 'issue' ? 'time' : 'issue'}</button>
      </p>
      <div class="scroll-x" tabIndex={0} role="group" aria-label="Launches">
        <table class="plain wide">
          <thead>
            <tr>
              <th scope="col" class="number">Launch</th><th scope="col" class="number">Time</th><th scope="col">Grid</th><th scope="col">Block</th><th scope="col" class="number">Dynamic shared</th>
              <th scope="col" class="number">Stream</th>{ranges && <th scope="col">Range</th>}<th scope="col" class="number">SMs simulated</th><th scope="col">Limiter</th><th scope="col">Note</th>
            </tr>
          </thead>
          <tbody>
            {all.slice(0, shown).map(({ launch, i }) => (
              <tr>
                <th scope="row" class="number">{i}</th>
                <td class="number">{launch.time ? modelled(seconds(launch.time.seconds)) : '-'}</td>
                <td class="nowrap">{dimensions(launch.grid)}</td>
                <td class="nowrap">{dimensions(launch.block)}</td>
                <td class="number">{bytes(launch.dynamic_shared)}</td>
                <td class="number">{launch.stream}</td>
                {ranges && <td>{launch.range}</td>}
                <td class="number">{launch.time ? `${launch.time.simulated_sms} of ${launch.time.sms}` : '-'}</td>
                <td><LimiterChip limiter={launch.limiter} /></td>
                <td>{launch.fault ? <span class="bad-text">{launch.fault}</span> : launch.untimed ?? (launch.time && !launch.time.simulated ? <span class="muted">as an earlier launch</span> : '')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {all.length > shown && <button type="button" class="button more" onClick={() => setShown(shown + 10 * page)}>Show more ({all.length - shown} left)</button>}
    </section>
  );
}
