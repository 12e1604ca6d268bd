import { useState } from 'preact/hooks';
import { shortName } from '../../format/names';
import { count, modelled, seconds, share } from '../../format/numbers';
import { limiterColour } from '../../theme/colours';
import { Gain, LimiterChip } from '../parts';
import { useReport } from '../report';
import { kernelLink } from '../route';

const firstRows = 25;

/** A row for each kernel: time, limiter, first advice. */
export function KernelTable() {
  const { profile, profileIndex } = useReport();
  const [all, setAll] = useState(false);
  const longest = Math.max(...profile.kernels.map((kernel) => kernel.time?.seconds ?? 0), 0);
  const rows = all ? profile.kernels : profile.kernels.slice(0, firstRows);
  const hidden = profile.kernels.length - rows.length;
  if (profile.kernels.length === 0) return <p>The program launched no kernel.</p>;
  return (
    <>
      <div class="kernels" role="table" aria-label="Kernels by time">
        <div class="kernels-row kernels-head" role="row">
          <span role="columnheader">Kernel</span><span role="columnheader" class="number">Time</span><span role="columnheader" class="number">Share</span>
          <span role="columnheader" class="number">Launches</span><span role="columnheader">Limiter</span><span role="columnheader" class="number">Gain</span><span role="columnheader">First advice</span>
        </div>
        {rows.map((kernel, index) => {
          const first = kernel.advice[0];
          return (
            <div class="kernels-row" role="row">
              <span role="cell" class="kernels-name">
                <a href={kernelLink(profileIndex, index)} class="mono" title={kernel.name}>{shortName(kernel.name)}</a>
                <svg class="kernels-bar" width="100%" height="4" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
                  <rect width="100" height="4" fill="var(--sunk)" />
                  <rect width={longest > 0 ? ((kernel.time?.seconds ?? 0) / longest) * 100 : 0} height="4" fill={limiterColour(kernel.limiter?.kind)} />
                </svg>
              </span>
              <span role="cell" class="number kernels-time">{kernel.time ? modelled(seconds(kernel.time.seconds)) : '-'}</span>
              <span role="cell" class="number kernels-share muted">{kernel.time ? share(kernel.time.share) : '-'}</span>
              <span role="cell" class="number kernels-calls">{count(kernel.calls)}<span class="kernels-unit"> {kernel.calls === 1 ? 'launch' : 'launches'}</span></span>
              <span role="cell" class="kernels-limiter"><LimiterChip limiter={kernel.limiter} /></span>
              <span role="cell" class="number kernels-gain">{first ? <Gain advice={first} /> : ''}</span>
              <span role="cell" class="kernels-advice">{first ? first.headline : <span class="muted">nothing to change</span>}</span>
            </div>
          );
        })}
      </div>
      {hidden > 0 && <button type="button" class="button more" onClick={() => setAll(true)}>Show {hidden} more kernels</button>}
    </>
  );
}
