// A block's threads cut into warps: x to the right, y downwards, a plane for each z.
import { counted, dimensions } from '../../format/numbers';
import { Picture } from '../../picture/picture';
import { type Hue, colour } from '../../theme/colours';
import { tint } from '../shared/marks';
import { warpLanes } from '../shared/lanes';
import { isFlat, numberOf, type Plane, planesOf, type Triple, warpsOf } from './layout';

/** Neighbouring warps differ; with the numbers in the cells, four tints are enough. */
const hues: readonly Hue[] = ['blue', 'orange', 'green', 'pink'];

const placeIn = (block: Triple, thread: number): string =>
  [thread % block[0], Math.floor(thread / block[0]) % block[1], Math.floor(thread / (block[0] * block[1]))].join(', ');

export function WarpsOfBlockDrawing({ block, title = 'The warps of a block' }: { block: Triple; title?: string }) {
  const { threads, warps, idle } = warpsOf(block);
  const planes = planesOf(block);
  const sentence = `A block of ${dimensions(block)} has ${counted(threads, 'thread')} in ${counted(warps, 'warp')}${idle === 0 ? ', all lanes have a thread' : `; ${idle} lanes of the last warp have none (${((100 * idle) / (warps * warpLanes)).toFixed(1)} % of all)`}.`;
  return (
    <Picture title={title} subtitle={sentence} maxWidth={980} height={(width) => layOut(planes, width).height}
      alternative={`${sentence} Threads are numbered with x fastest, then y, then z; 32 in a row form a warp.`}
      note={`${numberOf(block)}; its warp is that / 32, its lane that % 32.${isFlat(block) ? ' Each row is a warp.' : ''}`}
      table={() => ({
        columns: ['Warp', 'Threads', 'First threadIdx', 'Last threadIdx'],
        rows: Array.from({ length: warps }, (_, w) => [w, Math.min(warpLanes, threads - w * warpLanes), placeIn(block, w * warpLanes), placeIn(block, Math.min(threads, (w + 1) * warpLanes) - 1)]),
      })}>
      {({ width }) => {
        const plan = layOut(planes, width);
        return planes.map((plane, i) => {
          const at = plan.places[i] ?? { x: 0, y: 0 };
          const warpAt = new Map(plane.cells.map((cell) => [cell.y * plane.columns + cell.x, Math.floor(cell.thread / warpLanes)]));
          return (
            <g transform={`translate(${at.x} ${at.y})`}>
              {plane.z !== null && <text x={plan.axis} y={10} class="small muted">threadIdx.z = {plane.z}</text>}
              <g transform={`translate(${plan.axis} ${plan.head})`}>
                {plane.cells.map((cell) => {
                  const warp = Math.floor(cell.thread / warpLanes);
                  const left = cell.x === 0 || warpAt.get(cell.y * plane.columns + cell.x - 1) !== warp;
                  const above = cell.y === 0 || warpAt.get((cell.y - 1) * plane.columns + cell.x) !== warp;
                  const x = cell.x * plan.cell;
                  const y = cell.y * plan.cell;
                  return (
                    <g data-tip={`threadIdx (${placeIn(block, cell.thread)})\nthread ${cell.thread}: warp ${warp}, lane ${cell.thread % warpLanes}`}>
                      <rect x={x} y={y} width={plan.cell} height={plan.cell} fill={tint(hues[warp % hues.length] ?? 'grey', 40)} stroke={colour('paper')} stroke-width={plan.cell > 8 ? 1 : 0.25} />
                      {(left || above) && <path d={`${left ? `M${x} ${y}V${y + plan.cell}` : ''}${above ? `M${x} ${y}H${x + plan.cell}` : ''}`} stroke={colour('ink')} stroke-width={1.2} fill="none" />}
                      {plan.cell >= 17 && <text x={x + plan.cell / 2} y={y + plan.cell / 2 + 4} text-anchor="middle" class="small">{warp}</text>}
                    </g>
                  );
                })}
                <path d={outline(plane, plan.cell)} fill="none" stroke={colour('ink')} stroke-width={1.2} />
                {isFlat(block) && Array.from({ length: idle }, (_, i) => {
                  const lane = warpLanes - idle + i;
                  return <rect x={lane * plan.cell + 1} y={(plane.rows - 1) * plan.cell + 1} width={plan.cell - 2} height={plan.cell - 2} fill="none" stroke={colour('faint')} stroke-dasharray="2 2" data-tip={`Lane ${lane} of warp ${warps - 1}\nhas no thread`} />;
                })}
                {Array.from({ length: plane.rows }, (_, y) => (plan.cell >= 11 || y % 4 === 0) && (
                  <text x={-6} y={(y + 0.5) * plan.cell + 4} text-anchor="end" class="small muted">{isFlat(block) ? `w${y}` : y}</text>
                ))}
              </g>
            </g>
          );
        });
      }}
    </Picture>
  );
}

/** The right and lower edge of a plane. */
function outline(plane: Plane, cell: number): string {
  const last = plane.cells.length - (plane.rows - 1) * plane.columns;
  const right = plane.columns * cell;
  const bottom = plane.rows * cell;
  if (last >= plane.columns) return `M0 ${bottom}H${right}V0`;
  return `M0 ${bottom}H${last * cell}V${bottom - cell}H${right}V0`;
}

function layOut(planes: Plane[], width: number): { cell: number; axis: number; head: number; places: { x: number; y: number }[]; height: number } {
  const axis = 34;
  const head = planes[0]?.z === null ? 4 : 18;
  const columns = planes[0]?.columns ?? 1;
  const rows = planes[0]?.rows ?? 1;
  const cell = Math.min(rows > 16 ? 17 : 26, (width - axis - 4) / columns);
  const planeWidth = axis + columns * cell + 18;
  const perRow = Math.max(1, Math.floor((width + 18) / planeWidth));
  const planeHeight = head + rows * cell + 14;
  return {
    cell,
    axis,
    head,
    places: planes.map((_, i) => ({ x: (i % perRow) * planeWidth, y: Math.floor(i / perRow) * planeHeight })),
    height: Math.ceil(planes.length / perRow) * planeHeight,
  };
}
