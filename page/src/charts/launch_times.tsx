// The time of each launch of a kernel, in order of issue.
import { scaleLinear } from 'd3-scale';
import type { Launch } from '../data';
import { count, counted, dimensions, modelled, seconds } from '../format/numbers';
import { AxisBottom, AxisLeft } from '../picture/axis';
import { Picture } from '../picture/picture';
import { limiterColour } from '../theme/colours';
import { timeTick } from './spans';

const margin = { top: 22, right: 16, bottom: 38, left: 62 };

export function LaunchTimes({ launches }: { launches: { launch: Launch; i: number }[] }) {
  const timed = launches.map(({ launch, i }, order) => ({ launch, i, order, time: launch.time?.seconds ?? null })).filter((l): l is typeof l & { time: number } => l.time !== null);
  if (timed.length < 2) return null;
  const times = timed.map((l) => l.time);
  const most = Math.max(...times);
  const least = Math.min(...times);
  return (
    <Picture title="Time of each launch" subtitle={`Modelled: ${modelled(seconds(least))} to ${modelled(seconds(most))}, in order of issue`} height={190} minWidth={320}
      alternative={`Times of ${counted(timed.length, 'launch')}, from ${modelled(seconds(least))} to ${modelled(seconds(most))}`}
      table={() => ({ columns: ['Launch', 'Time', 'Grid', 'Block'], rows: timed.map((l) => [l.i, modelled(seconds(l.time)), dimensions(l.launch.grid), dimensions(l.launch.block)]) })}>
      {({ width, height }) => {
        const x = scaleLinear([0, launches.length], [margin.left, width - margin.right]);
        const y = scaleLinear([0, most], [height - margin.bottom, margin.top]).nice(4);
        const each = Math.max(0.6, (x(1) - x(0)) * 0.8);
        return (
          <>
            <AxisBottom scale={x} at={height - margin.bottom} ticks={Math.min(8, launches.length)} format={(v) => (Number.isInteger(v) ? count(v) : '')} label="launch of this kernel" />
            <AxisLeft scale={y} at={margin.left} grid={width - margin.right} ticks={4} format={(v) => timeTick(v, most)} />
            {timed.map((l) => (
              <rect x={x(l.order)} y={y(l.time)} width={each} height={Math.max(0.5, y(0) - y(l.time))} fill={limiterColour(l.launch.limiter?.kind)}
                data-tip={`launch ${l.i}: ${modelled(seconds(l.time))}\n${dimensions(l.launch.grid)} blocks of ${dimensions(l.launch.block)}${l.launch.limiter ? `\n${l.launch.limiter.text}` : ''}`} />
            ))}
          </>
        );
      }}
    </Picture>
  );
}
