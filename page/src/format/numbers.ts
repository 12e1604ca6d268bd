// Numbers for people, as drywarp's text reports print them (src/profile/report/model/numbers.cpp).
import type { MetricClass, Value } from '../data';

/** As printf: a tie goes to the even digit. */
function fixed(value: number, digits: number): string {
  const scale = 10 ** digits;
  const scaled = value * scale;
  const floor = Math.floor(scaled);
  if (scaled - floor === 0.5 && scaled / scale === value && floor % 2 === 0) return (floor / scale).toFixed(digits);
  return value.toFixed(digits);
}

function fourDigits(value: number): string {
  if (value >= 999.95) return fixed(value, 0);
  if (value >= 99.995) return fixed(value, 1);
  if (value >= 9.9995) return fixed(value, 2);
  return fixed(value, 3);
}

/** "9999", "1.234M", "0.5000", "12.35G" */
export function count(value: number): string {
  if (value < 0) return '-' + count(-value);
  if (value < 10000) return Number.isInteger(value) ? fixed(value, 0) : fourDigits(value);
  const suffixes = ['k', 'M', 'G', 'T', 'P', 'E'];
  let i = 0;
  for (value /= 1000; value >= 999.95 && i + 1 < suffixes.length; ++i) value /= 1000;
  return fourDigits(value) + suffixes[i];
}

/** "512 B", "4.000 KB"; 1 KB = 1024 B, as nvprof's */
export function bytes(value: number): string {
  if (value < 1024) return `${fixed(value, 0)} B`;
  const suffixes = ['KB', 'MB', 'GB', 'TB', 'PB'];
  let i = 0;
  for (value /= 1024; value >= 1023.95 && i + 1 < suffixes.length; ++i) value /= 1024;
  return `${fourDigits(value)} ${suffixes[i]}`;
}

/** "1.50 us", "21.3 ms" */
export function seconds(value: number): string {
  if (value === 0) return '0 s';
  const three = (v: number) => fixed(v, v >= 99.95 ? 0 : v >= 9.995 ? 1 : 2);
  if (value < 1e-6) return `${three(value * 1e9)} ns`;
  if (value < 1e-3) return `${three(value * 1e6)} us`;
  if (value < 1) return `${three(value * 1e3)} ms`;
  return `${three(value)} s`;
}

export const percent = (value: number): string => `${fixed(value, 2)} %`;

/** A share, 0 to 1, with the digits that a glance needs: "93 %", "4.2 %", "0.3 %" */
export function share(value: number): string {
  const pct = value * 100;
  if (pct === 0) return '0 %';
  if (pct >= 9.95) return `${fixed(pct, 0)} %`;
  if (pct >= 0.05) return `${fixed(pct, 1)} %`;
  return pct < 0.005 ? '<0.01 %' : `${fixed(pct, 2)} %`;
}

/** "106.8 GB/s" of 1.068e11 "B/s" */
export function rate(value: number, unit: string): string {
  const prefixes = ['', 'k', 'M', 'G', 'T', 'P'];
  let i = 0;
  for (; value >= 999.95 && i + 1 < prefixes.length; ++i) value /= 1000;
  return `${fourDigits(value)} ${prefixes[i]}${unit}`;
}

const uncounted = new Set(['', '%', 'inst', 'flop', 'ns', 'us', 'ms', 'hz']);

/** "sector" for 1, "sectors" otherwise, "sectors/request" */
export function unitFor(value: number, unit: string): string {
  const slash = unit.includes('/') ? unit.indexOf('/') : unit.length;
  const counted = unit.slice(0, slash);
  if (uncounted.has(counted) || value === 1) return unit;
  return plural(counted) + unit.slice(slash);
}

export function plural(noun: string): string {
  return /(s|x|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`;
}

/** "1 launch", "3 launches" */
export const counted = (n: number, noun: string): string => `${count(n)} ${n === 1 ? noun : plural(noun)}`;

/** A value with its unit: "56.25 %", "20.0 us", "106.8 GB/s", "4 sectors/request". No value: "-". */
export function quantity(value: Value | undefined, unit: string): string {
  if (value === null || value === undefined) return '-';
  if (unit === '%') return percent(value);
  if (unit === 'byte') return bytes(value);
  if (unit === 'ns') return seconds(value * 1e-9);
  if (unit === 'us') return seconds(value * 1e-6);
  if (unit === 's') return seconds(value);
  if (unit === 'byte/s') return rate(value, 'B/s');
  return `${count(value)} ${unitFor(value, unit)}`.trim();
}

/** The same, with `~` before what the model says. */
export function classed(value: Value | undefined, unit: string, klass: MetricClass): string {
  const text = quantity(value, unit);
  return klass === 'modelled' && text !== '-' ? `~${text}` : text;
}

/** Modelled numbers carry a `~`. */
export const modelled = (text: string): string => (text.startsWith('<') ? text : `~${text}`);

/** "4.49x" */
export const factor = (value: number): string => `${fixed(value, 2)}x`;

/** All digits */
export const full = (value: Value | undefined): string => (value === null || value === undefined ? '' : String(value));

export const dimensions = (d: readonly number[]): string => {
  const used = d[2] !== 1 ? 3 : d[1] !== 1 ? 2 : 1;
  return d.slice(0, used).join('x');
};
