// The whole run: the answer first, then the time line, kernels by time, and what is behind them.
import { useEffect } from 'preact/hooks';
import { RunTimeline } from '../../charts/run_timeline';
import { fileName } from '../../format/names';
import { count, modelled, seconds } from '../../format/numbers';
import { useReport } from '../report';
import { Conventions } from './conventions';
import { FirstSteps } from './first_steps';
import { KernelTable } from './kernel_table';
import { Notices } from './notices';
import { Calls, Copies, Output } from './run';
import './overview.css';

export function Overview({ section }: { section: string }) {
  const { profile } = useReport();
  const time = profile.kernels.reduce((sum, kernel) => sum + (kernel.time?.seconds ?? 0), 0);
  useEffect(() => {
    if (section) document.getElementById(section)?.scrollIntoView();
  }, [section]);
  return (
    <>
      <div class="overview-head">
        <h1 title={profile.title}>{fileName(profile.title)}</h1>
        <dl class="figures">
          <div><dt>Kernels' time, modelled</dt><dd>{time > 0 ? modelled(seconds(time)) : '-'}</dd></div>
          <div><dt>Kernels</dt><dd>{count(profile.kernels.length)}</dd></div>
          <div><dt>Launches</dt><dd>{count(profile.launches.length)}</dd></div>
          <div><dt>Copies and memsets</dt><dd>{count(profile.transfers.length)}</dd></div>
          <div><dt>Device</dt><dd>{profile.device.name}</dd></div>
        </dl>
      </div>
      <Notices />
      <FirstSteps />
      <section class="section" id="kernels" aria-labelledby="kernels-title">
        <h2 id="kernels-title">Kernels by time</h2>
        <KernelTable />
      </section>
      <section class="section" id="timeline" aria-labelledby="timeline-title">
        <h2 id="timeline-title" class="visually-hidden">Time line</h2>
        <RunTimeline />
      </section>
      {(profile.transfers.length > 0 || profile.api.length > 0) && (
        <div class="section columns">
          {profile.transfers.length > 0 && <Copies />}
          {profile.api.length > 0 && <Calls />}
        </div>
      )}
      <Conventions />
      {profile.output && <Output text={profile.output} cut={profile.output_cut} />}
    </>
  );
}
