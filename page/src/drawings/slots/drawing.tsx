// An SM's slots filling with blocks: waves, and the tail in which slots stay empty.
import { useMemo, useState } from 'preact/hooks';
import type { CycleTimeline } from '../../data';
import { count, counted, share } from '../../format/numbers';
import { Picture } from '../../picture/picture';
import { colour, type Hue } from '../../theme/colours';
import { tint, useHatches } from '../shared/marks';
import { axisHeight, axisRight, TimePane, ZoomButtons } from '../time/pane';
import { useTimeView } from '../time/view';
import { filling, running, type Slot, slotsOf } from './layout';

const waveHues: readonly Hue[] = ['blue', 'orange', 'green', 'pink'];
const curveHeight = 46;

export function SlotsDrawing({ timeline }: { timeline: CycleTimeline }) {
  const slots = useMemo(() => slotsOf(timeline.blocks), [timeline]);
  const sms = [...new Set(slots.map((slot) => slot.sm))];
  const [only, setOnly] = useState<number | null>(sms.length > 1 ? (sms[0] ?? null) : null);
  const shown = slots.filter((slot) => only === null || slot.sm === only);
  const from = useMemo(() => timeline.blocks.reduce((first, block) => Math.min(first, block[3]), timeline.blocks_until), [timeline]);
  const facts = filling(shown, from);
  // Of all SMs, so that each has the same scale.
  const end = useMemo(() => filling(slots, from).end, [slots, from]);
  const after = timeline.end - end;
  const view = useTimeView([from, end]);
  const { fill, definitions } = useHatches({ idle: { hue: 'grey', style: 'falling', ground: 6 } });
  const blocks = shown.reduce((sum, slot) => sum + slot.blocks.length, 0);
  const who = only === null ? counted(sms.length, 'SM') : `SM ${only}`;
  const tail = facts.tail > 0.005 * (facts.end - from);
  const sentence = `${who}: ${counted(blocks, 'block')} in ${counted(shown.length, 'slot')}, up to ${facts.waves} after each other. Slots are filled ${share(facts.filled)} of the time${tail ? `; for the last ~${count(facts.tail)} cycles (${share(facts.tail / (facts.end - from))}) at least one is empty: the tail` : ''}.`;
  const row = shown.length > 64 ? 3 : shown.length > 32 ? 7 : 17;
  const top = curveHeight + 14;
  const height = top + shown.length * row;
  const rowAt = (y: number): Slot | undefined => shown[Math.floor((y - top) / row)];
  return (
    <Picture title={only === null ? 'The slots of the SMs fill with blocks' : "An SM's slots fill with blocks"} subtitle={sentence} interactive height={height + axisHeight}
      alternative={`${sentence}${timeline.blocks_until < timeline.end ? ' The recording ends before the launch does.' : ''}`}
      legend={[
        ...waveHues.slice(0, Math.min(facts.waves, waveHues.length)).map((hue, i) => ({ label: `${ordinal(i)} block of its slot${facts.waves > waveHues.length ? `, ${ordinal(i + waveHues.length)}…` : ''}`, colour: tint(hue, 45) })),
        { label: 'empty slot (hatched)', colour: colour('grey'), mark: 'outline' as const },
      ]}
      controls={
        <>
          {sms.length > 1 && (
            <label>
              SM{' '}
              <select value={only === null ? 'all' : String(only)} onChange={(event) => setOnly(event.currentTarget.value === 'all' ? null : Number(event.currentTarget.value))}>
                {sms.map((sm) => <option value={sm}>{sm}</option>)}
                <option value="all">all</option>
              </select>
            </label>
          )}
          <ZoomButtons view={view} what="the slots" />
        </>
      }
      note={`~ Modelled. Above: how many blocks run.${timeline.blocks_until < timeline.end ? ' The recording ends before the launch does.' : after > 0.02 * (timeline.end - from) ? ` The launch goes on for ~${count(after)} cycles after its last block: memory finishes what the blocks began.` : ''}`}
      table={() => ({ columns: ['SM', 'Slot', 'Block', 'From', 'To'], rows: shown.flatMap((slot) => slot.blocks.map((b) => [slot.sm, slot.slot, b.block, b.start, b.end])) })}>
      {({ width }) => {
        const left = width < 560 ? 60 : 76;
        const inner = width - left - axisRight;
        return (
          <>
            {definitions}
            <text x={left - 6} y={12} text-anchor="end" class="small muted">{shown.length} slots</text>
            <text x={left - 6} y={curveHeight} text-anchor="end" class="small muted">0</text>
            {shown.map((slot, i) => (row >= 12 || (slot.slot === 0 && sms.length < 20)) && (
              <text x={left - 6} y={top + i * row + Math.min(row, 17) / 2 + 4} text-anchor="end" class="small muted">{only === null && sms.length > 1 ? (slot.slot === 0 ? `SM ${slot.sm}` : '') : left > 60 ? `slot ${slot.slot}` : slot.slot}</text>
            ))}
            <TimePane view={view} left={left} top={0} width={inner} height={height} label={sentence} unit="cycles"
              describe={(time, y) => {
                const slot = rowAt(y);
                if (!slot) return null;
                const block = slot.blocks.find((b) => b.start <= time && time < b.end);
                return `SM ${slot.sm}, slot ${slot.slot}\n${block ? `block ${block.block}, the ${ordinal(block.wave)}: cycles ${count(block.start)}–${count(block.end)}` : 'empty'}`;
              }}>
              {(x) => (
                <>
                  <Curve slots={shown} x={x} end={end} />
                  {shown.map((slot, i) => (
                    <g>
                      <rect x={x(from)} y={top + i * row + 0.5} width={x(facts.end) - x(from)} height={row - 1} fill={fill('idle')} />
                      {slot.blocks.map((block) => {
                        const a = x(block.start);
                        const wide = x(block.end) - a;
                        if (a > inner || a + wide < 0) return null;
                        const label = String(block.block);
                        const visible = Math.min(inner, a + wide) - Math.max(0, a);
                        return (
                          <>
                            <rect x={a + 0.25} y={top + i * row + 0.5} width={Math.max(0.5, wide - 0.5)} height={row - 1} fill={tint(waveHues[block.wave % waveHues.length] ?? 'grey', 45)} stroke={wide > 4 && row > 6 ? colour(waveHues[block.wave % waveHues.length] ?? 'grey') : 'none'} stroke-width={0.75} />
                            {row >= 12 && visible > label.length * 7 + 6 && <text x={Math.max(0, a) + visible / 2} y={top + i * row + 12.5} text-anchor="middle" class="small">{label}</text>}
                          </>
                        );
                      })}
                    </g>
                  ))}
                </>
              )}
            </TimePane>
          </>
        );
      }}
    </Picture>
  );
}

function Curve({ slots, x, end }: { slots: Slot[]; x: (time: number) => number; end: number }) {
  const steps = useMemo(() => running(slots), [slots]);
  const tall = (blocks: number) => curveHeight - (blocks / Math.max(1, slots.length)) * (curveHeight - 4);
  const [first] = steps;
  if (!first) return null;
  let path = `M${x(first[0]).toFixed(1)} ${curveHeight}`;
  for (const [time, blocks] of steps) path += `H${x(time).toFixed(1)}V${tall(blocks).toFixed(1)}`;
  return <path d={`${path}H${x(end).toFixed(1)}V${curveHeight}z`} fill={tint('grey', 35)} stroke={colour('grey')} />;
}

const ordinal = (n: number): string => ['first', 'second', 'third', 'fourth'][n] ?? `${n + 1}th`;
