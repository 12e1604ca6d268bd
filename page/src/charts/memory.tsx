// The memory chart: pipes between SM, L1, shared memory, L2 and DRAM, as wide as their traffic.
import type { ScaleContinuousNumeric } from 'd3-scale';
import { scaleLinear } from 'd3-scale';
import { useReport } from '../app/report';
import type { Report } from '../app/report';
import type { Kernel, MemoryPlace, MemoryTraffic } from '../data';
import { bytes, modelled, percent } from '../format/numbers';
import { Picture } from '../picture/picture';
import { colour, levelColour, type Hue } from '../theme/colours';

type Flow = MemoryTraffic['flows'][number];

const slot = 52;
const gap = 22;
const nodeNames: Record<MemoryPlace, string> = { sm: 'SM', l1: 'L1', shared: 'Shared', l2: 'L2', dram: 'DRAM' };

// What more is known of a flow: sectors or wavefronts a request, and the share of its bytes that the threads asked for.
const details: Record<string, { perRequest: string; used?: string }> = {
  'global loads': { perRequest: 'gld_transactions_per_request', used: 'gld_efficiency' },
  'global stores': { perRequest: 'gst_transactions_per_request', used: 'gst_efficiency' },
  'local loads': { perRequest: 'local_load_transactions_per_request' },
  'local stores': { perRequest: 'local_store_transactions_per_request' },
  'shared loads': { perRequest: 'shared_load_transactions_per_request' },
  'shared stores': { perRequest: 'shared_store_transactions_per_request' },
};
const utilization: Partial<Record<MemoryPlace, string>> = { l1: 'tex_utilization', shared: 'shared_utilization', l2: 'l2_utilization', dram: 'dram_utilization' };
const flowHues: Record<string, Hue> = { l1: 'orange', shared: 'pink', l2: 'green', dram: 'blue' };

/** The level that a flow loads: the farther end from the SM. */
function levelOf(flow: Flow): MemoryPlace {
  const order: MemoryPlace[] = ['sm', 'l1', 'shared', 'l2', 'dram'];
  return order.indexOf(flow.from) > order.indexOf(flow.to) ? flow.from : flow.to;
}

export function MemoryChart({ kernel }: { kernel: Kernel }) {
  const { report } = useReport();
  const memory = kernel.memory;
  if (!memory) return <p class="muted">No launch of this kernel was counted.</p>;
  const seen = memory.flows.filter((flow) => (flow.bytes ?? 0) > 0);
  if (seen.length === 0) return <p class="muted">The kernel moves no bytes to or from memory.</p>;
  const of = (level: MemoryPlace) => seen.filter((flow) => levelOf(flow) === level);
  const hasShared = of('shared').length > 0;
  const upper = Math.max(of('l1').length, of('l2').length, of('dram').length, 1);
  const height = upper * slot + (hasShared ? gap + of('shared').length * slot : 0) + 8;
  const thickness = scaleLinear([0, Math.max(...seen.map((flow) => flow.bytes ?? 0))], [1.5, 20]);
  const hit = (level: string) => memory.hit_rates.find((rate) => rate.level === level)?.percent ?? null;
  const text = (flow: Flow) => (flow.class === 'modelled' ? modelled(bytes(flow.bytes ?? 0)) : bytes(flow.bytes ?? 0));
  const partial = (flow: Flow) => { const used = details[flow.what]?.used; return used !== undefined && (report.total(kernel, used) ?? 100) < 100; };
  const absent = memory.flows.filter((flow) => flow.bytes === 0).map((flow) => (flow.to === 'sm' || flow.from === 'sm' ? flow.what : `${flow.what} between ${nodeNames[flow.from]} and ${nodeNames[flow.to]}`));
  const unknown = memory.flows.filter((flow) => flow.bytes === null).map((flow) => `${nodeNames[flow.from]} to ${nodeNames[flow.to]} ${flow.what}`);
  return (
    <Picture title="Traffic between the levels of memory" subtitle="Bytes between SM, L1 and shared memory are exact; farther out they are modelled (~)" height={height} minWidth={680}
      alternative={`Memory chart. ${seen.map((flow) => `${flow.what} from ${nodeNames[flow.from]} to ${nodeNames[flow.to]}: ${text(flow)}`).join('; ')}. ${memory.hit_rates.map((rate) => `Hit rate of ${rate.level.toUpperCase()}: ${rate.percent === null ? 'not known' : percent(rate.percent)}`).join('; ')}`}
      note={[unknown.length > 0 ? `Not known: ${unknown.join(', ')}.` : '', absent.length > 0 ? `None: ${absent.join(', ')}.` : ''].filter(Boolean).join(' ') || undefined}
      legend={!seen.some((flow) => partial(flow)) ? undefined : [{ label: 'bytes that the threads use', colour: colour('muted') }, { label: 'moved, and not used', colour: colour('faint') }]}
      table={() => ({
        columns: ['Flow', 'From', 'To', 'Bytes', 'Class', 'A request', 'Used'],
        rows: seen.map((flow) => {
          const more = details[flow.what];
          return [flow.what, nodeNames[flow.from], nodeNames[flow.to], text(flow), flow.class, more ? report.totalText(kernel, more.perRequest) : '-', more?.used ? report.totalText(kernel, more.used) : '-'];
        }),
      })}>
      {({ width }) => {
        const nodeWidth = Math.max(84, Math.min(112, width * 0.1));
        const step = (width - nodeWidth) / 3;
        const nodeX = { sm: 0, l1: step, shared: step, l2: 2 * step, dram: 3 * step };
        const sharedTop = upper * slot + gap;
        const nodes: { place: MemoryPlace; top: number; height: number }[] = [
          { place: 'sm', top: 0, height },
          { place: 'l1', top: 0, height: upper * slot + 8 },
          ...(hasShared ? [{ place: 'shared' as const, top: sharedTop, height: of('shared').length * slot + 8 }] : []),
          { place: 'l2', top: 0, height: upper * slot + 8 },
          { place: 'dram', top: 0, height: upper * slot + 8 },
        ];
        return (
          <>
            {(['l1', 'shared', 'l2', 'dram'] as const).map((level) => {
              const flows = of(level);
              const inner: MemoryPlace = level === 'l1' || level === 'shared' ? 'sm' : level === 'l2' ? 'l1' : 'l2';
              const from = nodeX[inner] + nodeWidth;
              const to = nodeX[level];
              const top = level === 'shared' ? sharedTop : ((upper - flows.length) * slot) / 2;
              return flows.map((flow, i) => <Pipe flow={flow} x0={from} x1={to} y={top + i * slot + 4} thickness={thickness} towardsSm={flow.to === inner} kernel={kernel} report={report} text={text(flow)} />);
            })}
            {nodes.map((node) => {
              const rate = hit(node.place);
              const busy = utilization[node.place];
              const load = busy ? report.total(kernel, busy) : null;
              const middle = node.top + node.height / 2;
              const lines = [rate !== null ? `${modelled(percent(rate))} hit` : '', load !== null ? `${modelled(percent(load))} busy` : ''].filter(Boolean);
              return (
                <g data-tip={[nodeNames[node.place], ...(rate !== null ? [`hit rate ~${percent(rate)}`] : []), ...(load !== null ? [`throughput ~${percent(load)} of peak`] : [])].join('\n')}>
                  <rect x={nodeX[node.place] + 0.5} y={node.top + 0.5} width={nodeWidth - 1} height={node.height - 1} rx={5} fill={colour('raised')} stroke={node.place === 'sm' ? colour('rule-strong') : levelColour(node.place)} stroke-width={1.25} />
                  <text x={nodeX[node.place] + nodeWidth / 2} y={middle - lines.length * 7.5} dy="0.33em" text-anchor="middle" class="bold">{nodeNames[node.place]}</text>
                  {lines.map((line, i) => <text x={nodeX[node.place] + nodeWidth / 2} y={middle - lines.length * 7.5 + 16 * (i + 1)} dy="0.33em" text-anchor="middle" class="small muted">{line}</text>)}
                </g>
              );
            })}
          </>
        );
      }}
    </Picture>
  );
}

function Pipe(props: { flow: Flow; x0: number; x1: number; y: number; thickness: ScaleContinuousNumeric<number, number>; towardsSm: boolean; kernel: Kernel; report: Report; text: string }) {
  const { flow, x0, x1, y, kernel, report } = props;
  const width = props.thickness(flow.bytes ?? 0);
  const head = 9;
  const middle = y + 27;
  const more = details[flow.what];
  const used = more?.used ? report.total(kernel, more.used) : null;
  const perRequest = more ? report.total(kernel, more.perRequest) : null;
  const fill = colour(flowHues[levelOf(flow)] ?? 'grey');
  const [from, to] = [x0 + 6, x1 - 6];
  const body: [number, number] = props.towardsSm ? [from + head, to] : [from, to - head];
  const half = Math.max(width / 2, 0.75);
  const wing = half + 3.5;
  const arrow = props.towardsSm ? `M${from} ${middle}l${head} ${-wing}v${2 * wing}z` : `M${to} ${middle}l${-head} ${-wing}v${2 * wing}z`;
  const usedHeight = used === null ? 2 * half : 2 * half * Math.min(1, used / 100);
  const detail = perRequest === null ? '' : report.text(more?.perRequest ?? '', perRequest).replace('sectors', 'sect.').replace('wavefronts', 'wavefr.').replace('wavefront/', 'wavefr./').replace('sector/', 'sect./').replace('/request', '/req.');
  const room = x1 - x0;
  return (
    <g data-tip={[`${flow.what}: ${props.text}`, `${nodeNames[flow.from]} to ${nodeNames[flow.to]}, ${flow.class}`, ...(perRequest === null ? [] : [report.text(more?.perRequest ?? '', perRequest)]), ...(used === null ? [] : [`${percent(used)} of the bytes are used`])].join('\n')}>
      <rect x={x0} y={y} width={room} height={slot} fill="transparent" />
      <text x={x0 + 8} y={y + 10} class="small muted">{flow.what}</text>
      <text x={x1 - 8} y={y + 10} text-anchor="end" class="small bold">{props.text}</text>
      <rect x={body[0]} y={middle - half} width={body[1] - body[0]} height={2 * half} fill={fill} fill-opacity={used === null ? 1 : 0.28} />
      {used !== null && <rect x={body[0]} y={middle - half} width={body[1] - body[0]} height={usedHeight} fill={fill} />}
      <path d={arrow} fill={fill} />
      {detail && room > 150 && width < 12 && <text x={(x0 + x1) / 2} y={middle + half + 11} text-anchor="middle" class="small muted">{detail}</text>}
      {detail && room > 150 && width >= 12 && <text x={(x0 + x1) / 2} y={middle} dy="0.33em" text-anchor="middle" class={`small ${used === null || used >= 50 ? 'span-label' : ''}`}>{detail}</text>}
    </g>
  );
}
