// The one engine of the page; it starts when the first picture asks for it.
import { useEffect, useState } from 'preact/hooks';
import packed from '../../wasm/explain.wasm.gz';
import { createEngine, type Engine, unpack } from './engine';

let started: Promise<Engine> | null = null;
const start = async (): Promise<Engine> => createEngine(await unpack(Uint8Array.from(atob(packed), (c) => c.charCodeAt(0))));

export type EngineState = { engine: Engine } | { failed: string } | null;

/** null until it runs. */
export function useEngine(): EngineState {
  const [state, setState] = useState<EngineState>(null);
  useEffect(() => {
    let shown = true;
    started ??= start();
    started.then(
      (engine) => shown && setState({ engine }),
      (reason: unknown) => shown && setState({ failed: String(reason) }),
    );
    return () => void (shown = false);
  }, []);
  return state;
}
