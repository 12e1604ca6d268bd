// What can be shown beside a line of source, an instruction of PTX or of the machine: a number, and its heat.
import type { ComponentChildren } from 'preact';
import type { Kernel, PartTime, SparseValues, StallCycles } from '../../data';
import { count, modelled, share } from '../../format/numbers';
import { stallColour } from '../../theme/colours';
import type { Report } from '../report';

/** A line, or an instruction. */
export interface Part {
  time: PartTime | null;
  metrics: SparseValues;
}

export interface Column {
  key: string;
  title: string;
  tip: string;
  /** Shown unless the reader says otherwise, where any line has a value. */
  preset: boolean;
  value: (part: Part) => number | null;
  cell: (value: number, part: Part) => ComponentChildren;
  /** 0 to 1 */
  heat: (part: Part) => number;
}

const sum = (...values: (number | null)[]): number => values.reduce<number>((total, value) => total + (value ?? 0), 0);
const ratio = (a: number, b: number): number | null => (b > 0 ? a / b : null);

export function columnsOf(kernel: Kernel, report: Report): Column[] {
  const of = (part: Part, name: string) => report.ofPart(part.metrics, name);
  const all = (name: string) => report.total(kernel, name) ?? 0;
  const shareOf = (name: string) => (part: Part) => sum(of(part, name)) / Math.max(1, all(name));
  const plain = (value: number) => count(Number(value.toFixed(2)));
  return [
    {
      key: 'time', title: 'Time', tip: 'Modelled: share of the cycles in which warps of the kernel were resident', preset: true,
      value: (part) => part.time?.share || null, cell: (value) => modelled(share(value)), heat: (part) => part.time?.share ?? 0,
    },
    {
      key: 'stalls', title: 'Stalls', tip: 'Modelled: what warps waited for here, as parts of this line\'s time', preset: true,
      value: (part) => (part.time && part.time.warp_cycles > 0 ? part.time.warp_cycles : null), cell: (_, part) => <StallBar stalls={part.time?.stalls ?? {}} total={part.time?.warp_cycles ?? 0} />, heat: () => 0,
    },
    {
      key: 'instructions', title: 'Instr', tip: 'Exact: PTX instructions that warps executed', preset: true,
      value: (part) => of(part, 'ptx__inst_executed.sum'), cell: count, heat: shareOf('ptx__inst_executed.sum'),
    },
    {
      key: 'lanes', title: 'Lanes', tip: 'Exact: active lanes of a warp, on average; 32 at most', preset: true,
      value: (part) => of(part, 'ptx__thread_inst_executed_per_inst_executed.ratio'), cell: plain,
      heat: (part) => 1 - (of(part, 'ptx__thread_inst_executed_per_inst_executed.ratio') ?? 32) / 32,
    },
    {
      key: 'divergence', title: 'Diverg', tip: 'Exact: branches at which the lanes of a warp diverged', preset: true,
      value: (part) => of(part, 'ptx__branches_divergent.sum'), cell: count, heat: shareOf('ptx__branches_divergent.sum'),
    },
    {
      key: 'sectors', title: 'Sect/req', tip: 'Exact: sectors of 32 bytes that a request to global memory touches; heat: sectors above the ideal', preset: true,
      value: (part) => ratio(sum(of(part, 'gld_transactions'), of(part, 'gst_transactions')), sum(of(part, 'global_load_requests'), of(part, 'global_store_requests'))), cell: plain,
      heat: shareOf('global_sectors_excess'),
    },
    {
      key: 'conflicts', title: 'Wavef/req', tip: 'Exact: wavefronts that a request to shared memory takes; heat: wavefronts above the ideal', preset: true,
      value: (part) => ratio(sum(of(part, 'shared_load_transactions'), of(part, 'shared_store_transactions')), sum(of(part, 'shared_load_requests'), of(part, 'shared_store_requests'))), cell: plain,
      heat: shareOf('shared_wavefronts_excess'),
    },
    {
      key: 'sector-count', title: 'Sectors', tip: 'Exact: sectors of global memory', preset: false,
      value: (part) => of(part, 'global_sectors'), cell: count, heat: shareOf('global_sectors'),
    },
    {
      key: 'excess', title: 'Excess sect.', tip: 'Exact: sectors above the ideal', preset: false,
      value: (part) => of(part, 'global_sectors_excess'), cell: count, heat: shareOf('global_sectors_excess'),
    },
    {
      key: 'wavefronts', title: 'Wavefronts', tip: 'Exact: wavefronts of shared memory', preset: false,
      value: (part) => of(part, 'shared_wavefronts'), cell: count, heat: shareOf('shared_wavefronts'),
    },
    {
      key: 'atomics', title: 'Rnds/req', tip: 'Exact: rounds that an atomic takes because lanes meet at one address', preset: true,
      value: (part) => of(part, 'atomic_global_rounds_per_request') ?? of(part, 'atomic_shared_rounds_per_request'), cell: plain,
      heat: (part) => sum(shareOf('atomic_global_address_conflicts')(part), shareOf('atomic_shared_address_conflicts')(part)),
    },
    {
      key: 'threads', title: 'Thread instr.', tip: 'Exact: PTX instructions that threads executed', preset: false,
      value: (part) => of(part, 'ptx__thread_inst_executed.sum'), cell: count, heat: shareOf('ptx__thread_inst_executed.sum'),
    },
  ];
}

const barWidth = 52;

/** Stall reasons side by side, in one small bar. */
export function StallBar({ stalls, total }: { stalls: StallCycles; total: number }) {
  if (total <= 0) return null;
  const parts = Object.entries(stalls).sort((a, b) => b[1] - a[1]);
  let x = 0;
  const words = parts.slice(0, 5).map(([name, cycles]) => `${name} ~${share(cycles / total)}`);
  return (
    <svg class="stall-bar" width={barWidth} height={10} viewBox={`0 0 ${barWidth} 10`} role="img" aria-label={words.join(', ')} data-tip={['Stall reasons', ...words].join('\n')}>
      {parts.map(([name, cycles]) => {
        const from = x;
        x += (cycles / total) * barWidth;
        return <rect x={from} width={Math.max(0, x - from)} height={10} fill={stallColour(name)} />;
      })}
    </svg>
  );
}
