// Modelled time over occupancy or registers, a mark a configuration; the Pareto front is ringed, the best named.
import { scaleLinear, scaleLog } from 'd3-scale';
import { useMemo, useState } from 'preact/hooks';
import type { Sweep } from '../data';
import { counted, modelled, percent, seconds } from '../format/numbers';
import { AxisBottom, AxisLeft } from '../picture/axis';
import { type KeyEntry, Picture } from '../picture/picture';
import { Toggle } from '../picture/toggle';
import { colour, limiterColour } from '../theme/colours';
import { type Timed, configurationOf, limiterKind } from './rows';
import { marksOf, ticksOf } from './scales';

const margin = { top: 22, right: 18, bottom: 40, left: 70 };

type Across = 'occupancy' | 'registers';
const across: Record<Across, { text: string; label: string; shown: (value: number) => string }> = {
  occupancy: { text: 'Occupancy', label: 'theoretical occupancy', shown: percent },
  registers: { text: 'Registers', label: 'registers a thread', shown: (value) => `${value} registers` },
};

export function TimeScatter({ sweep, rows, front, group }: { sweep: Sweep; rows: Timed[]; front: ReadonlySet<number>; group: string }) {
  const [axis, setAxis] = useState<Across>('occupancy');
  const points = useMemo(() => rows.filter((t) => t[axis] !== null && t.seconds > 0), [rows, axis]);
  if (points.length === 0) return <p class="muted">No configuration{group && ` of ${group}`} has a time and {axis === 'occupancy' ? 'an occupancy' : 'registers'}.</p>;
  const value = (t: Timed) => t[axis] ?? 0;
  const low = Math.min(...points.map((t) => t.seconds));
  const high = Math.max(...points.map((t) => t.seconds));
  const best = points.reduce((a, b) => (b.seconds < a.seconds ? b : a));
  const kinds = [...new Set(points.map((t) => limiterKind(t.limiter)))].sort();
  const shape = across[axis];
  const describe = (t: Timed) => `${configurationOf(sweep, t.row)}\n${modelled(seconds(t.seconds))}, ${t.occupancy === null ? 'occupancy not known' : percent(t.occupancy)}, ${t.registers ?? '?'} registers\n${t.limiter ?? ''}`;
  return (
    <Picture title={`Time over ${shape.text.toLowerCase()}${group && `, ${group}`}`} subtitle="Modelled; each mark is a configuration, the time logarithmic" interactive minWidth={320}
      alternative={`${counted(points.length, 'configuration')}, from ${seconds(low)} to ${seconds(high)}. The best, ${configurationOf(sweep, best.row)}, has ${shape.shown(value(best))}.`}
      height={(width) => Math.round(Math.min(420, Math.max(280, width * 0.6)))}
      controls={<Toggle label="Across" value={axis} set={setAxis} choices={(Object.keys(across) as Across[]).map((key) => ({ value: key, text: across[key].text }))} />}
      legend={[...kinds.map((kind): KeyEntry => ({ label: kind ? kind.replaceAll('_', ' ') : 'limiter not known', colour: limiterColour(kind), mark: 'dot' })), { label: 'Pareto front of time, occupancy and registers', colour: colour('ink'), mark: 'outline' }]}
      table={() => ({
        columns: ['Row', 'Configuration', 'Time', 'Occupancy', 'Registers', 'Limiter'],
        rows: [...points].sort((a, b) => a.seconds - b.seconds).map((t) => [t.row.row, configurationOf(sweep, t.row), modelled(seconds(t.seconds)), t.occupancy === null ? '-' : percent(t.occupancy), t.registers ?? '-', t.limiter ?? '-']),
      })}>
      {({ width, height }) => {
        const plot = { width: width - margin.left - margin.right, height: height - margin.top - margin.bottom };
        const x = scaleLinear(axis === 'occupancy' ? [0, 100] : [0, Math.max(...points.map(value)) * 1.05], [0, plot.width]);
        const y = scaleLog([low / 1.08, high * 1.08], [plot.height, 0]);
        const marks = marksOf(points, (t) => x(value(t)), (t) => y(t.seconds));
        const right = x(value(best)) > plot.width / 2;
        return (
          <g transform={`translate(${margin.left} ${margin.top})`}>
            <AxisBottom scale={x} at={plot.height} grid={0} ticks={5} format={(v) => (axis === 'occupancy' ? `${v} %` : String(v))} label={shape.label} />
            <AxisLeft scale={y} at={0} grid={plot.width} values={ticksOf(low, high)} format={seconds} label="time" />
            {[...marks].reverse().map((mark) => {
              const all = [mark.first, ...mark.more];
              return <circle class="sweep-mark" cx={mark.x} cy={mark.y} r={5} fill={limiterColour(limiterKind(mark.first.limiter))} stroke={all.some((t) => front.has(t.row.row)) ? colour('ink') : colour('paper')} stroke-width={all.some((t) => front.has(t.row.row)) ? 2 : 1}
                tabindex={0} role="img" aria-label={`row ${mark.first.row.row}: ${seconds(mark.first.seconds)}, ${shape.shown(value(mark.first))}`}
                data-tip={`${describe(mark.first)}${mark.more.length ? `\nand ${counted(mark.more.length, 'more row')} here: ${mark.more.slice(0, 8).map((t) => t.row.row).join(', ')}${mark.more.length > 8 ? ' …' : ''}` : ''}`} />;
            })}
            <text x={x(value(best)) + (right ? -9 : 9)} y={y(best.seconds) + 14} text-anchor={right ? 'end' : 'start'} class="small bold halo">best: {modelled(seconds(best.seconds))}</text>
          </g>
        );
      }}
    </Picture>
  );
}
