// The grid as waves of resident blocks, and the last wave over the SMs.
import { useReport } from '../app/report';
import type { Kernel, Waves } from '../data';
import { count, counted, modelled, percent } from '../format/numbers';
import { Picture } from '../picture/picture';
import { colour } from '../theme/colours';

const barHeight = 56;

export function WavesChart({ kernel }: { kernel: Kernel }) {
  const { profile } = useReport();
  const waves = kernel.occupancy?.waves;
  if (!waves || !(waves.waves > 0)) return <p class="muted">The waves of this kernel are not known.</p>;
  const sms = profile.device.sms;
  const tail = waves.tail_blocks;
  const share = tail / waves.blocks_a_wave;
  const words = `${count(Number(waves.waves.toFixed(2)))} waves of ${counted(waves.blocks_a_wave, 'block')}; ${tail === 0 ? 'the last wave is full' : `the last wave has ${counted(tail, 'block')}, ${percent(share * 100)} of its slots`}`;
  return (
    <Picture title={words.replace(/;.*/, '')} subtitle={<>{modelled(percent(waves.slots_used))} of the block slots are used over all waves.{waves.idle_sms > 0 && ` ${counted(waves.idle_sms, 'SM')} of ${sms} get no block in the last wave.`}</>}
      alternative={words} minWidth={300} height={(width) => barHeight + 46 + smRows(sms, width) * cell}
      note="Blocks of a real launch do not end together, so waves blur; the tail stays.">
      {({ width }) => <Drawn waves={waves} sms={sms} width={width} />}
    </Picture>
  );
}

const cell = 13;
const perRow = (width: number) => Math.max(1, Math.floor(width / cell));
const smRows = (sms: number, width: number) => Math.ceil(sms / perRow(width));

function Drawn({ waves, sms, width }: { waves: Waves; sms: number; width: number }) {
  const whole = Math.ceil(waves.waves);
  const drawn = Math.min(whole, 60);
  const each = width / drawn;
  const share = waves.tail_blocks / waves.blocks_a_wave;
  const least = Math.floor(waves.tail_blocks / sms);
  const more = waves.tail_blocks % sms;
  const perSm = Math.max(1, waves.blocks_a_wave / sms);
  return (
    <>
      {Array.from({ length: drawn }, (_, i) => {
        const last = i === drawn - 1;
        const filled = last && waves.tail_blocks > 0 ? share : 1;
        const group = whole > drawn && !last ? `waves ${Math.floor((i * (whole - 1)) / (drawn - 1)) + 1} to ${Math.floor(((i + 1) * (whole - 1)) / (drawn - 1))}` : `wave ${last ? whole : i + 1}`;
        return (
          <g data-tip={`${group}\n${percent(filled * 100)} of the slots`}>
            <rect x={i * each} y={0} width={Math.max(1, each - 2)} height={barHeight} fill={colour('sunk')} />
            <rect x={i * each} y={barHeight * (1 - filled)} width={Math.max(1, each - 2)} height={barHeight * filled} fill={colour(last && filled < 1 ? 'red' : 'blue')} />
          </g>
        );
      })}
      <text x={0} y={barHeight + 16} class="small muted">{whole > drawn ? `first of ${count(whole)} waves, several a bar` : 'wave 1'}</text>
      <text x={width} y={barHeight + 16} text-anchor="end" class="small muted">{`wave ${count(whole)}`}</text>
      <g transform={`translate(0 ${barHeight + 42})`}>
        <text x={0} y={-8} class="small muted">The last wave over {sms} SMs</text>
        {Array.from({ length: sms }, (_, i) => {
          const blocks = waves.tail_blocks === 0 ? perSm : least + (i < more ? 1 : 0);
          return (
            <rect x={(i % perRow(width)) * cell} y={Math.floor(i / perRow(width)) * cell} width={cell - 2} height={cell - 2} rx={1.5} fill={blocks > 0 ? colour('red') : colour('sunk')} fill-opacity={blocks > 0 ? 0.35 + 0.65 * Math.min(1, blocks / perSm) : 1}
              stroke={blocks > 0 ? 'none' : colour('rule-strong')} data-tip={`${counted(blocks, 'block')} of ${count(perSm)}`} />
          );
        })}
      </g>
    </>
  );
}
