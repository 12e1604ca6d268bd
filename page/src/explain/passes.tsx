// Which warps a branch splits: a row for each pass of a warp, a column for each lane.
import { count, counted } from '../format/numbers';
import { Picture } from '../picture/picture';
import { colour } from '../theme/colours';
import { rangesText, warpLanes } from '../drawings/shared/lanes';
import { tint, useHatches } from '../drawings/shared/marks';
import type { DivergenceAnswer } from './answers';

const rowHeight = 21;
const mostRows = 80;

interface Row {
  label: string;
  pass: string;
  lanes: number[];
  /** Of the lanes of the warp that have a thread. */
  present: number[];
  divergent: boolean;
  first: boolean;
}

function rowsOf(answer: DivergenceAnswer): Row[] {
  const several = answer.warps.some((warp) => warp.block > 0);
  return answer.warps.flatMap((warp) => {
    const name = several ? `${warp.block}:${warp.warp}` : `${warp.warp}`;
    const label = warp.warps > 1 ? `${name} +${warp.warps - 1}` : name;
    const present = [...new Set(warp.passes.flatMap((pass) => pass.lanes))].sort((a, b) => a - b);
    return warp.passes.map((pass, i): Row => ({
      label,
      pass: answer.branch === 'if' ? (pass.value ? 'then' : 'else') : answer.branch === 'switch' ? `case ${pass.value}` : `trip ${pass.value}`,
      lanes: pass.lanes,
      present,
      divergent: pass.lanes.length < present.length,
      first: i === 0,
    }));
  });
}

export function PassesDrawing({ answer }: { answer: DivergenceAnswer }) {
  const { fill, definitions } = useHatches({ some: { hue: 'orange', style: 'rising', ground: 40 }, waits: { hue: 'grey', style: 'dots', ground: 6 } });
  const rows = rowsOf(answer);
  const shown = rows.slice(0, mostRows);
  const { all } = answer;
  const sentence = `${count(all.divergent_warps)} of ${counted(all.warps, 'warp')} ${all.divergent_warps === 1 ? 'diverges' : 'diverge'}; ${counted(all.passes, 'pass')} with ${(all.active_lanes / Math.max(1, all.passes)).toFixed(1)} active lanes each: ${all.efficiency_percent.toFixed(0)} % of the lanes work. Branch efficiency ${all.branch_efficiency_percent.toFixed(1)} %.`;
  const title = answer.branch === 'loop' ? `a loop of (${answer.expression}) trips` : `${answer.branch} (${answer.expression})`;
  return (
    <Picture title={title} subtitle={sentence} maxWidth={980} height={24 + shown.length * rowHeight}
      alternative={`${sentence} ${shown.slice(0, 20).map((row) => `Warp ${row.label}, ${row.pass}: lanes ${rangesText(row.lanes)}`).join('. ')}.`}
      legend={[
        { label: 'active, with all lanes of the warp', colour: tint('blue', 50) },
        { label: 'active, while others wait (hatched)', colour: tint('orange', 65) },
        { label: 'waits', colour: colour('grey'), mark: 'outline' },
      ]}
      note={`${rows.length > shown.length ? `${rows.length - shown.length} more passes are not drawn. ` : ''}${rows.some((row) => row.label.includes('+')) ? '"+2" stands for two more warps that do the same.' : 'A row is a pass: the lanes that run the same path together.'}`}
      table={() => ({ columns: ['Warp', 'Pass', 'Active lanes', 'Lanes'], rows: rows.map((row) => [row.label, row.pass, row.lanes.length, rangesText(row.lanes)]) })}>
      {({ width }) => {
        const narrow = width < 560;
        const left = narrow ? 92 : 148;
        const right = narrow ? 24 : 66;
        const cell = (width - left - right) / warpLanes;
        return (
          <>
            {definitions}
            {Array.from({ length: warpLanes }, (_, lane) => (!narrow || lane % 4 === 0) && <text x={left + (lane + 0.5) * cell} y={14} text-anchor="middle" class="small muted">{lane}</text>)}
            {shown.map((row, i) => {
              const y = 22 + i * rowHeight;
              const waiting = row.present.filter((lane) => !row.lanes.includes(lane));
              return (
                <g data-tip={`Warp ${row.label}, ${row.pass}\n${counted(row.lanes.length, 'lane')}: ${rangesText(row.lanes)}`}>
                  {row.first && i > 0 && <line x1={0} x2={width} y1={y - 1} y2={y - 1} stroke={colour('rule')} />}
                  {row.first && <text x={0} y={y + 14} class="small bold">{narrow ? 'w' : 'warp '}{row.label}</text>}
                  <text x={left - 8} y={y + 14} text-anchor="end" class="small muted">{row.pass}</text>
                  {row.lanes.map((lane) => <rect x={left + lane * cell} y={y + 1} width={cell - 1} height={rowHeight - 4} rx={1.5} fill={row.divergent ? fill('some') : tint('blue', 50)} stroke={row.divergent ? colour('orange') : 'none'} />)}
                  {waiting.map((lane) => <rect x={left + lane * cell} y={y + 1} width={cell - 1} height={rowHeight - 4} rx={1.5} fill={fill('waits')} />)}
                  <text x={width - 2} y={y + 14} text-anchor="end" class={row.divergent ? 'small bold' : 'small muted'}>{row.lanes.length}{narrow ? '' : ` of ${row.present.length}`}</text>
                </g>
              );
            })}
          </>
        );
      }}
    </Picture>
  );
}
