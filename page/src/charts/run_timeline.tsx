// The run over time: modelled operations of the GPU by stream, or what the host did.
import { useMemo, useState } from 'preact/hooks';
import type { Profile } from '../data';
import { shortName } from '../format/names';
import { bytes, counted, dimensions, modelled, seconds } from '../format/numbers';
import type { KeyEntry } from '../picture/picture';
import { Toggle } from '../picture/toggle';
import { useReport } from '../app/report';
import { kernelLink } from '../app/route';
import { category, colour, transferColour } from '../theme/colours';
import type { Span, SpanRow } from './span_groups';
import { SpanChart } from './spans';

type View = 'gpu' | 'host';
const transferWords: Record<string, string> = { HtoD: 'copy to the device', DtoH: 'copy to the host', DtoD: 'copy on the device', HtoH: 'copy on the host', memset: 'memset' };

export function RunTimeline() {
  const { profile, profileIndex } = useReport();
  const modelledSeconds = profile.timeline.seconds;
  const [view, setView] = useState<View>(modelledSeconds > 0 ? 'gpu' : 'host');
  const rows = useMemo(() => (view === 'gpu' ? gpuRows(profile, profileIndex) : hostRows(profile, profileIndex)), [view, profile, profileIndex]);
  const spans = rows.flatMap((row) => row.spans);
  if (spans.length === 0) return <p class="muted">The program launched and copied nothing.</p>;
  const from = view === 'gpu' ? 0 : Math.min(...rows.map((row) => row.spans[0]?.start ?? 0));
  const to = view === 'gpu' ? modelledSeconds : rows.reduce((end, row) => row.spans.reduce((e, s) => Math.max(e, s.start + s.length), end), from + 1e-9);
  const total = view === 'gpu' ? modelled(seconds(to - from)) : seconds(to - from);
  return (
    <SpanChart key={view} title="The run over time" rows={rows} from={from} to={to} modelled={view === 'gpu'}
      subtitle={view === 'gpu' ? `Modelled: ${total}, as streams and engines let operations overlap` : `On the machine that ran drywarp: ${total}. It says nothing about a GPU`}
      alternative={`Time line of ${counted(profile.launches.length, 'launch')} and ${counted(profile.transfers.length, 'transfer')} in ${total}. ${rows.map((row) => `${row.label}: ${row.spans.length}`).join('; ')}`}
      legend={keyOf(profile, view)}
      note={view === 'gpu' ? profile.timeline.text : profile.api_calls_cut ? 'Only the first calls were kept.' : undefined}
      table={() => ({
        columns: ['Operation', 'Row', 'Start', 'Time'],
        rows: rows.flatMap((row) => row.spans.map((s) => [s.tip.split('\n')[0] ?? '', row.label, seconds(s.start - Math.min(0, from)), (view === 'gpu' ? '~' : '') + seconds(s.length)])).slice(0, 2000),
      })}
      controls={<Toggle<View> label="Time of" value={view} set={setView} choices={[{ value: 'gpu', text: 'GPU, modelled' }, { value: 'host', text: 'This run, on the host' }]} />} />
  );
}

function launchSpan(profile: Profile, profileIndex: number, index: number, start: number, length: number, isModelled: boolean): Span | null {
  const launch = profile.launches[index];
  const kernel = launch && profile.kernels[launch.kernel];
  if (!kernel) return null;
  const name = shortName(kernel.name);
  return {
    start, length, colour: category(launch.kernel), label: name, link: kernelLink(profileIndex, launch.kernel),
    tip: [`${name}, launch ${index}`, `${isModelled ? '~' : ''}${seconds(length)}${isModelled ? '' : ' on the host'}`, `${dimensions(launch.grid)} blocks of ${dimensions(launch.block)}`, ...(launch.limiter ? [launch.limiter.text] : []), ...(launch.range ? [`range ${launch.range}`] : [])].join('\n'),
  };
}

function transferSpan(profile: Profile, index: number, start: number, length: number, isModelled: boolean): Span | null {
  const transfer = profile.transfers[index];
  if (!transfer) return null;
  const words = transferWords[transfer.kind] ?? transfer.kind;
  return { start, length, colour: transferColour(transfer.kind), label: words, tip: `${words}, ${bytes(transfer.bytes)}\n${isModelled ? '~' : ''}${seconds(length)}${transfer.pinned ? '\npage-locked memory' : ''}` };
}

function gpuRows(profile: Profile, profileIndex: number): SpanRow[] {
  const many = profile.timeline.streams.length > 1;
  return profile.timeline.streams.flatMap(({ stream, spans }) => {
    const kernels: Span[] = [];
    const copies: Span[] = [];
    for (const [start, length, kind, index] of spans) {
      const span = kind === 'launch' ? launchSpan(profile, profileIndex, index, start, length, true) : transferSpan(profile, index, start, length, true);
      if (span) (kind === 'launch' ? kernels : copies).push(span);
    }
    const suffix = many ? `, stream ${stream}` : '';
    return [{ label: `Kernels${suffix}`, spans: kernels }, { label: `Copies${suffix}`, spans: copies }].filter((row) => row.spans.length > 0);
  });
}

function hostRows(profile: Profile, profileIndex: number): SpanRow[] {
  const calls = profile.api_calls.map(([f, start, length]): Span => {
    const name = profile.api[f]?.name ?? '';
    return { start, length, colour: colour('grey'), label: name, tip: `${name}\n${seconds(length)} on the host` };
  });
  const launches = profile.launches.flatMap((launch, i) => launchSpan(profile, profileIndex, i, launch.start_seconds, launch.host_seconds, false) ?? []);
  const copies = profile.transfers.flatMap((transfer, i) => transferSpan(profile, i, transfer.start_seconds, transfer.host_seconds, false) ?? []);
  const ordered = (spans: Span[]) => spans.sort((a, b) => a.start - b.start);
  return [{ label: 'API calls', spans: ordered(calls) }, { label: 'Kernels', spans: ordered(launches) }, { label: 'Copies', spans: ordered(copies) }].filter((row) => row.spans.length > 0);
}

const mostNamed = 8;

function keyOf(profile: Profile, view: View): KeyEntry[] {
  const kernels = profile.kernels.slice(0, mostNamed).map((kernel, i): KeyEntry => ({ label: shortName(kernel.name), colour: category(i) }));
  const kinds = [...new Set(profile.transfers.map((transfer) => transfer.kind))].map((kind): KeyEntry => ({ label: transferWords[kind] ?? kind, colour: transferColour(kind) }));
  return [...kernels, ...kinds, ...(view === 'host' ? [{ label: 'call of the API', colour: colour('grey') }] : [])];
}
