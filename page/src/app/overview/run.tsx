// Copies, calls of the CUDA API, and what the program printed.
import { bytes, count, modelled, rate, seconds } from '../../format/numbers';
import { useReport } from '../report';

const words: Record<string, string> = { HtoD: 'host to device', DtoH: 'device to host', DtoD: 'within the device', HtoH: 'within the host', memset: 'memset' };

export function Copies() {
  const { profile } = useReport();
  const kinds = new Map<string, { bytes: number; calls: number; gpu: number | null; pinned: number }>();
  for (const transfer of profile.transfers) {
    const kind = kinds.get(transfer.kind) ?? { bytes: 0, calls: 0, gpu: 0, pinned: 0 };
    kind.bytes += transfer.bytes;
    kind.calls += 1;
    kind.pinned += transfer.pinned ? 1 : 0;
    kind.gpu = kind.gpu === null || transfer.gpu_seconds === null ? null : kind.gpu + transfer.gpu_seconds;
    kinds.set(transfer.kind, kind);
  }
  const rows = [...kinds].sort((a, b) => (b[1].gpu ?? 0) - (a[1].gpu ?? 0) || b[1].bytes - a[1].bytes);
  return (
    <section id="copies" aria-labelledby="copies-title">
      <h2 id="copies-title">Copies</h2>
      <div class="scroll-x" tabIndex={0} role="group" aria-label="Copies">
        <table class="plain wide">
          <thead><tr><th scope="col">Copy</th><th scope="col" class="number">Calls</th><th scope="col" class="number">Bytes</th><th scope="col" class="number">Time</th><th scope="col" class="number">Rate</th></tr></thead>
          <tbody>
            {rows.map(([kind, sum]) => (
              <tr>
                <th scope="row">{words[kind] ?? kind}</th>
                <td class="number">{count(sum.calls)}</td>
                <td class="number">{bytes(sum.bytes)}</td>
                <td class="number">{sum.gpu === null ? '-' : modelled(seconds(sum.gpu))}</td>
                <td class="number">{sum.gpu ? modelled(rate(sum.bytes / sum.gpu, 'B/s')) : '-'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

export function Calls() {
  const { profile } = useReport();
  return (
    <section id="calls" aria-labelledby="calls-title">
      <h2 id="calls-title">Calls of the CUDA API</h2>
      <div class="scroll-x calls" tabIndex={0} role="group" aria-label="Calls of the CUDA API">
        <table class="plain wide">
          <thead><tr><th scope="col">Call</th><th scope="col" class="number">Calls</th><th scope="col" class="number">Host time</th><th scope="col" class="number">Avg</th><th scope="col" class="number">Max</th></tr></thead>
          <tbody>
            {profile.api.map((call) => (
              <tr>
                <th scope="row" class="mono">{call.name}</th>
                <td class="number">{count(call.calls)}</td>
                <td class="number">{seconds(call.host_seconds)}</td>
                <td class="number">{seconds(call.avg)}</td>
                <td class="number">{seconds(call.max)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="muted small">Host times are those of the machine that ran drywarp; they say nothing about a GPU.</p>
    </section>
  );
}

export function Output({ text, cut }: { text: string; cut: boolean }) {
  return (
    <section class="section" id="output" aria-labelledby="output-title">
      <h2 id="output-title">What the program printed</h2>
      <pre class="output" tabIndex={0}>{text}</pre>
      {cut && <p class="muted small">The rest of the output was not kept.</p>}
    </section>
  );
}
