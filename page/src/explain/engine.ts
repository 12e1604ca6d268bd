// drywarp's explain engine as WebAssembly: a question and its answer, both JSON (page/wasm/explain.cpp).

export interface EngineProblem {
  message: string;
  hint: string;
  /** The option or name whose text is wrong: "--index"; empty: none. */
  where: string;
  /** Of the character in that text, from 1. */
  column: number | null;
}

export type Answer<T> = { ok: true; value: T } | { ok: false; problem: EngineProblem };
export interface Question {
  topic: string;
  [key: string]: unknown;
}

export interface Engine {
  ask<T>(question: Question): Answer<T>;
}

interface Exports {
  memory: WebAssembly.Memory;
  _initialize(): void;
  question(bytes: number): number;
  explain(): number;
  answer(): number;
}

/** `bytes`: the engine's module. */
export async function createEngine(bytes: BufferSource): Promise<Engine> {
  const module = await WebAssembly.compile(bytes);
  // The C library names these for files and the environment, which the engine never uses.
  const imports: WebAssembly.Imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) (imports[from] ??= {})[name] = () => 8 /* bad file */;
  const instance = await WebAssembly.instantiate(module, imports);
  const engine = instance.exports as unknown as Exports;
  engine._initialize();
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  return {
    ask<T>(question: Question): Answer<T> {
      const text = encoder.encode(JSON.stringify(question));
      const at = engine.question(text.length);
      new Uint8Array(engine.memory.buffer, at, text.length).set(text);
      const length = engine.explain();
      const answer = JSON.parse(decoder.decode(new Uint8Array(engine.memory.buffer, engine.answer(), length))) as T & { error?: EngineProblem };
      return answer.error ? { ok: false, problem: answer.error } : { ok: true, value: answer };
    },
  };
}

/** Unpacks what gzip packed. */
export async function unpack(packed: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
}
