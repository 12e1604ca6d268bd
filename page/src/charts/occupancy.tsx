// Occupancy by block size, by registers and by shared memory, with the kernel's own point.
import { scaleLinear } from 'd3-scale';
import type { Kernel, OccupancyStudy } from '../data';
import { bytes, count, counted, modelled, percent } from '../format/numbers';
import { AxisBottom, AxisLeft } from '../picture/axis';
import { Picture } from '../picture/picture';
import { colour } from '../theme/colours';

const limitWords: Record<string, string> = { registers: 'registers', shared: 'shared memory', warps: 'warp slots', blocks: 'block slots', barriers: 'named barriers' };
const margin = { top: 12, right: 24, bottom: 40, left: 40 };

export function OccupancyCurves({ kernel }: { kernel: Kernel }) {
  const study = kernel.occupancy;
  if (!study) return <p class="muted">The occupancy of this kernel is not known.</p>;
  const limiters = study.limiters ?? [study.limiter];
  return (
    <>
      <p class="occupancy-words">
        <strong>{modelled(percent(study.theoretical))}</strong> of an SM's warps can be resident: {counted(study.blocks, 'block')}, {counted(study.warps, 'warp')}. {limiters.map((l) => limitWords[l] ?? l).join(' and ')} {limiters.length > 1 ? 'set' : 'set'} the limit.
        {study.achieved !== null && <> On average <strong>{modelled(percent(study.achieved))}</strong> are.</>}
      </p>
      <ul class="occupancy-limits" aria-label="Blocks an SM that each resource allows">
        {Object.entries(study.limits).map(([name, limit]) => (
          <li class={limiters.includes(name) ? 'limits' : ''}><span>{limitWords[name] ?? name}</span> <b>{limit === null ? 'no limit' : counted(limit, 'block')}</b></li>
        ))}
      </ul>
      <div class="columns occupancy-curves">
        <Curve title="By block size" unit="threads a block" points={study.by_threads} at={study.point.threads} study={study} format={count} />
        <Curve title="By registers" unit="registers a thread" points={study.by_registers} at={study.point.registers} study={study} format={count} />
        <Curve title="By shared memory" unit="bytes a block" points={study.by_shared} at={study.point.shared_bytes} study={study} format={(v) => bytes(v).replace(/\.?0+(?= [KM]B)/, '')} />
      </div>
    </>
  );
}

interface CurveProps {
  title: string;
  unit: string;
  points: [number, number][];
  at: number;
  study: OccupancyStudy;
  format: (value: number) => string;
}

function Curve({ title, unit, points, at, study, format }: CurveProps) {
  const most = points.at(-1)?.[0] ?? 1;
  const own = `this kernel: ${format(at)}, ${modelled(percent(study.theoretical))}`;
  return (
    <Picture title={title} height={210} minWidth={240} alternative={`Occupancy ${title.toLowerCase()}; ${own}. ${steps(points).map(([x, y]) => `from ${format(x)}: ${percent(y)}`).join(', ')}`}
      table={() => ({ columns: [unit, 'Occupancy'], rows: points.map(([x, y]) => [format(x), modelled(percent(y))]) })}>
      {({ width, height }) => {
        const x = scaleLinear([0, most], [margin.left, width - margin.right]);
        const y = scaleLinear([0, 100], [height - margin.bottom, margin.top]);
        const path = points.map(([px, py], i) => `${i === 0 ? 'M' : 'L'}${x(px)} ${y(py)}`).join('');
        const stepped = points.length > 40 || title !== 'By block size';
        const line = stepped ? stepPath(points, x, y) : path;
        const left = x(at) > width * 0.6;
        const below = y(study.theoretical) < 40;
        return (
          <>
            <AxisBottom scale={x} at={height - margin.bottom} values={quarters(most)} format={format} label={unit} />
            <AxisLeft scale={y} at={margin.left} grid={width - margin.right} values={[0, 25, 50, 75, 100]} format={(v) => `${v}`} />
            <path d={`${line}L${x(most)} ${y(0)}L${x(stepped ? 0 : (points[0]?.[0] ?? 0))} ${y(0)}Z`} fill={colour('blue')} fill-opacity={0.1} />
            <path d={line} fill="none" stroke={colour('blue')} stroke-width={2} stroke-linejoin="round" />
            {study.achieved !== null && (
              <circle cx={x(at)} cy={y(study.achieved)} r={4} fill={colour('paper')} stroke={colour('red')} stroke-width={1.75} tabindex={0} role="img" aria-label={`achieved ${percent(study.achieved)}`} data-tip={`achieved: ~${percent(study.achieved)}`} />
            )}
            <line x1={x(at)} x2={x(at)} y1={y(study.theoretical)} y2={height - margin.bottom} stroke={colour('red')} stroke-width={1} stroke-dasharray="2 2" />
            <circle cx={x(at)} cy={y(study.theoretical)} r={5} fill={colour('red')} stroke={colour('paper')} stroke-width={1.5} tabindex={0} role="img" aria-label={own} data-tip={own} />
            <text x={x(at) + (left ? -10 : 10)} y={y(study.theoretical) + (below ? 16 : -9)} text-anchor={left ? 'end' : 'start'} class="small bold halo">{format(at)}</text>
            {points.map(([px, py], i) => {
              const next = points[i + 1]?.[0] ?? most;
              return <rect x={x(px)} y={margin.top} width={Math.max(1, x(next) - x(px))} height={height - margin.bottom - margin.top} fill="transparent" data-tip={`${format(px)} ${unit}\noccupancy ~${percent(py)}`} />;
            })}
          </>
        );
      }}
    </Picture>
  );
}

type Scale = ReturnType<typeof scaleLinear<number, number>>;

// A resource keeps the occupancy up to its point, and the next point has less: the step is at the end.
function stepPath(points: [number, number][], x: Scale, y: Scale): string {
  return points.map(([px, py], i) => (i === 0 ? `M${x(0)} ${y(py)}L${x(px)} ${y(py)}` : `L${x(points[i - 1]![0])} ${y(py)}L${x(px)} ${y(py)}`)).join('');
}

const steps = (points: [number, number][]): [number, number][] => points.filter(([, y], i) => i === 0 || y !== points[i - 1]![1]);

function quarters(most: number): number[] {
  const step = 2 ** Math.round(Math.log2(most / 4));
  const made = [];
  for (let v = 0; v <= most; v += step) made.push(v);
  return made;
}
