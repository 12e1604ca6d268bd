// What the page shows is in the address after #, so that a link leads to a kernel, a section or a line:
//   #/                        overview            #/kernel/3/source/transpose.cu:43   a line
//   #/kernel/3                a kernel            #/kernel/3/memory                   a section
//   #/compare                 comparison          #/p1/kernel/3                       of the second profile
import { useEffect, useState } from 'preact/hooks';

export interface Route {
  profile: number;
  /** Start: no page is named. */
  page: 'start' | 'overview' | 'kernel' | 'compare';
  kernel: number;
  tab: string;
  /** What is behind the tab: a section, or file:line. */
  rest: string;
}

export const tabs = ['analysis', 'source', 'drawings', 'launches', 'metrics'] as const;

export function parseRoute(hash: string): Route {
  const parts = hash.replace(/^#\/?/, '').split('/').filter(Boolean).map(decode);
  let profile = 0;
  const prefix = /^p(\d+)$/.exec(parts[0] ?? '');
  if (prefix) {
    profile = Number(prefix[1]);
    parts.shift();
  }
  const none: Route = { profile, page: hash === '' || hash === '#' ? 'start' : 'overview', kernel: 0, tab: '', rest: parts[0] ?? '' };
  if (parts[0] === 'compare') return { ...none, page: 'compare', rest: parts[1] ?? '' };
  if (parts[0] === 'kernel' && /^\d+$/.test(parts[1] ?? '')) {
    const known = (tabs as readonly string[]).includes(parts[2] ?? '');
    return { profile, page: 'kernel', kernel: Number(parts[1]), tab: known ? (parts[2] ?? '') : 'analysis', rest: parts.slice(known ? 3 : 2).join('/') };
  }
  return none;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const prefixOf = (profile: number): string => (profile > 0 ? `/p${profile}` : '');

export const overviewLink = (profile: number, section = ''): string => `#${prefixOf(profile)}/${section}`;
export const compareLink = (kernel?: number): string => (kernel === undefined ? '#/compare' : `#/compare/${kernel}`);
export const kernelLink = (profile: number, kernel: number, ...rest: string[]): string =>
  `#${prefixOf(profile)}/${['kernel', String(kernel), ...rest.map(encodeURIComponent)].join('/')}`;

/** The route of the address, kept up to date. */
export function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  useEffect(() => {
    const changed = () => setRoute(parseRoute(location.hash));
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return route;
}

/** Changes the address without a new entry in the history. */
export function replaceRoute(link: string): void {
  history.replaceState(null, '', link);
  dispatchEvent(new HashChangeEvent('hashchange'));
}
