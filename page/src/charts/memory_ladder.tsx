// The memory chart on a narrow screen: levels below each other, and between them their traffic as bars.
import { scaleLinear } from 'd3-scale';
import type { MemoryPlace } from '../data';
import { type Hue, colour, levelColour } from '../theme/colours';

export interface Rung {
  level: MemoryPlace;
  name: string;
  /** "~49.94 % hit", "~24.01 % busy" */
  facts: string;
  /** Between this level and the one below it. */
  flows: { what: string; detail: string; bytes: number; text: string; up: boolean; hue: Hue; tip: string }[];
}

const box = 30;
const row = 36;

export const ladderHeight = (rungs: Rung[]): number => rungs.reduce((sum, rung) => sum + box + rung.flows.length * row + 8, 0);

export function MemoryLadder({ rungs, width }: { rungs: Rung[]; width: number }) {
  const longest = Math.max(1, ...rungs.flatMap((rung) => rung.flows.map((flow) => flow.bytes)));
  const bar = scaleLinear([0, longest], [1.5, width - 30]);
  let y = 0;
  return (
    <>
      {rungs.map((rung) => {
        const top = y;
        y += box + rung.flows.length * row + 8;
        return (
          <g transform={`translate(0 ${top})`}>
            <rect x={0.5} y={0.5} width={width - 1} height={box - 1} rx={5} fill={colour('raised')} stroke={rung.level === 'sm' ? colour('rule-strong') : levelColour(rung.level)} stroke-width={1.25} />
            <text x={10} y={box / 2} dy="0.33em" class="bold">{rung.name}</text>
            <text x={width - 10} y={box / 2} dy="0.33em" text-anchor="end" class="small muted">{rung.facts}</text>
            {rung.flows.map((flow, i) => (
              <g transform={`translate(0 ${box + 4 + i * row})`} data-tip={flow.tip}>
                <rect width={width} height={row} fill="transparent" />
                <text x={24} y={11} class="small">{flow.what}<tspan class="muted" dx={8}>{flow.detail}</tspan></text>
                <text x={width - 4} y={11} text-anchor="end" class="small bold">{flow.text}</text>
                <path d={flow.up ? 'M6 26l5 -10l5 10z' : 'M6 16l5 10l5 -10z'} fill={colour(flow.hue)} />
                <rect x={24} y={17} width={bar(flow.bytes)} height={9} fill={colour(flow.hue)} rx={1.5} />
              </g>
            ))}
          </g>
        );
      })}
    </>
  );
}
