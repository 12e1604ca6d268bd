// What the page shows of a recorded run; api.ts says where.
import type { BlockDrawingProps, Drawings } from './api';
import { WarpsOfBlockDrawing } from './block/drawing';
import { KernelDrawings as All } from './kernel';
import { RecordedAccess } from './recorded_access';

export const AccessDrawing: Drawings['AccessDrawing'] = RecordedAccess;
export const BlockDrawing: Drawings['BlockDrawing'] = ({ block }: BlockDrawingProps) => <WarpsOfBlockDrawing block={block} />;
export const KernelDrawings: Drawings['KernelDrawings'] = All;
