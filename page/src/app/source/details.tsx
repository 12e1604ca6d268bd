// The chosen line: its time by stall reason, its counts, and its accesses drawn.
import { useState } from 'preact/hooks';
import type { Access, Kernel } from '../../data';
import { AccessDrawing } from '../../drawings/index';
import { fileName } from '../../format/names';
import { classed, modelled, seconds, share } from '../../format/numbers';
import { Toggle } from '../../picture/toggle';
import { stallColour } from '../../theme/colours';
import { useReport } from '../report';
import { type Selection, onLine } from './selection';

const most = 6;
// So many accesses are buttons; more are a list.
const few = 3;

export function Details({ kernel, selection }: { kernel: Kernel; selection: Selection }) {
  const { report, profile } = useReport();
  const instruction = selection.instruction === null ? null : (kernel.instructions[selection.instruction] ?? null);
  const line = kernel.lines.find((l) => onLine(l, selection));
  const part = instruction ?? line;
  const indices = kernel.instructions.flatMap((candidate, i) => (selection.instruction === null ? onLine(candidate, selection) : i === selection.instruction) ? [i] : []);
  const accesses = (kernel.drawn?.accesses ?? []).filter((access) => indices.includes(access.instruction));
  const advice = kernel.advice.flatMap((a) => a.lines.filter((l) => onLine(l, selection)).map((l) => ({ headline: a.headline, what: l.what })));
  const text = instruction?.text ?? line?.source ?? profile.sources[selection.file]?.[selection.line - 1]?.trim() ?? '';
  const stalls = Object.entries(part?.time?.stalls ?? {}).sort((a, b) => b[1] - a[1]).slice(0, most);
  const cycles = part?.time?.warp_cycles ?? 0;
  const metrics = Object.entries(part?.metrics ?? {}).flatMap(([i, value]) => {
    const metric = report.document.metrics[Number(i)];
    return metric ? [{ metric, value }] : [];
  });
  return (
    <section class="details" aria-label="The chosen line" aria-live="polite">
      <h3 class="details-place"><span class="mono">{fileName(selection.file) || 'no source line'}{selection.line > 0 ? `:${selection.line}` : ''}</span>{instruction && <span class="muted"> PTX line {instruction.ptx_line}</span>}</h3>
      <pre class="details-text"><code>{text.replace(/\t/g, ' ')}</code></pre>
      {!part && <p class="muted">No instruction of this kernel comes from this line.</p>}
      {advice.map((a) => <p class="details-advice"><strong>{a.headline}</strong>: {a.what}</p>)}
      <div class="details-columns">
        <div>
          {part?.time && cycles > 0 && (
            <>
              <p>{modelled(seconds(part.time.seconds))}, {modelled(share(part.time.share))} of the kernel's time</p>
              <table class="plain details-stalls">
                <tbody>{stalls.map(([name, n]) => (
                  <tr><th scope="row"><span class="chip mono" style={{ '--chip': stallColour(name) }}>{name}</span><span class="details-why muted">{report.stallText(name)}</span></th><td class="number">{modelled(share(n / cycles))}</td></tr>
                ))}</tbody>
              </table>
            </>
          )}
          {metrics.length > 0 && (
            <details>
              <summary>{metrics.length} counts of this {instruction ? 'instruction' : 'line'}</summary>
              <table class="plain"><tbody>{metrics.map(({ metric, value }) => <tr><th scope="row" data-tip={metric.name}>{metric.title}</th><td class="number">{classed(value, metric.unit, metric.class)}</td></tr>)}</tbody></table>
            </details>
          )}
        </div>
        <div>
          {accesses.length > 0 ? <Accesses key={indices.join()} accesses={accesses} kernel={kernel} /> : part && <p class="muted">No access to memory was recorded here.</p>}
        </div>
      </div>
    </section>
  );
}

function Accesses({ accesses, kernel }: { accesses: Access[]; kernel: Kernel }) {
  const { profile } = useReport();
  const [chosen, setChosen] = useState('0');
  const words = (a: Access) => `${a.memory} ${a.kind}, ${a.bytes} bytes, PTX line ${kernel.instructions[a.instruction]?.ptx_line ?? '-'}`;
  const access = accesses[Number(chosen)] ?? accesses[0];
  if (!access) return null;
  return (
    <>
      {accesses.length > 1 && accesses.length <= few && <Toggle label="Access" value={chosen} set={setChosen} choices={accesses.map((a, i) => ({ value: String(i), text: words(a) }))} />}
      {accesses.length > few && (
        <label class="details-access">Access{' '}
          <select value={chosen} onChange={(event) => setChosen(event.currentTarget.value)}>{accesses.map((a, i) => <option value={i}>{words(a)}</option>)}</select>
        </label>
      )}
      <AccessDrawing access={access} instruction={kernel.instructions[access.instruction]} device={profile.device} />
    </>
  );
}
