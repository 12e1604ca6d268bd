// How near each unit is to its peak, memory and compute, with the thresholds of the limiter.
import { scaleLinear } from 'd3-scale';
import { useReport } from '../app/report';
import type { Kernel } from '../data';
import { modelled, percent } from '../format/numbers';
import { Picture } from '../picture/picture';
import { colour } from '../theme/colours';

const suffix = '.avg.pct_of_peak_sustained';
const groups: { title: string; hue: 'blue' | 'orange'; total: string; units: [label: string, metric: string][] }[] = [
  {
    title: 'Memory', hue: 'blue', total: `gpu__compute_memory_throughput${suffix}_elapsed`,
    units: [['DRAM', 'dram_utilization'], ['L2', `lts__throughput${suffix}_elapsed`], ['L1', 'tex_utilization'], ['Shared memory', 'shared_utilization']],
  },
  {
    title: 'Compute', hue: 'orange', total: `sm__throughput${suffix}_elapsed`,
    units: [
      ['Issue slots', 'issue_slot_utilization'], ['FMA pipe', `smsp__pipe_fma_cycles_active${suffix}_active`], ['ALU pipe', `smsp__inst_executed_pipe_alu${suffix}_active`],
      ['FP64 pipe', `smsp__inst_executed_pipe_fp64${suffix}_active`], ['FP16 pipe', `smsp__inst_executed_pipe_fp16${suffix}_active`], ['XU pipe', `smsp__inst_executed_pipe_xu${suffix}_active`],
      ['Load-store unit', `smsp__inst_executed_pipe_lsu${suffix}_active`],
    ],
  },
];
const left = 112;
const right = 66;
const rowHeight = 19;
const headHeight = 26;
const axis = 22;

export function ThroughputBars({ kernel }: { kernel: Kernel }) {
  const { report } = useReport();
  const shown = groups.map((group) => ({
    ...group,
    value: report.total(kernel, group.total),
    rows: group.units.map(([label, metric]) => ({ label, metric, value: report.total(kernel, metric) })).filter((row) => row.value !== null),
  }));
  const height = axis + shown.reduce((sum, group) => sum + headHeight + group.rows.length * rowHeight + 8, 0);
  const words = shown.map((g) => `${g.title} ${g.value === null ? 'not known' : percent(g.value)}: ${g.rows.map((r) => `${r.label} ${percent(r.value ?? 0)}`).join(', ')}`).join('. ');
  return (
    <Picture title="Throughput, of peak" subtitle="Modelled. A unit limits from 60 %, and is saturated from 80 %" alternative={`Throughput in percent of peak. ${words}`} height={height} minWidth={300} note="Pipes, issue slots and L1: of the cycles in which an SM has a warp. The others: of the kernel's whole time."
      table={() => ({ columns: ['Unit', 'Of peak', 'Metric'], rows: shown.flatMap((g) => [[g.title, g.value === null ? '-' : modelled(percent(g.value)), g.total], ...g.rows.map((r) => [r.label, modelled(percent(r.value ?? 0)), r.metric])]) })}>
      {({ width }) => {
        const x = scaleLinear([0, 100], [left, width - right]);
        let y = axis;
        return (
          <>
            {[0, 20, 40, 60, 80, 100].map((tick) => (
              <g class="axis">
                <line x1={x(tick)} x2={x(tick)} y1={axis - 4} y2={height} stroke-dasharray={tick === 60 || tick === 80 ? '3 2' : undefined} class={tick === 60 || tick === 80 ? 'threshold' : ''} />
                <text x={x(tick)} y={12} text-anchor="middle">{tick}{tick === 100 ? ' %' : ''}</text>
              </g>
            ))}
            {shown.map((group) => {
              const top = y;
              y += headHeight + group.rows.length * rowHeight + 8;
              return (
                <g transform={`translate(0 ${top})`}>
                  <Bar label={group.title} value={group.value} x={x} y={4} height={16} fill={colour(group.hue)} bold tip={report.definition(group.total)?.text} />
                  {group.rows.map((row, i) => (
                    <Bar label={row.label} value={row.value} x={x} y={headHeight + i * rowHeight + 4} height={9} fill={colour(group.hue)} tip={report.definition(row.metric)?.text} />
                  ))}
                </g>
              );
            })}
          </>
        );
      }}
    </Picture>
  );
}

function Bar(props: { label: string; value: number | null; x: ReturnType<typeof scaleLinear<number, number>>; y: number; height: number; fill: string; bold?: boolean; tip: string | undefined }) {
  const { value, x, y, height } = props;
  const text = value === null ? '-' : modelled(percent(value));
  const length = value === null ? 0 : x(Math.min(value, 100)) - x(0);
  return (
    <g data-tip={`${props.label}: ${text}${props.tip ? `\n${props.tip}` : ''}`}>
      <rect x={0} y={y - 3} width={x.range()[1]! + right} height={height + 6} fill="transparent" />
      <text x={props.bold ? 0 : 10} y={y + height / 2} dy="0.33em" class={props.bold ? 'bold' : 'muted'}>{props.label}</text>
      <rect x={x(0)} y={y} width={Math.max(value ? 1 : 0, length)} height={height} fill={props.fill} fill-opacity={props.bold ? 1 : 0.75} rx={1.5} />
      <text x={x.range()[1]! + right} y={y + height / 2} dy="0.33em" text-anchor="end" class={props.bold ? 'bold' : 'small'}>{text}</text>
    </g>
  );
}
