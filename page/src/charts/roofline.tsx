// The hierarchical roofline: one slanted roof a level of memory, one flat roof of the units, one point a level.
import { scaleLog } from 'd3-scale';
import { useId, useRef, useState } from 'preact/hooks';
import { useReport } from '../app/report';
import { type Kernel, type Roofline, hasLevel } from '../data';
import { count, modelled, percent, rate } from '../format/numbers';
import { AxisBottom, AxisLeft } from '../picture/axis';
import { Picture } from '../picture/picture';
import { Toggle } from '../picture/toggle';
import { useZoom } from '../picture/zoom';
import { colour, levelColour } from '../theme/colours';

const names: Record<string, string> = { dram: 'DRAM', l2: 'L2', l1: 'L1' };
const precisions: Record<string, string> = { hp: 'Half', sp: 'Single', dp: 'Double' };
const margin = { top: 18, right: 14, bottom: 40, left: 66 };

export function RooflineChart({ kernel }: { kernel: Kernel }) {
  const [precision, setPrecision] = useState<string>(kernel.roofline[0]?.precision ?? 'sp');
  const roofline = kernel.roofline.find((r) => r.precision === precision) ?? kernel.roofline[0];
  if (!kernel.time) return <p class="muted">A roofline needs a modelled time.</p>;
  if (!roofline) return <p class="muted">The kernel computes nothing in floating point, so it has no roofline.</p>;
  return <Chart key={roofline.precision} roofline={roofline} controls={kernel.roofline.length > 1 && <Toggle label="Precision" value={roofline.precision} set={setPrecision} choices={kernel.roofline.map((r) => ({ value: r.precision, text: precisions[r.precision] ?? r.precision }))} />} />;
}

function Chart({ roofline, controls }: { roofline: Roofline; controls: preact.ComponentChildren }) {
  const svg = useRef<SVGSVGElement>(null);
  const area = useRef<SVGGElement>(null);
  const id = useId();
  const [size, setSize] = useState({ width: 560, height: 360 });
  const plot = { width: size.width - margin.left - margin.right, height: size.height - margin.top - margin.bottom };
  const zoom = useZoom(area, plot.width, plot.height, 12);
  const { profile } = useReport();
  const levels = roofline.levels.filter((level) => level.flops_per_byte > 0 && level.bytes > 0 && hasLevel(profile.device, level.level));
  const peak = roofline.peak_flops_per_second;
  const intensities = levels.flatMap((level) => [level.flops_per_byte, level.ridge_flops_per_byte]);
  const xDomain = [decade(Math.min(...intensities, 1) / 2, Math.floor), decade(Math.max(...intensities, 1) * 3, Math.ceil)];
  const slowest = Math.min(...levels.map((level) => level.peak_bytes_per_second), peak);
  const yDomain = [decade(Math.min(roofline.flops_per_second / 3, slowest * xDomain[0]! * 4), Math.floor), peak * 3];
  const x = zoom.transform.rescaleX(scaleLog(xDomain, [0, plot.width]));
  const y = zoom.transform.rescaleY(scaleLog(yDomain, [plot.height, 0]));
  const reached = levels.map((level) => `${names[level.level]}: ${count(level.flops_per_byte)} flop/byte, ${percent((roofline.flops_per_second / level.roof_flops_per_second) * 100)} of its roof`);
  return (
    <Picture title={`Roofline, ${precisions[roofline.precision]?.toLowerCase()} precision`} subtitle={`Modelled: ${modelled(rate(roofline.flops_per_second, 'flop/s'))} of ${rate(peak, 'flop/s')}`} svgRef={svg} interactive minWidth={320}
      alternative={`Roofline. The kernel computes ${rate(roofline.flops_per_second, 'flop/s')} of ${rate(peak, 'flop/s')}. ${reached.join('; ')}`}
      height={(width) => Math.round(Math.min(400, Math.max(280, width * 0.62)))}
      legend={levels.map((level) => ({ label: `${names[level.level]} ${rate(level.peak_bytes_per_second, 'B/s')}`, colour: levelColour(level.level), mark: 'dot' }))}
      table={() => ({
        columns: ['Level', 'Bytes', 'Flop/byte', 'Roof', 'Of the roof'],
        rows: levels.map((level) => [names[level.level] ?? level.level, modelled(count(level.bytes)), modelled(count(level.flops_per_byte)), modelled(rate(level.roof_flops_per_second, 'flop/s')), modelled(percent((roofline.flops_per_second / level.roof_flops_per_second) * 100))]),
      })}
      controls={<>{controls}<span class="spans-buttons"><button type="button" class="button" aria-label="Zoom in" onClick={() => zoom.by(1.5)}>+</button><button type="button" class="button" aria-label="Zoom out" onClick={() => zoom.by(1 / 1.5)}>-</button><button type="button" class="button" onClick={zoom.reset} disabled={zoom.transform.k === 1}>All</button></span></>}
      note="The gap between a point and its roof of the same colour is what that level allows beyond the present speed.">
      {(now) => {
        if (now.width !== size.width || now.height !== size.height) queueMicrotask(() => setSize(now));
        const ticksX = x.ticks(6).filter(isDecade);
        const ticksY = y.ticks(6).filter(isDecade);
        return (
          <g transform={`translate(${margin.left} ${margin.top})`}>
            <clipPath id={`clip${id}`}><rect width={plot.width} height={plot.height} /></clipPath>
            <AxisBottom scale={x} at={plot.height} grid={0} values={ticksX} format={(v) => (v < 1000 ? String(Number(v.toPrecision(1))) : count(v))} label="flop a byte" />
            <AxisLeft scale={y} at={0} grid={plot.width} values={ticksY} format={(v) => rate(v, '').trim().replace(/\.0+(?= |$)/, '')} label="flop/s" />
            <g ref={area} class="spans-body" tabindex={0} role="application" aria-label="Roofline: plus and minus zoom, arrows move, 0 shows all" onKeyDown={zoom.onKeyDown}>
              <rect width={plot.width} height={plot.height} fill="transparent" />
              <g clip-path={`url(#clip${id})`}>
                <line x1={0} x2={plot.width} y1={y(peak)} y2={y(peak)} stroke={colour('ink')} stroke-width={1.5} />
                {levels.map((level) => {
                  const low = x.domain()[0] ?? 0;
                  return <path d={`M${x(low)} ${y(Math.max(1, level.peak_bytes_per_second * low))}L${x(level.ridge_flops_per_byte)} ${y(peak)}`} fill="none" stroke={levelColour(level.level)} stroke-width={2} />;
                })}
                {levels.map((level) => (
                  <line x1={x(level.flops_per_byte)} x2={x(level.flops_per_byte)} y1={y(roofline.flops_per_second)} y2={y(level.roof_flops_per_second)} stroke={levelColour(level.level)} stroke-dasharray="2 3" stroke-width={1.5} />
                ))}
                <line x1={Math.min(...levels.map((l) => x(l.flops_per_byte)))} x2={Math.max(...levels.map((l) => x(l.flops_per_byte)))} y1={y(roofline.flops_per_second)} y2={y(roofline.flops_per_second)} stroke={colour('muted')} stroke-width={1} />
                {levels.map((level) => (
                  <circle cx={x(level.flops_per_byte)} cy={y(roofline.flops_per_second)} r={6} fill={levelColour(level.level)} stroke={colour('paper')} stroke-width={1.5} tabindex={0} role="img"
                    aria-label={`${names[level.level]}: ${count(level.flops_per_byte)} flop/byte`}
                    data-tip={`${names[level.level]}: ~${percent((roofline.flops_per_second / level.roof_flops_per_second) * 100)} of its roof\n~${count(level.flops_per_byte)} flop/byte, ~${rate(roofline.flops_per_second, 'flop/s')}\nroof: ~${rate(level.roof_flops_per_second, 'flop/s')}\nridge: ${count(level.ridge_flops_per_byte)} flop/byte`} />
                ))}
              </g>
              <text x={plot.width - 4} y={y(peak) - 6} text-anchor="end" class="small muted halo">{precisions[roofline.precision]} {rate(peak, 'flop/s')}</text>
            </g>
          </g>
        );
      }}
    </Picture>
  );
}

const decade = (value: number, round: (v: number) => number): number => 10 ** round(Math.log10(Math.max(value, 1e-12)));
const isDecade = (value: number): boolean => Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-9;
