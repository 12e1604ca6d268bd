// The verdict, the rule that gave it, and the numbers that decided.
import { ThroughputBars } from '../../charts/throughput';
import type { Kernel, Limiter } from '../../data';
import { quantity } from '../../format/numbers';
import { useReport } from '../report';

const rules: Record<Limiter['kind'], string> = {
  memory: 'Memory is at 80 % of its peak or more, or at 60 % and 10 points above compute. The busiest level of memory gives the name.',
  compute: 'Compute is at 80 % of its peak or more, or at 60 % and 10 points above memory. The busiest pipe gives the name.',
  balanced: 'Compute or memory is at 60 % of its peak, they are less than 10 points apart, and none is at 80 %.',
  small_grid: 'Compute and memory are both below 60 % of their peaks, and the grid is less than one wave: the GPU is not filled.',
  latency: 'Compute and memory are both below 60 % of their peaks: warps wait, and there are too few of them, or too little work in each, to hide it. The stall reason that takes most of their time gives the name.',
};

export function LimiterSection({ kernel }: { kernel: Kernel }) {
  const { report } = useReport();
  const { limiter } = kernel;
  return (
    <section class="section" id="limiter" aria-labelledby="limiter-title">
      <h2 id="limiter-title">What limits it</h2>
      {!limiter ? (
        <p class="muted">No launch of this kernel has a modelled time{Object.keys(kernel.untimed).length > 0 ? `: ${Object.keys(kernel.untimed).join('; ')}` : ''}.</p>
      ) : (
        <div class="limiter">
          <div class="limiter-words">
            <p>{rules[limiter.kind]} <span class="muted">These are the rules of Nsight Compute's SpeedOfLight section.</span></p>
            {limiter.evidence && (
              <table class="plain evidence">
                <thead><tr><th scope="col">What decided</th><th scope="col" class="number">Value</th></tr></thead>
                <tbody>
                  {Object.entries(limiter.evidence).map(([name, { value, unit }]) => (
                    <tr>
                      <th scope="row" data-tip={name}>{report.definition(name)?.title ?? report.definition(name)?.text ?? name}</th>
                      <td class="number">{value === null ? '-' : `~${quantity(value, unit)}`}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
          </div>
          <ThroughputBars kernel={kernel} />
        </div>
      )}
    </section>
  );
}
