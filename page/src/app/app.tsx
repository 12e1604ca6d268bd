// The shell: header, list of kernels, and the page that the address names.
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { ReportDocument } from '../data';
import { fileName, shortName } from '../format/names';
import { ComparePage } from './compare/page';
import { KernelPage } from './kernel/page';
import { download } from '../picture/save';
import { Navigation } from './navigation';
import { Overview } from './overview/page';
import { PlaceContext, Report } from './report';
import { useRoute } from './route';
import { ThemeButton } from './theme';
import './app.css';

export function App({ document: contents }: { document: ReportDocument }) {
  const report = useMemo(() => new Report(contents), [contents]);
  const route = useRoute();
  const main = useRef<HTMLElement>(null);
  const profileIndex = Math.min(route.profile, contents.profiles.length - 1);
  const profile = contents.profiles[profileIndex];
  const kernel = profile?.kernels[route.kernel];
  const shown = (route.page === 'compare' || route.page === 'start') && contents.compare ? 'compare' : route.page === 'kernel' && kernel ? 'kernel' : 'overview';

  // A new page begins at its top; a section is scrolled to by the page itself.
  const page = `${profileIndex} ${shown} ${route.kernel} ${route.tab}`;
  const before = useRef(page);
  useEffect(() => {
    if (before.current !== page && !route.rest) scrollTo(0, 0);
    if (before.current !== page) main.current?.focus({ preventScroll: true });
    before.current = page;
  }, [page, route.rest]);
  useEffect(() => {
    const title = fileName(contents.profiles[0]?.title ?? '');
    document.title = `${shown === 'kernel' ? `${shortName(kernel?.name ?? '')} - ` : ''}${title} on ${contents.profiles[0]?.device.name} - drywarp`;
  }, [shown, kernel, contents]);

  if (!profile) return <main class="content"><h1>No profile</h1><p>The document has no profile.</p></main>;
  return (
    <PlaceContext.Provider value={{ report, profile, profileIndex }}>
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); main.current?.focus(); }}>Skip to the report</a>
      <header class="top">
        <a class="brand" href="#/" aria-label="drywarp: overview"><BrandMark />drywarp</a>
        <span class="top-title" title={profile.command}>{shown === 'compare' ? contents.profiles.map((p) => fileName(p.title)).join(', ') : fileName(profile.title)}</span>
        <span class="top-device">{profile.device.name}</span>
        <ThemeButton />
      </header>
      <div class="frame">
        <Navigation route={route} shown={shown} />
        <main class="content" id="main" tabIndex={-1} ref={main}>
          {shown === 'overview' && <Overview key={profileIndex} section={route.rest} />}
          {shown === 'kernel' && kernel && <KernelPage key={`${profileIndex} ${route.kernel}`} kernel={kernel} index={route.kernel} tab={route.tab} rest={route.rest} />}
          {shown === 'compare' && contents.compare && <ComparePage comparison={contents.compare} chosen={route.rest} />}
          <footer class="foot">
            <span>drywarp {contents.drywarp_version}. Counts are exact; a number with <b>~</b> is modelled.</span>
            <button type="button" class="button" onClick={() => download(new Blob([JSON.stringify(contents)], { type: 'application/json' }), `${fileName(contents.profiles[0]?.title ?? 'report')}.json`)}>Data (JSON)</button>
          </footer>
        </main>
      </div>
    </PlaceContext.Provider>
  );
}

function BrandMark() {
  return (
    <svg width="18" height="18" viewBox="0 0 16 16" aria-hidden="true">
      <rect width="16" height="16" rx="3" fill="var(--accent)" />
      <path d="M3 4h2v8H3zM7 7h2v5H7zM11 5h2v7h-2z" fill="var(--paper)" />
    </svg>
  );
}
