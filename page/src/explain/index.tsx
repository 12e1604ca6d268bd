// The page of `drywarp explain ... --html`: what the command drew, with inputs that the reader moves. The engine that counts
// kernels answers them; the address keeps them.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ThemeButton } from '../app/theme';
import type { Device, Explanation, ReportDocument } from '../data';
import { CommandLine } from './command';
import type { Engine, EngineProblem } from './engine';
import { Fields } from './fields';
import { FixedAnswer } from './fixed';
import { pictures } from './pictures';
import { commandOf, fromInput, hashOf, initialOf, questionOf, readHash, topics, type FieldValue, type Topic, type Values } from './topics';
import { useEngine } from './use_engine';
import '../app/app.css';
import './explain.css';

interface State {
  topic: Topic;
  values: Values;
}

function stateOf({ topic, input, device, result }: Explanation): State | null {
  const state = fromInput(topic, input, hasNumbers(device));
  // The command knows other names of the reductions; its answer has the first.
  if (state?.topic.id === 'reduction' && typeof result['reduction'] === 'string') state.values['reduction'] = result['reduction'];
  return state;
}
const hasNumbers = (device: Device | null | undefined): boolean => (device?.numbers?.length ?? 0) > 0;

function firstState(explanations: readonly Explanation[]): State {
  const [first] = topics;
  for (const explanation of explanations) {
    const state = stateOf(explanation);
    if (state) return state;
  }
  return { topic: first as Topic, values: initialOf(first as Topic) };
}

export function ExplainPage({ document: report }: { document: ReportDocument }) {
  const explanations = report.explain ?? [];
  const fixed = explanations.filter((explanation) => !stateOf(explanation));
  const device = explanations.find((explanation) => explanation.device)?.device ?? null;
  const [state, setState] = useState<State | null>(() => readHash(location.hash) ?? (fixed.length > 0 && fixed.length === explanations.length ? null : firstState(explanations)));
  const own = useRef(location.hash);
  useEffect(() => {
    const follow = () => {
      if (location.hash === own.current) return;
      own.current = location.hash;
      const read = readHash(location.hash);
      if (read) setState(read);
    };
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  useEffect(() => {
    window.document.title = `${state?.topic.title ?? explanations[0]?.title ?? 'explain'} - drywarp`;
    if (!state) return;
    own.current = hashOf(state.topic, state.values);
    history.replaceState(null, '', own.current);
  }, [state]);
  const choose = (topic: Topic) => setState({ topic, values: (explanations.map(stateOf).find((given) => given?.topic === topic) ?? { values: initialOf(topic) }).values });
  return (
    <>
      <header class="top">
        <span class="brand">drywarp</span>
        <span class="top-title">explain</span>
        <span class="top-device">{device?.name}</span>
        <ThemeButton />
      </header>
      <main class="content" id="main">
        <nav class="explain-topics" aria-label="Topics">
          {fixed.map((explanation) => <a href="#" aria-current={state === null ? 'page' : undefined} onClick={(event) => { event.preventDefault(); setState(null); }}>{explanation.title}</a>)}
          {topics.filter((topic) => !topic.ofDevice || hasNumbers(device)).map((topic) => (
            <a href={`#${topic.id}`} aria-current={state?.topic === topic ? 'page' : undefined} onClick={(event) => { event.preventDefault(); choose(topic); }}>{topic.short}</a>
          ))}
        </nav>
        {state
          ? <Live key={state.topic.id} state={state} device={device} onValues={(values) => setState({ topic: state.topic, values })} />
          : fixed.map((explanation) => <section class="explain-fixed"><h1>{explanation.title}</h1><FixedAnswer result={explanation.result} /></section>)}
        <footer class="foot">drywarp {report.drywarp_version}. Answers come from the code that counts kernels, compiled into this page.</footer>
      </main>
    </>
  );
}

function Live({ state, device, onValues }: { state: State; device: Device | null; onValues: (values: Values) => void }) {
  const running = useEngine();
  const { topic, values } = state;
  const onChange = (key: string, value: FieldValue) => onValues({ ...values, [key]: value });
  return (
    <section>
      <h1>{topic.title}</h1>
      <p class="explain-lede">{topic.lede}</p>
      <div class="presets" role="group" aria-label="Examples">
        {topic.presets.map((preset) => {
          const all = { ...initialOf(topic), ...preset.values };
          return <button type="button" class="button" aria-pressed={hashOf(topic, all) === hashOf(topic, values)} onClick={() => onValues(all)}>{preset.label}</button>;
        })}
      </div>
      <CommandLine command={commandOf(topic, values, device?.id ?? null)} />
      {running && 'engine' in running
        ? <Answered state={state} device={device} engine={running.engine} onChange={onChange} />
        : <p class="loading">{running ? `The engine cannot run in this browser: ${running.failed}` : 'The engine starts.'}</p>}
    </section>
  );
}

function Answered({ state: { topic, values }, device, engine, onChange }: { state: State; device: Device | null; engine: Engine; onChange: (key: string, value: FieldValue) => void }) {
  const answer = useMemo(() => {
    const rules = device && { name: device.name, id: device.id, compute_capability: device.compute_capability, numbers: device.numbers };
    return engine.ask<unknown>({ ...questionOf(topic, values), ...(rules ? { device: rules } : {}) });
  }, [engine, topic, values, device]);
  // While an input is wrong, the last picture stays.
  const last = useRef<{ value: unknown; values: Values } | null>(null);
  if (answer.ok) last.current = { value: answer.value, values };
  const problem: EngineProblem | null = answer.ok ? null : answer.problem;
  const PictureOf = pictures[topic.id];
  return (
    <div class="explain-columns">
      <Fields topic={topic} values={values} problem={problem} onChange={onChange} />
      <div class={`explain-picture${problem ? ' stale' : ''}`}>
        {problem && last.current && <p class="notice">The picture is of the inputs before the error.</p>}
        {last.current && PictureOf && <PictureOf answer={last.current.value} values={last.current.values} engine={engine} onChange={onChange} />}
      </div>
    </div>
  );
}
