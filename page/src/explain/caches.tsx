// A working set that is read several times: which level of memory has its sectors, and the levels by size.
import { bytes, count, share } from '../format/numbers';
import { Picture } from '../picture/picture';
import { colour } from '../theme/colours';
import { tint, useHatches } from '../drawings/shared/marks';
import type { CachesAnswer } from './answers';

const rowHeight = 30;

interface Found {
  l1: number;
  l2: number;
  dram: number;
}
/** Shares of the pass's sectors. Sectors that L1 does not look for are L2's. */
function foundIn(pass: CachesAnswer['passes'][number]): Found {
  const all = Math.max(1, pass.l1_sectors || pass.l2_sectors);
  const l1 = pass.l1_hits / all;
  const l2 = pass.l2_hits / all;
  return { l1, l2, dram: Math.max(0, 1 - l1 - l2) };
}

export function CachesDrawing({ answer }: { answer: CachesAnswer }) {
  const { fill, definitions } = useHatches({ l2: { hue: 'green', style: 'rising', ground: 35 }, dram: { hue: 'blue', style: 'dots', ground: 30 } });
  const last = answer.passes.at(-1);
  const said = answer.not_run
    ? `The model cannot run: ${answer.not_run}.`
    : `${bytes(answer.size)} read ${answer.passes.length} times: ${last ? `in the last pass ${(['l1', 'l2', 'dram'] as const).filter((level) => foundIn(last)[level] > 0.0005).map((level) => `${share(foundIn(last)[level])} ${level === 'dram' ? 'come from DRAM' : `are in ${level.toUpperCase()}`}`).join(', ')}; a load takes ~${count(Math.round(last.mean_latency_cycles))} cycles.` : ''}`;
  const levels = answer.levels.filter((level) => level.bytes !== null);
  return (
    <>
      <Picture title={`Where ${answer.device} finds the data`} subtitle={said} maxWidth={980} height={answer.passes.length * rowHeight + 4}
        alternative={`${said} ${answer.passes.map((pass, i) => `Pass ${i + 1}: L1 ${share(foundIn(pass).l1)}, L2 ${share(foundIn(pass).l2)}, DRAM ${share(foundIn(pass).dram)}, ${count(Math.round(pass.mean_latency_cycles))} cycles a load`).join('. ')}.`}
        legend={[
          { label: 'in L1', colour: tint('orange', 60) },
          { label: 'in L2 (hatched)', colour: tint('green', 60) },
          { label: 'from DRAM (dotted)', colour: tint('blue', 60) },
        ]}
        note={`~ Modelled: each multiprocessor waits for a warp's load before it issues the next; caches are cold at first.${answer.past_l1 ? ' Global loads of this device pass by L1.' : ` L1 has ${bytes(answer.l1_data_bytes)} for data; shared memory has the rest.`}`}
        table={() => ({ columns: ['Pass', 'L1 sectors', 'L1 hits', 'L2 sectors', 'L2 hits', 'From DRAM', 'Row hits', 'Row misses', 'Cycles a load'], rows: answer.passes.map((p, i) => [i + 1, p.l1_sectors, p.l1_hits, p.l2_sectors, p.l2_hits, bytes(p.dram_bytes), p.row_hits, p.row_misses, p.mean_latency_cycles.toFixed(1)]) })}>
        {({ width }) => {
          const left = width < 560 ? 26 : 58;
          const right = width < 560 ? 66 : 130;
          const inner = width - left - right;
          return (
            <>
              {definitions}
              {answer.passes.map((pass, i) => {
                const found = foundIn(pass);
                const y = i * rowHeight + 2;
                let x = left;
                return (
                  <g>
                    <text x={left - 8} y={y + 17} text-anchor="end" class="small muted">{width < 560 ? '' : 'pass '}{i + 1}</text>
                    {(['l1', 'l2', 'dram'] as const).map((level) => {
                      const wide = found[level] * inner;
                      const at = x;
                      x += wide;
                      const label = `${level === 'dram' ? 'DRAM' : level.toUpperCase()} ${share(found[level])}`;
                      return wide > 0.3 && (
                        <g data-tip={`Pass ${i + 1}: ${label} of the sectors`}>
                          <rect x={at} y={y} width={wide} height={rowHeight - 6} fill={level === 'l1' ? tint('orange', 60) : fill(level)} stroke={colour('paper')} />
                          {wide > label.length * 7 && <text x={at + wide / 2} y={y + 16} text-anchor="middle" class="small" style={{ paintOrder: 'stroke', stroke: colour('paper'), strokeWidth: '3px' }}>{label}</text>}
                        </g>
                      );
                    })}
                    <text x={width - right + 10} y={y + 17} class="small">~{count(Math.round(pass.mean_latency_cycles))}{width < 560 ? ' cyc.' : ' cycles a load'}</text>
                  </g>
                );
              })}
            </>
          );
        }}
      </Picture>
      <LevelsDrawing levels={levels} size={answer.size} device={answer.device} />
    </>
  );
}

/** Sizes on a scale of powers of two, with the working set across them. */
function LevelsDrawing({ levels, size, device }: { levels: CachesAnswer['levels']; size: number; device: string }) {
  const logs = levels.map((level) => Math.log2(level.bytes ?? 1));
  const least = Math.floor(Math.min(...logs, Math.log2(size))) - 1;
  const most = Math.ceil(Math.max(...logs));
  const latency = (level: CachesAnswer['levels'][number]): string => (level.latency_cycles === null ? '' : `${count(level.latency_cycles)} cycles${level.far_latency_cycles ? `, far ${count(level.far_latency_cycles)}` : ''}`);
  const text = levels.map((level) => `${level.name}: ${bytes(level.bytes ?? 0)} ${level.of === 'device' ? 'on the device' : 'a multiprocessor'}${latency(level) ? `, ${latency(level)}` : ''}`).join('; ');
  return (
    <Picture title="The levels of memory by size" subtitle={`On a scale of powers of two; the line is the working set of ${bytes(size)}.`} alternative={`${device}. ${text}.`} maxWidth={980} height={levels.length * rowHeight + 26}
      table={() => ({ columns: ['Level', 'Of a', 'Size', 'Line', 'Latency'], rows: levels.map((level) => [level.name, level.of, bytes(level.bytes ?? 0), level.line_bytes ? bytes(level.line_bytes) : '-', latency(level) || '-']) })}>
      {({ width }) => {
        const left = width < 560 ? 64 : 168;
        const right = width < 560 ? 8 : 150;
        const inner = width - left - right;
        const x = (log: number) => left + ((log - least) / (most - least)) * inner;
        return (
          <>
            {levels.map((level, i) => (
              <g data-tip={`${level.name}\n${bytes(level.bytes ?? 0)} ${level.of === 'device' ? 'on the device' : 'in each multiprocessor'}\n${latency(level)}`}>
                <text x={left - 8} y={i * rowHeight + 17} text-anchor="end" class="small">{width < 560 ? level.name.split(',')[0] : level.name}</text>
                <rect x={left} y={i * rowHeight + 3} width={Math.max(1, x(logs[i] ?? 0) - left)} height={rowHeight - 9} rx={2} fill={tint(level.of === 'device' ? 'blue' : 'orange', 45)} />
                <text x={left + 6} y={i * rowHeight + 17} class="small">{bytes(level.bytes ?? 0)}</text>
                {width >= 560 && <text x={width - right + 10} y={i * rowHeight + 17} class="small muted">{latency(level)}</text>}
              </g>
            ))}
            <line x1={x(Math.log2(size))} x2={x(Math.log2(size))} y1={0} y2={levels.length * rowHeight} stroke={colour('ink')} stroke-width={1.5} stroke-dasharray="5 3" />
            <text x={x(Math.log2(size))} y={levels.length * rowHeight + 14} text-anchor="middle" class="small bold">{bytes(size)}</text>
          </>
        );
      }}
    </Picture>
  );
}
