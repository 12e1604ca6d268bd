// One kernel in every profile: limiter, advice, metrics and lines that differ.
import type { Compared, ComparedKernel } from '../../data';
import { fileName, shortName } from '../../format/names';
import { classed, factor, modelled, seconds } from '../../format/numbers';
import { useReport } from '../report';
import { kernelLink } from '../route';
import { nameOf } from './difference';
import { Verdict } from './page';

export function ComparedKernelItem({ id, kernel, labels, open }: { id: string; kernel: ComparedKernel; labels: string[]; open: boolean }) {
  const { report } = useReport();
  const metrics = Object.entries(kernel.metrics);
  const differing = metrics.filter(([, compared]) => compared.judgements.some((j) => j !== 'same'));
  const lines = kernel.lines.filter((line) => line.seconds?.judgements.some((j) => j !== 'same') || Object.keys(line.metrics).length > 0);
  return (
    <details class="compare-kernel" id={id} open={open}>
      <summary>
        <span class="mono compare-name">{shortName(nameOf(kernel))}</span>
        <span class="compare-times">
          {kernel.seconds?.values.map((value, i) => <span>{i > 0 && ' → '}{value === null ? 'not there' : modelled(seconds(value))}</span>)}
        </span>
        <span class="compare-speedups">{kernel.speedups.slice(1).map((speedup, i) => <Verdict compared={kernel.seconds} at={i + 1} text={speedup === null ? '-' : modelled(factor(speedup))} />)}</span>
      </summary>
      <div class="compare-body">
        <div class="scroll-x" tabIndex={0} role="group" aria-label={`${nameOf(kernel)}: differences`}>
          <table class="plain wide">
            <thead><tr><th scope="col" /><>{labels.map((label, i) => <th scope="col" class={i > 0 ? 'number' : 'number'}>{label}</th>)}</></tr></thead>
            <tbody>
              <tr>
                <th scope="row">Kernel</th>
                {kernel.kernels.map((k, p) => {
                  const index = k ? (report.document.profiles[p]?.kernels.findIndex((candidate) => candidate.name === k.name) ?? -1) : -1;
                  return <td class="number">{k ? <>{index >= 0 ? <a class="mono" href={kernelLink(p, index)}>{shortName(k.name)}</a> : <span class="mono">{shortName(k.name)}</span>}{p > 0 && k.match !== 'same name' && <span class="compare-match muted"> {k.match}</span>}</> : 'not there'}</td>;
                })}
              </tr>
              <tr>
                <th scope="row">Limiter</th>
                {kernel.kernels.map((k) => <td class="number">{k?.limiter ? (k.limiter_moved ? <strong>{k.limiter} (moved)</strong> : k.limiter) : '-'}</td>)}
              </tr>
              <tr>
                <th scope="row">Advice</th>
                {kernel.kernels.map((k) => <td class="number">{k && k.advice.length > 0 ? k.advice.map((rule) => rule.replaceAll('_', ' ')).join(', ') : '-'}</td>)}
              </tr>
              <Row title="Time" compared={kernel.seconds} text={(value) => (value === null ? '-' : modelled(seconds(value)))} />
              {differing.map(([name, compared]) => (
                <Row title={report.definition(name)?.title ?? name} tip={name} compared={compared} text={(value) => classed(value, compared.unit ?? '', compared.class ?? 'exact')} />
              ))}
            </tbody>
          </table>
        </div>
        {lines.length > 0 && (
          <div class="scroll-x" tabIndex={0} role="group" aria-label={`${nameOf(kernel)}: lines`}>
            <table class="plain wide compare-lines">
              <thead><tr><th scope="col">Line</th>{labels.map((label) => <th scope="col" class="number">{label}</th>)}</tr></thead>
              <tbody>
                {lines.map((line) => {
                  const place = line.places.find((p) => p !== null);
                  const moved = line.places.filter((p) => p !== null).map((p) => p.line);
                  return (
                    <>
                      <tr>
                        <th scope="row"><span class="link-place muted">{place?.file ? `${fileName(place.file)}:${[...new Set(moved)].join(' → ')}` : 'no source line'}</span><code class="compare-source">{place?.source}</code></th>
                        {line.seconds?.values.map((value, i) => <td class="number">{i === 0 ? (value === null ? '-' : modelled(seconds(value))) : <Verdict compared={line.seconds} at={i} text={value === null ? '-' : modelled(seconds(value))} />}</td>)}
                      </tr>
                      {Object.entries(line.metrics).filter(([, compared]) => compared.judgements.some((j) => j !== 'same')).map(([name, compared]) => (
                        <Row inner title={report.definition(name)?.title ?? name} tip={name} compared={compared} text={(value) => classed(value, compared.unit ?? '', compared.class ?? 'exact')} />
                      ))}
                    </>
                  );
                })}
              </tbody>
            </table>
          </div>
        )}
      </div>
    </details>
  );
}

function Row({ title, tip, compared, text, inner }: { title: string; tip?: string; compared: Compared | null; text: (value: number | null) => string; inner?: boolean }) {
  if (!compared) return null;
  return (
    <tr class={inner ? 'compare-inner' : ''}>
      <th scope="row" data-tip={tip}>{title}</th>
      {compared.values.map((value, i) => <td class="number">{i === 0 ? text(value) : <Verdict compared={compared} at={i} text={text(value)} />}</td>)}
    </tr>
  );
}
