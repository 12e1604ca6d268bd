// Every drawing of what happened in the kernel's drawn launch.
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { CycleTimeline } from '../data';
import type { KernelDrawingsProps } from './api';
import { dimensions } from '../format/numbers';
import { WarpsOfBlockDrawing } from './block/drawing';
import { DramDrawing } from './dram/drawing';
import { recordedDram } from './dram/layout';
import { AccessesDrawing } from './recorded_access';
import { SlotsDrawing } from './slots/drawing';
import { DivergenceDrawing } from './steps/divergence';
import { roundsOf } from './steps/layout';
import { RoundsDrawing } from './steps/rounds';
import { WarpsDrawing } from './warps/drawing';

function Section({ id, title, children }: { id: string; title: string; children: ComponentChildren }) {
  return (
    <section aria-labelledby={`drawing-${id}`}>
      <h3 id={`drawing-${id}`}>{title}</h3>
      {children}
    </section>
  );
}
const titles = { global: "A warp's lanes onto sectors and lines", shared: "A warp's lanes onto the banks of shared memory", local: "A warp's lanes in local memory" };
const Missing = ({ children }: { children: ComponentChildren }) => <p class="muted">{children}</p>;

function RecordedDram({ timeline }: { timeline: CycleTimeline }) {
  const channels = useMemo(() => recordedDram(timeline.dram, timeline.dram_until), [timeline]);
  const from = useMemo(() => timeline.dram.reduce((first, [reached]) => Math.min(first, reached), timeline.dram_until), [timeline]);
  return <DramDrawing title="DRAM: banks and rows over time" channels={channels} from={from} to={timeline.dram_until} unit="cycles" cut={timeline.dram_until < timeline.end} />;
}

export function KernelDrawings({ document: report, profile, kernel }: KernelDrawingsProps) {
  const drawn = kernel.drawn;
  if (!drawn) return <Missing>No launch of this kernel was recorded for drawings.</Missing>;
  const launch = profile.launches[drawn.launch];
  const { steps, timeline } = drawn;
  const rounds = steps ? roundsOf(steps).length : 0;
  const untimed = <Missing>{drawn.timeline_left_out ? 'The page has the cycles of the longest kernels only; the profile has those of this one too.' : kernel.time ? 'No cycles of this kernel were recorded for drawings.' : 'The kernel was not timed, so there are no cycles to draw.'}</Missing>;
  return (
    <>
      {launch && <p class="muted">Recorded in launch {drawn.launch}: grid {dimensions(launch.grid)}, block {dimensions(launch.block)}.</p>}
      <Section id="warps" title="Warps hiding latency">
        {timeline && timeline.warps.length > 0 ? <WarpsDrawing timeline={timeline} stalls={report.stalls} machineCode={kernel.machine_code} /> : untimed}
      </Section>
      {(['global', 'shared', 'local'] as const).map((memory) => {
        const own = drawn.accesses.filter((access) => access.memory === memory);
        return own.length > 0 && (
          <Section id={memory} title={titles[memory]}>
            <AccessesDrawing accesses={own} kernel={kernel} device={profile.device} />
          </Section>
        );
      })}
      <Section id="divergence" title="Divergence and reconvergence">
        {steps && steps.warps.length > 0 ? <DivergenceDrawing steps={steps} kernel={kernel} sources={profile.sources} /> : <Missing>No block's steps were recorded.</Missing>}
      </Section>
      <Section id="rounds" title="Rounds between barriers">
        {steps && rounds > 1 ? <RoundsDrawing steps={steps} kernel={kernel} sources={profile.sources} /> : <Missing>{steps ? 'The recorded block has no barrier.' : "No block's steps were recorded."}</Missing>}
      </Section>
      <Section id="block" title="Threads in warps">
        {launch ? <WarpsOfBlockDrawing block={launch.block} /> : <Missing>The launch is not known.</Missing>}
      </Section>
      <Section id="slots" title="Blocks on the SMs">
        {timeline && timeline.blocks.length > 0 ? <SlotsDrawing timeline={timeline} /> : untimed}
      </Section>
      <Section id="dram" title="DRAM">
        {timeline && timeline.dram.length > 0
          ? <RecordedDram timeline={timeline} />
          : timeline ? <Missing>No access reached DRAM in the recorded cycles.</Missing> : untimed}
      </Section>
    </>
  );
}
