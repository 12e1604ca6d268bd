// Where the cycles of resident warps went, the most first.
import { useReport } from '../app/report';
import type { Kernel, StallCycles } from '../data';
import { count, modelled, share } from '../format/numbers';
import { Picture } from '../picture/picture';
import { stallColour } from '../theme/colours';

const row = 24;
const bar = 22;
const least = 0.002;

export function StallChart({ kernel }: { kernel: Kernel }) {
  const { report } = useReport();
  if (!kernel.time) return <p class="muted">Stall reasons need a modelled time.</p>;
  return <Stalls stalls={kernel.time.stalls} total={kernel.time.warp_cycles} text={(name) => report.stallText(name)} />;
}

function Stalls({ stalls, total, text }: { stalls: StallCycles; total: number; text: (name: string) => string }) {
  const all = Object.entries(stalls).map(([name, cycles]) => ({ name, cycles, part: total > 0 ? cycles / total : 0 })).filter((s) => s.cycles > 0).sort((a, b) => b.part - a.part);
  const shown = all.filter((s) => s.part >= least);
  const rest = all.filter((s) => s.part < least);
  const top = bar + 16;
  return (
    <Picture title="Cycles of resident warps, by stall reason" subtitle={`Modelled: ${modelled(count(total))} warp cycles in the simulated part`} minWidth={320} height={top + shown.length * row}
      alternative={`Stall reasons: ${shown.map((s) => `${s.name} ${share(s.part)}`).join(', ')}`}
      note={rest.length > 0 ? `Below 0.2 %: ${rest.map((s) => s.name).join(', ')}.` : undefined}
      table={() => ({ columns: ['Stall reason', 'Share', 'Warp cycles', 'The warp waits for'], rows: all.map((s) => [s.name, modelled(share(s.part)), modelled(count(s.cycles)), text(s.name)]) })}>
      {({ width }) => {
        let x = 0;
        const longest = shown[0]?.part ?? 1;
        const left = 136;
        const room = width - left - 52;
        return (
          <>
            {all.map((s) => {
              const from = x;
              x += s.part * width;
              return <rect x={from} y={0} width={Math.max(0.3, x - from - (x - from > 3 ? 1 : 0))} height={bar} fill={stallColour(s.name)} data-tip={`${s.name}: ~${share(s.part)}\n${text(s.name)}`} />;
            })}
            {shown.map((s, i) => (
              <g transform={`translate(0 ${top + i * row})`} data-tip={`${s.name}: ~${share(s.part)}\nThe warp waits for ${text(s.name)}`}>
                <rect width={width} height={row} fill="transparent" />
                <text x={left - 10} y={row / 2} dy="0.33em" text-anchor="end" class="mono small">{s.name}</text>
                <rect x={left} y={5} width={Math.max(1, (s.part / longest) * room)} height={row - 10} fill={stallColour(s.name)} rx={1.5} />
                <text x={left + Math.max(1, (s.part / longest) * room) + 7} y={row / 2} dy="0.33em" class="small">{modelled(share(s.part))}</text>
              </g>
            ))}
          </>
        );
      }}
    </Picture>
  );
}
