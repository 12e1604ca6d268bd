import type { ComparedKernel } from '../../data';

/** The largest difference in time to the first profile, in seconds; a kernel that a profile lacks counts with all its time. */
export function differenceOf(kernel: ComparedKernel): number {
  const before = kernel.seconds?.values[0] ?? 0;
  return (kernel.seconds?.values ?? []).slice(1).reduce<number>((most, value, i) => (kernel.seconds?.judgements[i + 1] === 'same' ? most : Math.max(most, Math.abs((value ?? 0) - before))), 0);
}

export const nameOf = (kernel: ComparedKernel): string => kernel.kernels.find((k) => k !== null)?.name ?? '';
