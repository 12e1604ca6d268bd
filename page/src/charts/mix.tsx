// PTX instructions of warps by kind, exact.
import { useReport } from '../app/report';
import type { Kernel } from '../data';
import { count, share } from '../format/numbers';
import { Picture } from '../picture/picture';
import { colour, type Hue } from '../theme/colours';

const kinds: [key: string, label: string, hue: Hue][] = [
  ['fp16', '16-bit floating point', 'yellow'], ['fp32', '32-bit floating point', 'orange'], ['fp64', '64-bit floating point', 'red'], ['integer', 'integer and logic', 'green'],
  ['bit_convert', 'conversions', 'teal'], ['control', 'branches and calls', 'purple'], ['load_store', 'loads and stores', 'blue'], ['atomic', 'atomics', 'navy'],
  ['inter_thread', 'between lanes', 'sky'], ['barrier', 'barriers and fences', 'pink'], ['special', 'special functions', 'brown'], ['matrix', 'matrix units', 'red'], ['texture', 'textures', 'teal'], ['misc', 'moves and others', 'grey'],
];
const row = 24;

export function InstructionMix({ kernel }: { kernel: Kernel }) {
  const { report } = useReport();
  const total = report.total(kernel, 'ptx__inst_executed.sum') ?? 0;
  const rows = kinds
    .map(([key, label, hue]) => ({ label, hue, metric: `ptx__inst_executed_${key}.sum`, value: report.total(kernel, `ptx__inst_executed_${key}.sum`) ?? 0, threads: report.total(kernel, `ptx__thread_inst_executed_${key}.sum`) ?? 0 }))
    .filter((r) => r.value > 0)
    .sort((a, b) => b.value - a.value);
  if (rows.length === 0 || total === 0) return <p class="muted">No launch of this kernel was counted.</p>;
  const most = rows[0]?.value ?? 1;
  return (
    <Picture title="PTX instructions of warps, by kind" subtitle={`Exact: ${count(total)} in all`} height={rows.length * row} minWidth={320}
      alternative={`Instruction mix of ${count(total)} warp instructions: ${rows.map((r) => `${r.label} ${share(r.value / total)}`).join(', ')}`}
      table={() => ({ columns: ['Kind', 'Warp instructions', 'Share', 'Lanes a warp'], rows: rows.map((r) => [r.label, count(r.value), share(r.value / total), count(Number((r.threads / r.value).toFixed(2)))]) })}>
      {({ width }) => {
        const left = 152;
        const room = width - left - 108;
        return rows.map((r, i) => (
          <g transform={`translate(0 ${i * row})`} data-tip={`${r.label}: ${count(r.value)} warp instructions\n${share(r.value / total)} of all\n${count(Number((r.threads / r.value).toFixed(2)))} lanes active on average`}>
            <rect width={width} height={row} fill="transparent" />
            <text x={left - 10} y={row / 2} dy="0.33em" text-anchor="end" class="small">{r.label}</text>
            <rect x={left} y={5} width={Math.max(1, (r.value / most) * room)} height={row - 10} fill={colour(r.hue)} rx={1.5} />
            <text x={left + Math.max(1, (r.value / most) * room) + 7} y={row / 2} dy="0.33em" class="small">{count(r.value)} <tspan class="muted">{share(r.value / total)}</tspan></text>
          </g>
        ));
      }}
    </Picture>
  );
}
