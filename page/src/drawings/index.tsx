// What the page shows of a recorded run; api.ts says where.
import type { AccessDrawingProps, BlockDrawingProps, Drawings } from './api';
import { SectorsDrawing } from './access/drawing';
import { RecordedBanks } from './banks/recorded';
import { WarpsOfBlockDrawing } from './block/drawing';
import { KernelDrawings as All } from './kernel';

function RecordedAccess({ access, instruction, device }: AccessDrawingProps) {
  const where = instruction ? `line ${instruction.line}: ` : '';
  const title = `${where[0]?.toUpperCase() ?? ''}${where.slice(1)}${access.memory} ${access.kind} of ${access.bytes} ${access.bytes === 1 ? 'byte' : 'bytes'} a lane, warp ${access.warp} of block ${Array.isArray(access.block) ? access.block.join(', ') : access.block}`;
  if (access.memory === 'shared') return <RecordedBanks access={access} device={device} title={title} />;
  return <SectorsDrawing title={title} lanes={access.lanes} addresses={access.addresses} bytes={access.bytes} sectors={access.sectors ?? 0} />;
}

export const AccessDrawing: Drawings['AccessDrawing'] = RecordedAccess;
export const BlockDrawing: Drawings['BlockDrawing'] = ({ block }: BlockDrawingProps) => <WarpsOfBlockDrawing block={block} />;
export const KernelDrawings: Drawings['KernelDrawings'] = All;
