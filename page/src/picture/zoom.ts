// Zooming and panning: wheel with Ctrl or Command, pinch, drag, and the keys + - 0 and arrows.
import { select } from 'd3-selection';
import { type D3ZoomEvent, type ZoomTransform, zoom, zoomIdentity } from 'd3-zoom';
import type { RefObject } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

export interface Zoom {
  transform: ZoomTransform;
  by: (factor: number) => void;
  pan: (pixels: number, vertical?: number) => void;
  reset: () => void;
  set: (transform: ZoomTransform) => void;
  onKeyDown: (event: KeyboardEvent) => void;
}

export function useZoom(ref: RefObject<SVGElement | null>, width: number, height: number, most: number): Zoom {
  const [transform, setTransform] = useState<ZoomTransform>(zoomIdentity);
  const behaviour = useRef(
    zoom<SVGElement, unknown>()
      .filter((event: Event) => (event.type === 'wheel' ? (event as WheelEvent).ctrlKey || (event as WheelEvent).metaKey : !(event as MouseEvent).button))
      .on('zoom', (event: D3ZoomEvent<SVGElement, unknown>) => setTransform(event.transform)),
  ).current;
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    behaviour.extent([[0, 0], [width, height]]).translateExtent([[0, 0], [width, height]]).scaleExtent([1, most]);
    const selection = select(element);
    selection.call(behaviour);
    selection.style('touch-action', 'pan-y');
    return () => void selection.on('.zoom', null);
  }, [ref, width, height, most, behaviour]);
  return useMemo(() => {
    const run = (action: (selection: ReturnType<typeof select<SVGElement, unknown>>) => void) => {
      if (ref.current) action(select<SVGElement, unknown>(ref.current));
    };
    const by = (factor: number) => run((s) => behaviour.scaleBy(s, factor));
    const pan = (x: number, y = 0) => run((s) => behaviour.translateBy(s, x / transform.k, y / transform.k));
    const set = (to: ZoomTransform) => run((s) => behaviour.transform(s, to));
    const reset = () => set(zoomIdentity);
    const keys: Record<string, () => void> = {
      '+': () => by(1.5),
      '=': () => by(1.5),
      '-': () => by(1 / 1.5),
      '0': reset,
      ArrowLeft: () => pan(80),
      ArrowRight: () => pan(-80),
    };
    const onKeyDown = (event: KeyboardEvent) => {
      const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    };
    return { transform, by, pan, reset, set, onKeyDown };
  }, [transform, ref, behaviour]);
}
