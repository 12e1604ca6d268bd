// A recorded access to shared memory, with padding that a slider tries: the page's engine counts the wavefronts again.
import { useId, useMemo, useState } from 'preact/hooks';
import type { Access, Device } from '../../data';
import type { Engine } from '../../explain/engine';
import { useEngine } from '../../explain/use_engine';
import { colour } from '../../theme/colours';
import { tint } from '../shared/marks';
import { BanksDrawing } from './drawing';
import { laneStep, rowBytes } from './layout';
import { passesOf, turnsOf, type WarpBanks } from './passes';

const mostPadding = 32;

export function RecordedBanks({ access, device, title }: { access: Access & { op?: string | null }; device: Device; title: string }) {
  const state = useEngine();
  const id = useId();
  const banks = access.banks ?? { count: 32, word_bytes: 4 };
  const step = laneStep(access.lanes, access.addresses);
  const [row, setRow] = useState(() => rowBytes(step, banks));
  const [pad, setPad] = useState(0);
  const engine = state && 'engine' in state ? state.engine : null;

  const ask = (of: Engine, elements: number) =>
    of.ask<{ warp: WarpBanks }>({
      topic: 'recorded_banks',
      lanes: access.lanes,
      addresses: access.addresses.map((address) => address ?? 0),
      bytes: access.bytes,
      op: access.op ?? access.kind,
      row_bytes: row,
      pad_bytes: elements * access.bytes,
      device: { name: device.name, compute_capability: device.compute_capability, numbers: device.numbers.filter((n) => n.path.startsWith('shared.')) },
    });
  const tried = useMemo(() => {
    if (!engine) return null;
    const out: number[] = [];
    for (let elements = 0; elements <= mostPadding; ++elements) {
      const answer = ask(engine, elements);
      if (!answer.ok) return null;
      out.push(answer.value.warp.wavefronts);
    }
    return out;
  }, [engine, access, row]);
  const padded = useMemo(() => {
    if (!engine) return null;
    const answer = ask(engine, pad);
    return answer.ok ? answer.value.warp : null;
  }, [engine, access, row, pad]);

  const rows = [...new Set([64, 128, 256, 512, 1024, 2048, 4096, rowBytes(step, banks)])].sort((a, b) => a - b);
  return (
    <BanksDrawing title={title} lanes={access.lanes} banks={banks.count} passes={padded ? passesOf(padded) : (access.passes ?? [])} turns={padded ? turnsOf(padded) : undefined}
      wavefronts={padded?.wavefronts ?? access.wavefronts ?? 0} ideal={padded?.ideal_wavefronts ?? access.ideal}
      controls={tried && (access.wavefronts ?? 0) > access.ideal && (
        <>
          <label for={`${id}p`}>Try padding</label>
          <input id={`${id}p`} type="range" min={0} max={mostPadding} step={1} value={pad} aria-valuetext={`${pad} elements, ${tried[pad]} wavefronts`} onInput={(event) => setPad(event.currentTarget.valueAsNumber)} />
          <output for={`${id}p`} style={{ minWidth: '11em' }}>{pad === 0 ? 'as recorded' : `${pad} ${pad === 1 ? 'element' : 'elements'} (${pad * access.bytes} B)`}</output>
          <label for={`${id}r`}>after each row of</label>
          <select id={`${id}r`} value={row} onChange={(event) => setRow(Number(event.currentTarget.value))}>
            {rows.map((bytes) => <option value={bytes}>{bytes} B</option>)}
          </select>
          <PaddingBars tried={tried} pad={pad} onPick={setPad} />
        </>
      )} />
  );
}

/** Wavefronts by padding: the shortest bars are the paddings that help. */
export function PaddingBars({ tried, pad, onPick }: { tried: number[]; pad: number; onPick: (pad: number) => void }) {
  const most = Math.max(1, ...tried);
  const width = 8;
  const height = 34;
  return (
    <svg width={tried.length * width} height={height + 2} role="img" aria-label={`Wavefronts by padding: ${tried.map((n, i) => `${i}: ${n}`).join(', ')}`}>
      {tried.map((wavefronts, i) => {
        const tall = Math.max(2, (wavefronts / most) * height);
        return (
          <g data-tip={`Padding of ${i}: ${wavefronts} ${wavefronts === 1 ? 'wavefront' : 'wavefronts'}`} onClick={() => onPick(i)} style={{ cursor: 'pointer' }}>
            <rect x={i * width} y={0} width={width} height={height + 2} fill="transparent" />
            <rect x={i * width + 1} y={height - tall + 1} width={width - 2} height={tall} fill={i === pad ? colour('ink') : wavefronts === Math.min(...tried) ? colour('green') : tint('grey', 60)} />
          </g>
        );
      })}
    </svg>
  );
}
