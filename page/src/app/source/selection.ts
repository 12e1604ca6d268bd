// What is chosen on the source page: a line, and perhaps one instruction of it.
import type { Instruction, Kernel } from '../../data';
import { fileName } from '../../format/names';

export interface Selection {
  file: string;
  line: number;
  /** Index into the kernel's instructions, or null: the whole line. */
  instruction: number | null;
}

/** "transpose.cu:43" or "transpose.cu:43:17" (instruction 17) */
export const placeOf = (s: Selection): string => `${fileName(s.file)}:${s.line}${s.instruction === null ? '' : `:${s.instruction}`}`;

export function selectionOf(place: string, kernel: Kernel): Selection | null {
  const match = /^(.*?):(\d+)(?::(\d+))?$/.exec(place);
  const files = [...kernel.lines, ...kernel.instructions].map((part) => part.file);
  if (match) {
    const file = files.find((f) => f === match[1] || fileName(f) === match[1]);
    if (file !== undefined) return { file, line: Number(match[2]), instruction: match[3] === undefined ? null : Number(match[3]) };
  }
  const first = kernel.lines.find((line) => line.file);
  return first ? { file: first.file, line: first.line, instruction: null } : null;
}

export const onLine = (part: { file: string; line: number }, s: Selection | null): boolean => s !== null && part.file === s.file && part.line === s.line;

export const ofInstruction = (instruction: Instruction, index: number): Selection => ({ file: instruction.file, line: instruction.line, instruction: index });
