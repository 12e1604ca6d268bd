// The picture of an answer, for each topic.
import { BanksDrawing } from '../drawings/banks/drawing';
import { passesOf, turnsOf } from '../drawings/banks/passes';
import { PaddingBars } from '../drawings/banks/recorded';
import { SectorsDrawing } from '../drawings/access/drawing';
import { WarpsOfBlockDrawing } from '../drawings/block/drawing';
import { DramDrawing } from '../drawings/dram/drawing';
import { explainedDram } from '../drawings/dram/layout';
import { maskOf } from '../drawings/shared/lanes';
import { type DrawnRound, RoundsPicture } from '../drawings/steps/rounds';
import { count, counted } from '../format/numbers';
import type { AccessAnswer, BanksAnswer, CachesAnswer, DivergenceAnswer, DramAnswer, ReductionAnswer, StreamAnswer, WarpsAnswer } from './answers';
import { CachesDrawing } from './caches';
import type { Engine } from './engine';
import { PassesDrawing } from './passes';
import { StreamDrawing } from './stream';
import type { FieldValue, Values } from './topics';

export interface PictureOfProps {
  answer: unknown;
  values: Values;
  engine: Engine;
  onChange: (key: string, value: FieldValue) => void;
}

function addressesOf(lanes: { lane: number; address: number }[]): number[] {
  const out = Array.from({ length: 32 }, () => 0);
  for (const { lane, address } of lanes) out[lane] = address;
  return out;
}
const whereOf = (warp: { block: number; warp: number }): string => `warp ${warp.warp} of block ${warp.block}`;
const percent = (value: number): string => `${value.toFixed(1).replace(/\.0$/, '')} %`;

function AccessPicture({ answer }: PictureOfProps) {
  const { warp, bytes, access, verdict } = answer as AccessAnswer;
  return <SectorsDrawing title={`${access}: ${whereOf(warp)}`} lanes={maskOf(warp.lanes.map(({ lane }) => lane))} addresses={addressesOf(warp.lanes)} bytes={bytes} sectors={warp.sectors} verdict={verdict} />;
}

function BanksPicture({ answer, values, onChange }: PictureOfProps) {
  const { warp, access, padding, device, all } = answer as BanksAnswer;
  const lanes = maskOf(warp.turns.flatMap((turn) => turn.lanes));
  const tried = padding.tried.map((one) => one.wavefronts);
  // The engine pads the array as it is given: with the slider's padding in it.
  const already = Number(values['pad'] ?? 0);
  return (
    <BanksDrawing title={`${access}: ${whereOf(warp)}`} lanes={lanes} passes={passesOf(warp)} turns={turnsOf(warp)} banks={device.banks ?? 32} wavefronts={warp.wavefronts} ideal={warp.ideal_wavefronts}
      controls={tried.length > 1 && (
        <>
          <span>{padding.suggestion ? `${already > 0 ? 'More padding' : 'Padding'} of ${counted(padding.suggestion.elements, 'element')} ${padding.of === 'rows' ? 'a row' : padding.of} would take ${counted(padding.suggestion.wavefronts, 'wavefront')} instead of ${count(tried[0] ?? all.wavefronts)}${all.warps > 1 ? `, over ${counted(all.warps, 'warp')}` : ''}:` : 'No padding takes fewer wavefronts:'}</span>
          <PaddingBars tried={tried} pad={0} onPick={(elements) => padding.of === 'rows' && onChange('pad', already + elements)} />
        </>
      )} />
  );
}

const DivergencePicture = ({ answer }: PictureOfProps) => <PassesDrawing answer={answer as DivergenceAnswer} />;
const WarpsPicture = ({ answer }: PictureOfProps) => <WarpsOfBlockDrawing block={(answer as WarpsAnswer).block} />;

function ReductionPicture({ answer, engine }: PictureOfProps) {
  const { condition, threads_per_block: threads, rounds, additions_per_block: additions } = answer as ReductionAnswer;
  const warps = Math.max(1, threads / 32);
  const drawn = rounds.map((round, i): DrawnRound => {
    // Which threads these are: the same condition, asked of the engine as a branch.
    const asked = engine.ask<DivergenceAnswer>({ topic: 'divergence', if: condition, let: [`s=${round.stride}`], block: [threads] });
    const states = new Map<number, 'idle' | 'whole' | 'divergent'>();
    const working: number[] = [];
    if (asked.ok)
      for (const run of asked.value.warps)
        for (let k = 0; k < run.warps; ++k) {
          const yes = run.passes.find((pass) => pass.value !== 0)?.lanes ?? [];
          states.set(run.warp + k, yes.length === 0 ? 'idle' : run.divergent ? 'divergent' : 'whole');
          for (const lane of yes) working.push((run.warp + k) * 32 + lane);
        }
    return { label: `round ${i + 1}`, threads: working.sort((a, b) => a - b), warps: states, where: `stride s = ${round.stride}: if (${condition})` };
  });
  const divergent = rounds.filter((round) => round.divergent_warps > 0).length;
  const atWork = rounds.reduce((sum, round) => sum + round.working_warps, 0);
  return (
    <RoundsPicture title={`if (${condition}), blocks of ${threads}`} warps={warps} rounds={drawn}
      sentence={`${counted(rounds.length, 'round')} add ${count(additions)} times, as often as one thread alone must. Warps diverge in ${counted(divergent, 'round')}; over all rounds ${counted(atWork, 'warp')} ${atWork === 1 ? 'is' : 'are'} at work.`}
      note={`The stride s is ${rounds.map((round) => round.stride).join(', ')}.`} />
  );
}

function DramPicture({ answer }: PictureOfProps) {
  const dram = answer as DramAnswer;
  const to = Math.max(1, ...dram.accesses.map((access) => access.end));
  const rows = dram.row_hits !== undefined;
  return (
    <DramDrawing title={rows ? 'Rows that open and close' : 'Banks and the bus over time'} channels={explainedDram(dram.accesses, dram.channels, dram.banks)} from={0} to={to} unit="time" units="units of time"
      note={rows
        ? `In the long run the bus is busy ${percent(dram.utilization_percent)} of the time. Of ${count(dram.bursts ?? 0)} bursts ${count(dram.row_hits ?? 0)} find their row open, ${count(dram.bank_conflicts ?? 0)} another one, ${count(dram.closed_rows ?? 0)} none.`
        : `In the long run the ${dram.channels > 1 ? 'buses are' : 'bus is'} busy ${percent(dram.utilization_percent)} of the time: ${(dram.gb_per_second ?? 0).toFixed(2)} of ${((dram.channel_gb_per_second ?? 0) * dram.channels).toFixed(0)} GB/s (channels of 64 bits at 1 GHz, two transfers a clock). ${dram.banks_needed ? `${dram.banks_needed} banks keep a bus busy.` : ''}`} />
  );
}

export const pictures: Record<string, (props: PictureOfProps) => preact.JSX.Element> = {
  access: AccessPicture,
  banks: BanksPicture,
  warps: WarpsPicture,
  divergence: DivergencePicture,
  reduction: ReductionPicture,
  dram: DramPicture,
  rows: DramPicture,
  caches: ({ answer }) => <CachesDrawing answer={answer as CachesAnswer} />,
  stream: ({ answer }) => <StreamDrawing answer={answer as StreamAnswer} />,
};
