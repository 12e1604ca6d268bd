// A stream of accesses to a device's DRAM: how evenly its bytes are spread, and what that costs.
import { bytes, count, counted, rate } from '../format/numbers';
import { Picture } from '../picture/picture';
import { colour, type Hue } from '../theme/colours';
import { tint } from '../drawings/shared/marks';
import type { StreamAnswer } from './answers';

const barsHeight = 96;

export function StreamDrawing({ answer }: { answer: StreamAnswer }) {
  const percent = (value: number) => `${value.toFixed(1)} %`;
  const said = `${bytes(answer.wanted_bytes)} wanted, ${bytes(answer.moved_bytes)} moved (${percent((100 * answer.wanted_bytes) / Math.max(1, answer.moved_bytes))}) at ~${rate(answer.bytes_per_second, 'B/s')} of ${rate(answer.peak_bytes_per_second, 'B/s')}; ${percent(answer.row_hit_percent)} of the accesses find their row open.`;
  return (
    <Picture title={`${answer.pattern}: bytes by channel and by bank`} subtitle={said} maxWidth={980} height={2 * (barsHeight + 44)}
      alternative={`${said} ${counted(answer.channels, 'channel')}, the mean moves ${percent(answer.channel_balance_percent)} of what the busiest moves; ${counted(answer.banks, 'bank')} a channel, ${percent(answer.bank_balance_percent)}. ${count(answer.bank_conflicts)} accesses found another row open.`}
      note={`~ Modelled. Balance: the mean channel moves ${percent(answer.channel_balance_percent)} of the busiest, the mean bank ${percent(answer.bank_balance_percent)}. ${count(answer.row_misses)} accesses opened a row, ${count(answer.bank_conflicts)} of them closed another one first.`}
      table={() => ({ columns: ['Channel', 'Bytes'], rows: answer.bytes_by_channel.map((n, i) => [i, n]) })}>
      {({ width }) => (
        <>
          <Bars y={0} width={width} values={answer.bytes_by_channel} name="channel" hue="blue" />
          <Bars y={barsHeight + 44} width={width} values={answer.bytes_by_bank} name="bank" hue="green" />
        </>
      )}
    </Picture>
  );
}

function Bars({ y, width, values, name, hue }: { y: number; width: number; values: number[]; name: string; hue: Hue }) {
  const left = width < 560 ? 2 : 64;
  const bar = (width - left) / Math.max(1, values.length);
  const most = Math.max(1, ...values);
  const every = Math.ceil(26 / bar);
  return (
    <g transform={`translate(0 ${y})`}>
      <text x={0} y={10} class="small muted">{bytes(most)} at most, by {name}</text>
      {values.map((value, i) => {
        const tall = (value / most) * barsHeight;
        return (
          <g data-tip={`${name} ${i}\n${bytes(value)}`}>
            <rect x={left + i * bar} y={18} width={bar} height={barsHeight} fill="transparent" />
            <rect x={left + i * bar + bar * 0.1} y={18 + barsHeight - tall} width={bar * 0.8} height={tall} fill={tint(hue, 55)} />
            {i % every === 0 && <text x={left + (i + 0.5) * bar} y={barsHeight + 32} text-anchor="middle" class="small muted">{i}</text>}
          </g>
        );
      })}
      <line x1={left} x2={width} y1={18 + barsHeight} y2={18 + barsHeight} stroke={colour('rule-strong')} />
    </g>
  );
}
