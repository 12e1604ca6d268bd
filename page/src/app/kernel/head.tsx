import type { Kernel } from '../../data';
import { shortName } from '../../format/names';
import { bytes, count, dimensions, modelled, percent, seconds, share } from '../../format/numbers';
import { limiterColour } from '../../theme/colours';
import { Gain, PlaceLink } from '../parts';
import { useReport } from '../report';
import { kernelLink } from '../route';

const registerWords: Record<string, string> = { estimate: 'estimate', 'launch-bounds': 'estimate, held by launch bounds', cubin: 'from cubin', 'ptxas-info': 'from ptxas' };

/** In full above the analysis; in short above the other pages. */
export function KernelHead({ kernel, index, short }: { kernel: Kernel; index: number; short: boolean }) {
  const { profile, profileIndex } = useReport();
  const launches = profile.launches.filter((launch) => launch.kernel === index);
  const shapes = [...new Set(launches.map((launch) => `${dimensions(launch.grid)} x ${dimensions(launch.block)}`))];
  const first = launches[0];
  const advice = kernel.advice[0];
  const line = advice?.lines[0];
  const exactRegisters = kernel.registers_from === 'cubin' || kernel.registers_from === 'ptxas-info';
  return (
    <div class="kernel-head">
      <h1 class="mono">{shortName(kernel.name)}</h1>
      {!short && <p class="kernel-signature mono muted">{kernel.name}</p>}
      <p class="kernel-answer">
        {kernel.limiter ? <span class="chip kernel-limiter" style={{ '--chip': limiterColour(kernel.limiter.kind) }}>{kernel.limiter.text}</span> : <span class="muted">No launch has a modelled time, so no limiter is known.</span>}
        {advice && (
          <span class="kernel-first">
            First: <a href={kernelLink(profileIndex, index, 'advice')}>{advice.headline}</a>
            {line && <>, <PlaceLink profile={profileIndex} kernel={index} file={line.file} line={line.line} /></>}: <Gain advice={advice} />
          </span>
        )}
      </p>
      {!short && <dl class="figures">
        <div><dt>Time, modelled</dt><dd>{kernel.time ? modelled(seconds(kernel.time.seconds)) : '-'}</dd></div>
        <div><dt>Of all kernels</dt><dd>{kernel.time ? modelled(share(kernel.time.share)) : '-'}</dd></div>
        <div><dt>Launches</dt><dd>{count(kernel.calls)}</dd></div>
        <div><dt>{shapes.length === 1 ? 'Grid x block' : 'Launch shapes'}</dt><dd>{shapes.length === 1 && first ? <>{dimensions(first.grid)}<span class="figures-by"> x </span>{dimensions(first.block)}</> : count(shapes.length)}</dd></div>
        <div><dt>Registers a thread</dt><dd data-tip={registerWords[kernel.registers_from ?? ''] ?? undefined}>{kernel.registers === null ? '-' : `${exactRegisters ? '' : '~'}${kernel.registers}`}</dd></div>
        <div><dt>Static shared memory</dt><dd>{bytes(kernel.static_shared_bytes)}</dd></div>
        {kernel.occupancy && <div><dt>Occupancy, achieved / most</dt><dd>{kernel.occupancy.achieved === null ? '-' : modelled(percent(kernel.occupancy.achieved))}<span class="figures-by"> / </span>{modelled(percent(kernel.occupancy.theoretical))}</dd></div>}
      </dl>}
    </div>
  );
}
