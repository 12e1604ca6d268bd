// A recorded access of one warp, and the choice of one among a kernel's.
import { useState } from 'preact/hooks';
import type { Access, Device, Kernel } from '../data';
import { fileName } from '../format/names';
import { count } from '../format/numbers';
import { SectorsDrawing } from './access/drawing';
import type { AccessDrawingProps } from './api';
import { RecordedBanks } from './banks/recorded';

export function RecordedAccess({ access, instruction, device }: AccessDrawingProps) {
  const where = instruction ? `line ${instruction.line}: ` : '';
  const title = `${where[0]?.toUpperCase() ?? ''}${where.slice(1)}${access.memory} ${access.kind} of ${access.bytes} ${access.bytes === 1 ? 'byte' : 'bytes'} a lane, warp ${access.warp} of block ${Array.isArray(access.block) ? access.block.join(', ') : access.block}`;
  if (access.memory === 'shared') return <RecordedBanks access={access} device={device} title={title} />;
  return <SectorsDrawing title={title} lanes={access.lanes} addresses={access.addresses} bytes={access.bytes} sectors={access.sectors ?? 0} />;
}

const costOf = (access: Access): number => access.sectors ?? access.wavefronts ?? 0;
/** How many times the fewest sectors or wavefronts it takes. */
const excess = (access: Access): number => costOf(access) / Math.max(1, access.ideal);

/** The accesses to one kind of memory; the most wasteful is drawn first. */
export function AccessesDrawing({ accesses, kernel, device }: { accesses: Access[]; kernel: Kernel; device: Device }) {
  const ordered = [...accesses].sort((a, b) => excess(b) - excess(a) || costOf(b) - costOf(a));
  const [chosen, choose] = useState(0);
  const access = ordered[Math.min(chosen, ordered.length - 1)];
  if (!access) return null;
  const instruction = kernel.instructions[access.instruction];
  return (
    <>
      {ordered.length > 1 && (
        <label class="picture-controls">
          Access
          <select value={chosen} onChange={(event) => choose(Number(event.currentTarget.value))} style={{ maxWidth: '100%' }}>
            {ordered.map((one, i) => {
              const own = kernel.instructions[one.instruction];
              const unit = one.memory === 'shared' ? 'wavefronts' : 'sectors';
              return <option value={i}>{own ? `${fileName(own.file)}:${own.line} ` : ''}{one.kind} of {one.bytes} bytes: {count(costOf(one))} {unit}, {count(one.ideal)} at best</option>;
            })}
          </select>
        </label>
      )}
      <RecordedAccess key={chosen} access={access} instruction={instruction} device={device} />
    </>
  );
}
