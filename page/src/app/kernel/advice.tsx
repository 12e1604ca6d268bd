// What to change, the largest gain first. Each says what was seen, how to change it, and on which lines.
import type { Advice, Kernel } from '../../data';
import { fileName } from '../../format/names';
import { quantity, share } from '../../format/numbers';
import { Gain, PlaceLink, worthIt } from '../parts';
import { useReport } from '../report';

export function AdviceList({ kernel, index }: { kernel: Kernel; index: number }) {
  return (
    <section class="section" id="advice" aria-labelledby="advice-title">
      <h2 id="advice-title">What to change</h2>
      {kernel.advice.length === 0 ? (
        <p class="muted">No rule finds anything to change in this kernel.</p>
      ) : (
        <ol class="advice">
          {kernel.advice.map((advice, i) => <Item advice={advice} kernel={index} open={i === 0} />)}
        </ol>
      )}
    </section>
  );
}

function Item({ advice, kernel, open }: { advice: Advice; kernel: number; open: boolean }) {
  const { report, profileIndex } = useReport();
  const place = advice.lines[0];
  return (
    <li class={worthIt(advice) ? 'advice-item' : 'advice-item advice-little'}>
      <details open={open}>
        <summary>
          <span class="advice-gain"><Gain advice={advice} /></span>
          <span class="advice-headline">{advice.headline}</span>
          {place && <span class="link-place muted">{fileName(place.file)}:{place.line}</span>}
        </summary>
        <div class="advice-body">
          <p class="advice-observation">{advice.observation}.</p>
          {advice.lines.length > 0 && (
            <ul class="advice-lines">
              {advice.lines.map((line) => (
                <li>
                  <p><PlaceLink profile={profileIndex} kernel={kernel} file={line.file} line={line.line} /> <span class="muted">{line.what}; {share(line.excess_share)} of the excess, {share(line.total_share)} of all {line.of}</span></p>
                  <pre class="advice-source"><code>{line.source}</code></pre>
                </li>
              ))}
            </ul>
          )}
          <p>{advice.cure}</p>
          {advice.sketch.length > 0 && <pre class="sketch" tabIndex={0}><code>{advice.sketch.join('\n')}</code></pre>}
          {Object.keys(advice.evidence).length > 0 && (
            <dl class="advice-evidence">
              {Object.entries(advice.evidence).map(([name, { value, unit }]) => {
                const metric = report.definition(name);
                return <div data-tip={metric ? `${name}\n${metric.text}` : name}><dt>{metric?.title ?? name}</dt><dd>{metric?.class === 'modelled' && value !== null ? '~' : ''}{quantity(value, unit)}</dd></div>;
              })}
            </dl>
          )}
          <p class="muted small">
            {advice.gain ? (advice.gain.change ? `Gain: the timing model ran ${advice.gain.launches} of ${advice.gain.of_launches} launches again with "${advice.gain.change}" made ideal. ` : 'Gain: computed from modelled times. ') : advice.not_estimated ? `No gain: ${advice.not_estimated}. ` : ''}
            {advice.item ? `Checklist: ${advice.item.title}. ` : ''}
            Threshold: {advice.threshold}.
          </p>
          {advice.explain && place && <p class="small">More: <code>drywarp explain {advice.explain} {fileName(place.file)}:{place.line}</code></p>}
        </div>
      </details>
    </li>
  );
}
