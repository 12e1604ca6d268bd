// Two or more profiles: what changed, the largest difference first.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { CompareBars } from '../../charts/compare';
import type { Compared, Comparison } from '../../data';
import { fileName } from '../../format/names';
import { factor, modelled, seconds } from '../../format/numbers';
import { useReport } from '../report';
import { ComparedKernelItem } from './kernel';
import { differenceOf } from './difference';
import './compare.css';

const first = 12;

export function ComparePage({ comparison, chosen }: { comparison: Comparison; chosen: string }) {
  const { report } = useReport();
  const [all, setAll] = useState(false);
  const titles = comparison.profiles.map((profile, i) => report.document.profiles[i]?.title || profile.name);
  const labels = comparison.profiles.map((profile, i) => label(comparison, i, titles[i] ?? profile.name));
  const order = useMemo(() => comparison.kernels.map((kernel, index) => ({ kernel, index })).sort((a, b) => differenceOf(b.kernel) - differenceOf(a.kernel)), [comparison]);
  const changed = order.filter(({ kernel }) => differenceOf(kernel) > 0 || kernel.kernels.some((k) => k === null || k.limiter_moved));
  const shown = all ? order : (changed.length > 0 ? changed : order).slice(0, first);
  useEffect(() => {
    if (chosen) document.getElementById(`compare-${chosen}`)?.scrollIntoView();
  }, [chosen]);
  return (
    <>
      <h1>{comparison.profiles.length === 2 ? 'Before and after' : `${comparison.profiles.length} profiles`}</h1>
      <div class="scroll-x" tabIndex={0} role="group" aria-label="Profiles">
        <table class="plain compare-profiles">
          <thead><tr><th scope="col">Profile</th><th scope="col">Device</th><th scope="col" class="number">Kernels' time</th><th scope="col" class="number">Speed-up</th></tr></thead>
          <tbody>
            {comparison.profiles.map((profile, i) => {
              const value = comparison.seconds?.values[i] ?? null;
              const before = comparison.seconds?.values[0] ?? null;
              return (
                <tr>
                  <th scope="row"><b class="compare-letter">{labels[i]}</b> <span class="mono" title={profile.name}>{fileName(profile.name)}</span>{!profile.complete && <span class="bad-text"> interrupted</span>}</th>
                  <td>{profile.device}</td>
                  <td class="number compare-time">{value === null ? '-' : modelled(seconds(value))}</td>
                  <td class="number">{i === 0 ? '' : <Verdict compared={comparison.seconds} at={i} text={value && before ? modelled(factor(before / value)) : '-'} />}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <section class="section" aria-labelledby="compare-times">
        <h2 id="compare-times" class="visually-hidden">Times</h2>
        <CompareBars kernels={order.map(({ kernel }) => kernel)} labels={labels} />
      </section>
      <section class="section" aria-labelledby="compare-kernels">
        <h2 id="compare-kernels">Kernels, the largest difference first</h2>
        {changed.length === 0 && <p class="muted">No kernel's time or limiter differs.</p>}
        {shown.map(({ kernel, index }, i) => <ComparedKernelItem key={index} id={`compare-${index}`} kernel={kernel} labels={labels} open={chosen === String(index) || (i === 0 && !chosen)} />)}
        {shown.length < order.length && <button type="button" class="button more" onClick={() => setAll(true)}>Show all {order.length} kernels</button>}
      </section>
    </>
  );
}

/** "before", "after"; with more profiles "A", "B", "C". */
function label(comparison: Comparison, i: number, title: string): string {
  if (comparison.profiles.length === 2) return i === 0 ? 'before' : 'after';
  return i < 26 ? String.fromCharCode(65 + i) : title;
}

const signs: Record<string, string> = { better: '▲', worse: '▼', different: '◆', same: '=' };

/** A judgement by sign and colour, never by colour alone. */
export function Verdict({ compared, at, text }: { compared: Compared | null; at: number; text: string }) {
  const judgement = compared?.judgements[at] ?? 'not available';
  return <span class={`verdict verdict-${judgement.replace(' ', '-')}`}><span aria-hidden="true">{signs[judgement] ?? ''}</span> {text}<span class="visually-hidden"> {judgement}</span></span>;
}
