// What to do first: advice of every kernel, by the time that it saves.
import type { Advice, Kernel } from '../../data';
import { shortName } from '../../format/names';
import { modelled, seconds, share } from '../../format/numbers';
import { Gain, PlaceLink } from '../parts';
import { useReport } from '../report';
import { kernelLink } from '../route';

const most = 3;

interface Step {
  advice: Advice;
  kernel: Kernel;
  index: number;
  saved: number;
}

export function FirstSteps() {
  const { profile, profileIndex } = useReport();
  const steps: Step[] = profile.kernels.flatMap((kernel, index) => {
    const best = kernel.advice.find((advice) => advice.gain && advice.gain.factor > 1.005);
    if (!best?.gain || !kernel.time) return [];
    return [{ advice: best, kernel, index, saved: kernel.time.seconds * (1 - 1 / best.gain.factor) }];
  });
  steps.sort((a, b) => b.saved - a.saved);
  const run = profile.advice;
  if (steps.length === 0 && run.length === 0) return null;
  return (
    <section class="section first" aria-labelledby="first-title">
      <h2 id="first-title">What to do first</h2>
      <ol class="steps">
        {steps.slice(0, most).map((step) => (
          <li class="step">
            <p class="step-head">
              <a href={kernelLink(profileIndex, step.index)} class="mono step-kernel">{shortName(step.kernel.name)}</a>
              <Gain advice={step.advice} />
            </p>
            <p class="step-what">{step.advice.headline}</p>
            <p class="step-why muted">
              {step.advice.observation}.{' '}
              {step.advice.lines[0] && <PlaceLink profile={profileIndex} kernel={step.index} file={step.advice.lines[0].file} line={step.advice.lines[0].line} />}
            </p>
            <p class="step-saves muted">
              Takes {modelled(seconds(step.kernel.time?.seconds ?? 0))} ({share(step.kernel.time?.share ?? 0)} of all kernels); this saves {modelled(seconds(step.saved))}.
            </p>
          </li>
        ))}
        {run.map((advice) => (
          <li class="step step-run">
            <p class="step-head"><span class="step-kernel">The whole run</span><Gain advice={advice} /></p>
            <p class="step-what">{advice.headline}</p>
            <p class="step-why muted">{advice.observation}.</p>
            <details><summary>How</summary><p>{advice.cure}</p>{advice.sketch.length > 0 && <pre class="sketch"><code>{advice.sketch.join('\n')}</code></pre>}</details>
          </li>
        ))}
      </ol>
    </section>
  );
}
