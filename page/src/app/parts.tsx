// Small parts that several pages share.
import type { Advice, Limiter, MetricClass } from '../data';
import { fileName } from '../format/names';
import { factor, modelled } from '../format/numbers';
import { limiterColour } from '../theme/colours';
import { kernelLink } from './route';

const kinds: Record<string, string> = { memory: 'memory', compute: 'compute', balanced: 'balanced', latency: 'latency', small_grid: 'small grid' };

/** "memory · l2" */
export function LimiterChip({ limiter }: { limiter: Limiter | null }) {
  if (!limiter) return <span class="muted">-</span>;
  return (
    <span class="chip" style={{ '--chip': limiterColour(limiter.kind) }} data-tip={limiter.text}>
      {kinds[limiter.kind] ?? limiter.kind}{limiter.unit ? <span class="muted"> {limiter.unit}</span> : null}
    </span>
  );
}

/** "~4.49x", or what is known instead. */
export function Gain({ advice }: { advice: Advice }) {
  if (advice.gain) return <span class={worthIt(advice) ? 'gain' : 'gain gain-none'}>{modelled(factor(advice.gain.factor))}</span>;
  if (advice.at_most !== null) return <span class="gain-limit muted nowrap">at most {modelled(factor(advice.at_most))}</span>;
  return <span class="muted" data-tip={advice.not_estimated ?? undefined}>not estimated</span>;
}

/** Whether the advice says what to change with a gain, or may have one. */
export const worthIt = (advice: Advice): boolean => !advice.gain || advice.gain.factor > 1.005;

/** A link to a line of source as the kernel's source page shows it. */
export function PlaceLink({ profile, kernel, file, line }: { profile: number; kernel: number; file: string; line: number }) {
  if (!file) return <span class="muted">no source line</span>;
  return <a class="link-place" href={kernelLink(profile, kernel, 'source', `${fileName(file)}:${line}`)}>{fileName(file)}:{line}</a>;
}

const classWords: Record<MetricClass, string> = {
  exact: 'exact: counted, the same every time',
  modelled: 'modelled: an estimate of the timing model',
  'not available': 'not available',
};

export function ClassMark({ of }: { of: MetricClass }) {
  return <span class={`class-mark class-${of.replace(' ', '-')}`} data-tip={classWords[of]}>{of}</span>;
}
