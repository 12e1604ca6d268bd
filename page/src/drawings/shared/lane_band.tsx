// A warp's 32 lanes in a row (on narrow screens two): the arrow keys and the pointer choose one.
import { colour } from '../../theme/colours';
import { hasLane, warpLanes } from './lanes';
import { tint } from './marks';

export interface LaneBandGeometry {
  left: number;
  top: number;
  width: number;
  rows: number;
}
const boxHeight = 20;
const gap = 2;

export const bandHeight = (geometry: LaneBandGeometry): number => geometry.rows * (boxHeight + gap);

/** The middle of a lane's lower edge. */
export function lanePort(geometry: LaneBandGeometry, lane: number): { x: number; y: number } {
  const columns = warpLanes / geometry.rows;
  const row = Math.floor(lane / columns);
  return { x: geometry.left + ((lane % columns) + 0.5) * (geometry.width / columns), y: geometry.top + (row + 1) * (boxHeight + gap) - gap };
}

export interface LaneBandProps {
  geometry: LaneBandGeometry;
  active: number;
  chosen: number | null;
  /** null: none. */
  onChoose: (lane: number | null) => void;
  /** What is said of a lane. */
  describe: (lane: number) => string;
}

export function LaneBand({ geometry, active, chosen, onChoose, describe }: LaneBandProps) {
  const columns = warpLanes / geometry.rows;
  const box = geometry.width / columns;
  const move = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns, Home: -warpLanes, End: warpLanes };
    const step = steps[event.key];
    if (event.key === 'Escape') onChoose(null);
    if (step === undefined) return;
    event.preventDefault();
    onChoose(Math.max(0, Math.min(warpLanes - 1, (chosen ?? (step > 0 ? -1 : warpLanes)) + step)));
  };
  const said = chosen ?? 0;
  return (
    <g tabindex={0} role="slider" aria-label="Lane" aria-valuemin={0} aria-valuemax={warpLanes - 1} aria-valuenow={said} aria-valuetext={describe(said)}
      onKeyDown={move} onPointerLeave={() => onChoose(null)}>
      {Array.from({ length: warpLanes }, (_, lane) => {
        const port = lanePort(geometry, lane);
        const on = hasLane(active, lane);
        return (
          <g data-tip={describe(lane)} onPointerEnter={() => onChoose(lane)}>
            <rect x={port.x - box / 2 + 0.5} y={port.y - boxHeight} width={box - 1} height={boxHeight} rx={2}
              fill={!on ? 'transparent' : chosen === lane ? colour('ink') : tint('grey', 22)} stroke={on ? colour('grey') : colour('faint')} stroke-dasharray={on ? undefined : '2 2'} />
            <text x={port.x} y={port.y - 6} text-anchor="middle" class={on ? 'small' : 'small muted'} style={on && chosen === lane ? { fill: colour('paper') } : undefined}>{lane}</text>
          </g>
        );
      })}
    </g>
  );
}
