// Which colour stands for what, in every picture. The colours themselves are in tokens.css.

export const hues = ['blue', 'sky', 'navy', 'teal', 'green', 'yellow', 'orange', 'red', 'purple', 'pink', 'brown', 'grey'] as const;
export type Hue = (typeof hues)[number] | 'faint' | 'ink' | 'muted' | 'accent' | 'paper' | 'good' | 'bad' | 'rule' | 'rule-strong' | 'raised' | 'sunk';

/** A colour as an SVG attribute takes it. */
export const colour = (hue: Hue): string => `var(--${hue})`;

/** Neighbours in this order differ in hue and in lightness, for any kind of colour vision. */
export const categories: readonly Hue[] = ['blue', 'orange', 'green', 'pink', 'sky', 'red', 'purple', 'yellow', 'teal', 'brown', 'navy', 'grey'];
export const category = (index: number): string => colour(categories[index % categories.length] ?? 'grey');

const stallHues: Record<string, Hue> = {
  selected: 'green',
  not_selected: 'yellow',
  wait: 'grey',
  long_scoreboard: 'blue',
  short_scoreboard: 'sky',
  lg_throttle: 'navy',
  mio_throttle: 'teal',
  tex_throttle: 'teal',
  barrier: 'red',
  membar: 'pink',
  math_pipe_throttle: 'orange',
  branch_resolving: 'purple',
  imc_miss: 'brown',
  no_instruction: 'brown',
  drain: 'pink',
  sleeping: 'faint',
  dispatch_stall: 'purple',
  misc: 'faint',
};
export const stallColour = (stall: string): string => colour(stallHues[stall] ?? 'faint');

const limiterHues: Record<string, Hue> = { memory: 'blue', compute: 'orange', balanced: 'purple', latency: 'green', small_grid: 'pink' };
export const limiterColour = (kind: string | undefined): string => colour((kind && limiterHues[kind]) || 'grey');

const levelHues: Record<string, Hue> = { l1: 'orange', l2: 'green', dram: 'blue', shared: 'pink' };
export const levelColour = (level: string): string => colour(levelHues[level] ?? 'grey');

const transferHues: Record<string, Hue> = { HtoD: 'brown', DtoH: 'navy', DtoD: 'teal', HtoH: 'grey', memset: 'grey' };
export const transferColour = (kind: string): string => colour(transferHues[kind] ?? 'grey');

/** The step of heat, 0 to 8, of a share from 0 to 1. The square root keeps small shares visible. */
export function heatStep(share: number): number {
  if (!(share > 0)) return 0;
  return Math.min(8, Math.max(1, Math.ceil(Math.sqrt(share) * 8)));
}
