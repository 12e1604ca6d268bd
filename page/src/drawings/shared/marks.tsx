// Fills that the drawings share: tints that ink can be read on, and hatchings, so that no meaning hangs on colour alone.
import { useId } from 'preact/hooks';
import { colour, type Hue } from '../../theme/colours';

/** A hue thinned by the paper. */
export const tint = (hue: Hue, percent = 30): string => `color-mix(in srgb, ${colour(hue)} ${percent}%, ${colour('paper')})`;

export type HatchStyle = 'rising' | 'falling' | 'crossed' | 'dots' | 'upright';

export interface HatchDefinition {
  hue: Hue;
  style: HatchStyle;
  /** Of the ground, in percent of the hue. */
  ground?: number;
}

const strokes: Record<Exclude<HatchStyle, 'dots'>, string> = {
  rising: 'M-1 1L1-1M0 6L6 0M5 7L7 5',
  falling: 'M-1 5L1 7M0 0L6 6M5-1L7 1',
  crossed: 'M0 6L6 0M0 0L6 6',
  upright: 'M1.5 0V6M4.5 0V6',
};

/** Hatchings of one picture: `fill(name)` for the attribute, `definitions` to put into the picture. */
export function useHatches<Name extends string>(hatches: Record<Name, HatchDefinition>): { fill: (name: Name) => string; definitions: preact.JSX.Element } {
  const id = useId();
  const idOf = (name: Name) => `pattern-${id}-${name}`.replace(/[^\w-]/g, '');
  const definitions = (
    <defs>
      {(Object.entries(hatches) as [Name, HatchDefinition][]).map(([name, { hue, style, ground = 12 }]) => (
        <pattern id={idOf(name)} width="6" height="6" patternUnits="userSpaceOnUse">
          <rect width="6" height="6" fill={tint(hue, ground)} />
          {style === 'dots'
            ? <circle cx="3" cy="3" r="1.3" fill={colour(hue)} />
            : <path d={strokes[style]} stroke={colour(hue)} stroke-width="1.1" stroke-opacity="0.65" fill="none" />}
        </pattern>
      ))}
    </defs>
  );
  return { fill: (name) => `url(#${idOf(name)})`, definitions };
}
