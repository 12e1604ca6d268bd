// One kernel: the answer, then why, then every number.
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { MemoryChart } from '../../charts/memory';
import { InstructionMix } from '../../charts/mix';
import { OccupancyCurves } from '../../charts/occupancy';
import { RooflineChart } from '../../charts/roofline';
import { StallChart } from '../../charts/stalls';
import { WavesChart } from '../../charts/waves';
import type { Kernel } from '../../data';
import { KernelDrawings } from '../../drawings/index';
import { useReport } from '../report';
import { kernelLink } from '../route';
import { SourcePage } from '../source/page';
import { AdviceList } from './advice';
import { KernelHead } from './head';
import { LaunchTable } from './launches';
import { LimiterSection } from './limiter';
import { MetricTable } from './metrics';
import './kernel.css';

const titles: Record<string, string> = { analysis: 'Analysis', source: 'Source', drawings: 'What happened', launches: 'Launches', metrics: 'Metrics' };
const sections: [id: string, title: string][] = [
  ['limiter', 'Limiter'], ['advice', 'Advice'], ['memory', 'Memory'], ['roofline', 'Roofline'], ['stalls', 'Stalls'], ['occupancy', 'Occupancy'], ['waves', 'Waves'], ['mix', 'Instructions'],
];

export function KernelPage({ kernel, index, tab, rest }: { kernel: Kernel; index: number; tab: string; rest: string }) {
  const { report, profile, profileIndex } = useReport();
  useEffect(() => {
    if (tab === 'analysis' && rest) document.getElementById(rest)?.scrollIntoView();
  }, [tab, rest]);
  const hasRoofline = kernel.time !== null && kernel.roofline.length > 0;
  const mix = <Section id="mix" title="Instructions" lede="What kinds of PTX instructions the warps executed."><InstructionMix kernel={kernel} /></Section>;
  return (
    <>
      <KernelHead kernel={kernel} index={index} short={tab !== 'analysis'} />
      <div class="tabs">
        <nav class="tabs-row" aria-label="Pages of the kernel">
          {Object.entries(titles).map(([key, title]) => (
            <a href={key === 'analysis' ? kernelLink(profileIndex, index) : kernelLink(profileIndex, index, key)} aria-current={tab === key ? 'page' : undefined}>{title}</a>
          ))}
        </nav>
        {tab === 'analysis' && (
          <nav class="tabs-sections" aria-label="Sections">
            {sections.map(([id, title]) => <a href={kernelLink(profileIndex, index, id)}>{title}</a>)}
          </nav>
        )}
      </div>
      {tab === 'analysis' && (
        <>
          <LimiterSection kernel={kernel} />
          <AdviceList kernel={kernel} index={index} />
          <Section id="memory" title="Memory" lede="Bytes that moved between the levels, over all launches. The width of a pipe is its traffic."><MemoryChart kernel={kernel} /></Section>
          <div class="columns">
            <Section id="stalls" title="Stall reasons" lede="What resident warps waited for, cycle by cycle."><StallChart kernel={kernel} /></Section>
            {hasRoofline ? <Section id="roofline" title="Roofline" lede="Work a byte against speed, for each level of memory."><RooflineChart kernel={kernel} /></Section> : mix}
          </div>
          <Section id="occupancy" title="Occupancy" lede="How many of an SM's warps can be resident, and what would change that."><OccupancyCurves kernel={kernel} /></Section>
          <div class="columns">
            <Section id="waves" title="Waves" lede="How the grid fills the SMs."><WavesChart kernel={kernel} /></Section>
            {hasRoofline ? mix : <Section id="roofline" title="Roofline" lede="Work a byte against speed, for each level of memory."><RooflineChart kernel={kernel} /></Section>}
          </div>
        </>
      )}
      {tab === 'source' && <SourcePage kernel={kernel} index={index} place={rest} />}
      {tab === 'drawings' && <div class="drawings"><KernelDrawings document={report.document} profile={profile} kernel={kernel} /></div>}
      {tab === 'launches' && <LaunchTable index={index} />}
      {tab === 'metrics' && <MetricTable kernel={kernel} />}
    </>
  );
}

function Section({ id, title, lede, children }: { id: string; title: string; lede: string; children: ComponentChildren }) {
  return (
    <section class="section" id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      <p class="lede">{lede}</p>
      {children}
    </section>
  );
}
