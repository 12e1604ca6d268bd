// Times of kernels in each profile, the largest difference first.
import { scaleLinear } from 'd3-scale';
import { differenceOf, nameOf } from '../app/compare/difference';
import type { ComparedKernel } from '../data';
import { shortName } from '../format/names';
import { counted, factor, modelled, seconds } from '../format/numbers';
import { Picture } from '../picture/picture';
import { type Hue, category, colour } from '../theme/colours';

const bar = 11;
const most = 20;

export function CompareBars({ kernels, labels }: { kernels: ComparedKernel[]; labels: string[] }) {
  const timed = kernels.filter((kernel) => kernel.seconds?.values.some((value) => value !== null));
  const shown = timed.slice(0, most);
  if (shown.length === 0) return <p class="muted">No kernel has a modelled time.</p>;
  const longest = Math.max(...shown.flatMap((kernel) => (kernel.seconds?.values ?? []).map((value) => value ?? 0)));
  const each = labels.length * (bar + 2) + 14;
  const two = labels.length === 2;
  const fill = (kernel: ComparedKernel, i: number): string => {
    if (!two) return category(i);
    if (i === 0) return colour('grey');
    const hues: Record<string, Hue> = { better: 'good', worse: 'bad' };
    return colour(hues[kernel.seconds?.judgements[i] ?? ''] ?? 'faint');
  };
  const words = shown.map((kernel) => `${shortName(nameOf(kernel))}: ${(kernel.seconds?.values ?? []).map((value) => (value === null ? 'not there' : modelled(seconds(value)))).join(', ')}`);
  return (
    <Picture title="Time of each kernel" subtitle={`Modelled${timed.length > shown.length ? `. The ${most} largest differences of ${counted(timed.length, 'kernel')}` : ''}`} height={shown.length * each} minWidth={340}
      alternative={`Times of kernels in ${labels.join(', ')}. ${words.join('; ')}`}
      legend={two ? [{ label: 'before', colour: colour('grey') }, { label: 'after, faster', colour: colour('good') }, { label: 'after, slower', colour: colour('bad') }, { label: 'after, the same', colour: colour('faint') }] : labels.map((label, i) => ({ label, colour: category(i) }))}
      table={() => ({ columns: ['Kernel', ...labels, ...labels.slice(1).map((label) => `speed-up ${label}`)], rows: timed.map((kernel) => [nameOf(kernel), ...(kernel.seconds?.values ?? []).map((value) => (value === null ? '-' : modelled(seconds(value)))), ...kernel.speedups.slice(1).map((s) => (s === null ? '-' : modelled(factor(s))))]) })}>
      {({ width }) => {
        const left = Math.min(220, width * 0.34);
        const x = scaleLinear([0, longest], [0, width - left - 130]);
        const letters = Math.floor(left / 6.9);
        return shown.map((kernel, k) => {
          const name = shortName(nameOf(kernel));
          return (
            <g transform={`translate(0 ${k * each})`} data-tip={[name, ...labels.map((label, i) => `${label}: ${kernel.seconds?.values[i] == null ? 'not there' : modelled(seconds(kernel.seconds.values[i]!))}`), ...(differenceOf(kernel) > 0 ? [`difference: ~${seconds(differenceOf(kernel))}`] : [])].join('\n')}>
              <rect width={width} height={each} fill="transparent" />
              <text x={0} y={(each - 12) / 2} dy="0.33em" class="mono small">{name.length > letters ? `${name.slice(0, letters - 1)}…` : name}</text>
              {(kernel.seconds?.values ?? []).map((value, i) => {
                const speedup = kernel.speedups[i];
                return (
                  <g transform={`translate(${left} ${i * (bar + 2)})`}>
                    <rect width={value === null ? 0 : Math.max(1, x(value))} height={bar} fill={fill(kernel, i)} rx={1.5} />
                    <text x={(value === null ? 0 : x(value)) + 6} y={bar / 2} dy="0.34em" class="small">{value === null ? 'not there' : modelled(seconds(value))}{i > 0 && speedup != null && kernel.seconds?.judgements[i] !== 'same' && <tspan class="bold" dx={8}>{modelled(factor(speedup))}</tspan>}</text>
                  </g>
                );
              })}
            </g>
          );
        });
      }}
    </Picture>
  );
}
