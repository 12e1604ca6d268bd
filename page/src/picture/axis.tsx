// Axes of pictures, for any scale of d3-scale.
import type { ScaleContinuousNumeric } from 'd3-scale';

type Scale = ScaleContinuousNumeric<number, number>;

export interface AxisProps {
  scale: Scale;
  /** Where the axis lies, on the other coordinate. */
  at: number;
  /** Grid lines go from the axis to this coordinate. */
  grid?: number;
  ticks?: number;
  values?: number[];
  format: (value: number) => string;
  label?: string;
}

export function AxisBottom({ scale, at, grid, ticks = 6, values, format, label }: AxisProps) {
  const [from = 0, to = 0] = scale.range();
  return (
    <g class="axis" aria-hidden="true">
      {(values ?? scale.ticks(ticks)).map((tick) => (
        <g transform={`translate(${scale(tick)} ${at})`}>
          <line y1={grid === undefined ? 0 : grid - at} y2={4} />
          <text y={16} text-anchor="middle">{format(tick)}</text>
        </g>
      ))}
      <path d={`M${from} ${at}H${to}`} />
      {label && <text x={(from + to) / 2} y={at + 32} text-anchor="middle">{label}</text>}
    </g>
  );
}

export function AxisLeft({ scale, at, grid, ticks = 5, values, format, label }: AxisProps) {
  const [from = 0, to = 0] = scale.range();
  return (
    <g class="axis" aria-hidden="true">
      {(values ?? scale.ticks(ticks)).map((tick) => (
        <g transform={`translate(${at} ${scale(tick)})`}>
          <line x1={-4} x2={grid === undefined ? 0 : grid - at} />
          <text x={-8} dy="0.32em" text-anchor="end">{format(tick)}</text>
        </g>
      ))}
      {label && <text x={at} y={Math.min(from, to) - 8} text-anchor="start">{label}</text>}
    </g>
  );
}
