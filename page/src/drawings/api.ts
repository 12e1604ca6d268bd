// What the page asks of drawings: Preact components whose properties are parts of the document. index.ts of this folder exports
// them under these names. The page decides where they stand; a drawing decides what it shows, inside picture/picture.tsx's frame.
import type { ComponentType } from 'preact';
import type { Access, Device, Instruction, Kernel, Profile, ReportDocument } from '../data';

/** A recorded access of one warp: lanes onto sectors and lines (global, local) or onto banks (shared). */
export interface AccessDrawingProps {
  access: Access;
  instruction: Instruction | undefined;
  device: Device;
}

/** A block's threads cut into warps. */
export interface BlockDrawingProps {
  block: [number, number, number];
  device: Device;
}

/** Every drawing of what happened in the kernel's drawn launch, as sections with headings of level 3: divergence, a reduction's
 *  rounds, warps of a block, SM slots, warps over cycles, DRAM. One that has nothing to show says why in a sentence. */
export interface KernelDrawingsProps {
  document: ReportDocument;
  profile: Profile;
  kernel: Kernel;
}

export interface Drawings {
  AccessDrawing: ComponentType<AccessDrawingProps>;
  BlockDrawing: ComponentType<BlockDrawingProps>;
  KernelDrawings: ComponentType<KernelDrawingsProps>;
}
