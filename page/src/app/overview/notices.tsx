// What the reader must know before any number: faults, an interrupted run, barriers, launches without a time.
import type { ComponentChildren } from 'preact';
import { shortName } from '../../format/names';
import { counted, dimensions } from '../../format/numbers';
import { PlaceLink } from '../parts';
import { useReport } from '../report';
import { kernelLink } from '../route';

const most = 5;

export function Notices() {
  const { profile, profileIndex } = useReport();
  const faults = profile.launches.flatMap((launch, index) => (launch.fault ? [{ launch, index }] : []));
  const barriers = profile.kernels.flatMap((kernel, index) => kernel.barriers.map((barrier) => ({ barrier, kernel, index })));
  const untimed = new Map<string, number>();
  for (const kernel of profile.kernels) for (const [reason, n] of Object.entries(kernel.untimed)) untimed.set(reason, (untimed.get(reason) ?? 0) + n);
  return (
    <>
      {!profile.complete && (
        <Notice bad>
          The program was interrupted{profile.signal !== null ? ` by ${typeof profile.signal === 'number' ? `signal ${profile.signal}` : profile.signal}` : ''}. The report has every launch that ended before.
        </Notice>
      )}
      {profile.complete && profile.exit_code !== null && profile.exit_code !== 0 && <Notice>The program ended with exit code {profile.exit_code}.</Notice>}
      {faults.length > 0 && (
        <Notice bad>
          <strong>{counted(faults.length, 'launch')} stopped on an error.</strong>
          <ul>
            {faults.slice(0, most).map(({ launch, index }) => (
              <li>
                Launch {index}, <a href={kernelLink(profileIndex, launch.kernel, 'launches')} class="mono">{shortName(profile.kernels[launch.kernel]?.name ?? '')}</a> {dimensions(launch.grid)} blocks of {dimensions(launch.block)}: {launch.fault}
              </li>
            ))}
            {faults.length > most && <li>and {faults.length - most} more</li>}
          </ul>
        </Notice>
      )}
      {barriers.length > 0 && (
        <Notice bad>
          <strong>Not every thread reached {counted(barriers.length, 'barrier')}.</strong>
          <ul>
            {barriers.slice(0, most).map(({ barrier, kernel, index }) => (
              <li><span class="mono">{shortName(kernel.name)}</span>, <PlaceLink profile={profileIndex} kernel={index} file={barrier.file} line={barrier.line} />: {barrier.text}</li>
            ))}
          </ul>
        </Notice>
      )}
      {untimed.size > 0 && (
        <Notice>
          Launches without a modelled time:{' '}
          {[...untimed].map(([reason, n], i) => <>{i > 0 && '; '}{n} ({reason})</>)}.
        </Notice>
      )}
    </>
  );
}

function Notice({ bad, children }: { bad?: boolean; children: ComponentChildren }) {
  return <div class={bad ? 'notice bad' : 'notice'} role={bad ? 'alert' : 'note'}><div>{children}</div></div>;
}
