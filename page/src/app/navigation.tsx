// The list of kernels beside the page; a drop-down on narrow screens.
import { useState } from 'preact/hooks';
import { fileName, shortName } from '../format/names';
import { modelled, seconds, share } from '../format/numbers';
import { limiterColour } from '../theme/colours';
import { useReport } from './report';
import { type Route, compareLink, kernelLink, overviewLink } from './route';

const filterFrom = 12;

export function Navigation({ route, shown }: { route: Route; shown: string }) {
  const { report, profile, profileIndex } = useReport();
  const [filter, setFilter] = useState('');
  const profiles = report.document.profiles;
  const wanted = filter.toLowerCase();
  const kernels = profile.kernels.map((kernel, index) => ({ kernel, index })).filter(({ kernel }) => kernel.name.toLowerCase().includes(wanted));
  const tab = shown === 'kernel' && route.tab !== 'analysis' ? [route.tab] : [];
  const current = (is: boolean) => (is ? 'page' : undefined);
  return (
    <nav class="side" aria-label="Report">
      {profiles.length > 1 && (
        <label class="side-profile">
          <span class="visually-hidden">Profile</span>
          <select value={profileIndex} onChange={(event) => { location.hash = overviewLink(Number(event.currentTarget.value)); }}>
            {profiles.map((p, i) => <option value={i}>{fileName(p.title)}</option>)}
          </select>
        </label>
      )}
      <div class="side-pages">
        <a href={overviewLink(profileIndex)} aria-current={current(shown === 'overview')}>Overview</a>
        {report.document.compare && <a href={compareLink()} aria-current={current(shown === 'compare')}>Compare</a>}
      </div>
      <label class="side-select">
        <span class="visually-hidden">Kernel</span>
        <select value={shown === 'kernel' ? String(route.kernel) : ''} onChange={(event) => { if (event.currentTarget.value) location.hash = kernelLink(profileIndex, Number(event.currentTarget.value), ...tab); }}>
          <option value="">Kernels ({profile.kernels.length})</option>
          {profile.kernels.map((kernel, i) => <option value={i}>{kernel.time ? `${modelled(seconds(kernel.time.seconds))}  ` : ''}{shortName(kernel.name)}</option>)}
        </select>
      </label>
      <div class="side-kernels">
        <h2 class="side-title" id="side-title">Kernels</h2>
        {profile.kernels.length >= filterFrom && (
          <input class="side-filter" type="search" placeholder="Filter" aria-label="Filter kernels by name" value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />
        )}
        <ul aria-labelledby="side-title">
          {kernels.map(({ kernel, index }) => (
            <li>
              <a href={kernelLink(profileIndex, index, ...tab)} aria-current={current(shown === 'kernel' && route.kernel === index)} title={kernel.name}>
                <span class="side-name">{shortName(kernel.name)}</span>
                <span class="side-time">{kernel.time ? share(kernel.time.share) : '-'}</span>
                <svg class="side-bar" width="100%" height="3" aria-hidden="true" preserveAspectRatio="none" viewBox="0 0 100 3">
                  <rect width="100" height="3" fill="var(--sunk)" />
                  <rect width={Math.max(0.5, (kernel.time?.share ?? 0) * 100)} height="3" fill={limiterColour(kernel.limiter?.kind)} />
                </svg>
              </a>
            </li>
          ))}
        </ul>
      </div>
    </nav>
  );
}
