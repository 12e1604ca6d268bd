// The part of a time span that a picture shows: buttons, keys, the wheel and a dragged range change it.
import { useMemo, useState } from 'preact/hooks';

export interface TimeView {
  from: number;
  to: number;
  whole: readonly [number, number];
  zoomed: boolean;
  /** Keeps the time `at` in its place; by default the middle. */
  zoom: (factor: number, at?: number) => void;
  /** By a share of what is shown. */
  pan: (share: number) => void;
  show: (from: number, to: number) => void;
  reset: () => void;
  onKeyDown: (event: KeyboardEvent) => void;
}

export function useTimeView(whole: readonly [number, number], least = 20): TimeView {
  const [from0, to0] = whole;
  const [shown, setShown] = useState<readonly [number, number]>(whole);
  return useMemo(() => {
    const span = Math.max(1e-9, to0 - from0);
    const [from, to] = shown[0] >= from0 && shown[1] <= to0 && shown[1] > shown[0] ? shown : [from0, to0];
    const show = (a: number, b: number) => {
      const wide = Math.min(span, Math.max(Math.min(least, span), b - a));
      const start = Math.min(Math.max((a + b - wide) / 2, from0), to0 - wide);
      setShown([start, start + wide]);
    };
    const zoom = (factor: number, at = (from + to) / 2) => show(at - (at - from) / factor, at + (to - at) / factor);
    const pan = (share: number) => show(from + share * (to - from), to + share * (to - from));
    const reset = () => setShown([from0, to0]);
    const keys: Record<string, () => void> = {
      '+': () => zoom(1.6),
      '=': () => zoom(1.6),
      '-': () => zoom(1 / 1.6),
      '0': reset,
      ArrowLeft: () => pan(-0.2),
      ArrowRight: () => pan(0.2),
      Home: () => show(from0, from0 + to - from),
      End: () => show(to0 - to + from, to0),
    };
    const onKeyDown = (event: KeyboardEvent) => {
      const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    };
    return { from, to, whole: [from0, to0], zoomed: to - from < span * 0.999, zoom, pan, show, reset, onKeyDown };
  }, [from0, to0, shown, least]);
}
