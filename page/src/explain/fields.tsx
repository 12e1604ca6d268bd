// The inputs of a topic, and beside each what is wrong with it.
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import type { EngineProblem } from './engine';
import { dimsText, type Field, type FieldValue, readDims, type Topic, type Values } from './topics';

export interface FieldsProps {
  topic: Topic;
  values: Values;
  problem: EngineProblem | null;
  onChange: (key: string, value: FieldValue) => void;
}

/** The field whose text the problem is in; null: the problem is of no one field. */
export function fieldOf(topic: Topic, values: Values, problem: EngineProblem | null): Field | null {
  if (!problem?.where) return null;
  const key = problem.where.replace(/^--/, '').replaceAll('-', '_');
  const named = topic.fields.find((field) => field.key === key);
  if (named) return named;
  if (topic.id === 'divergence' && key === values['branch']) return topic.fields.find((field) => field.key === 'expression') ?? null;
  return topic.fields.find((field) => field.key === 'let') ?? null;
}

export function Fields({ topic, values, problem, onChange }: FieldsProps) {
  const wrong = fieldOf(topic, values, problem);
  const shown = topic.fields.filter((field) => !field.when || field.when(values));
  const input = (field: Field) => (
    <Input key={`${topic.id} ${field.key}`} field={field} value={values[field.key] ?? field.initial} problem={wrong === field ? problem : null} onChange={(value) => onChange(field.key, value)} />
  );
  const rare = shown.filter((field) => field.rare);
  const used = rare.some((field) => field === wrong || JSON.stringify(values[field.key]) !== JSON.stringify(field.initial));
  return (
    <div class="inputs">
      {problem && !wrong && <Problem problem={problem} text={null} id="problem" />}
      {shown.filter((field) => !field.rare).map(input)}
      {rare.length > 0 && (
        <details class="more" open={used}>
          <summary>More inputs</summary>
          <div class="inputs">{rare.map(input)}</div>
        </details>
      )}
    </div>
  );
}

function Input({ field, value, problem, onChange }: { field: Field; value: FieldValue; problem: EngineProblem | null; onChange: (value: FieldValue) => void }) {
  const id = useId();
  const described = { 'aria-invalid': problem !== null, 'aria-describedby': problem ? `${id}e` : field.help ? `${id}h` : undefined };
  const frame = (control: ComponentChildren) => (
    <div class={`input input-${field.kind}${problem ? ' input-wrong' : ''}`}>
      <label for={id}>{field.label}</label>
      {control}
      {problem ? <Problem problem={problem} text={Array.isArray(value) ? null : String(value)} id={`${id}e`} /> : field.help && <small id={`${id}h`}>{field.help}</small>}
    </div>
  );
  switch (field.kind) {
    case 'choice':
      return frame(
        <select id={id} value={String(value)} {...described} onChange={(event) => onChange(typeof field.initial === 'number' ? Number(event.currentTarget.value) : event.currentTarget.value)}>
          {field.choices?.map((one) => <option value={String(one.value)}>{one.label}</option>)}
        </select>,
      );
    case 'number': {
      const [least, most, step = 1] = field.range ?? [0, 100];
      const read = (event: Event) => {
        const now = (event.currentTarget as HTMLInputElement).valueAsNumber;
        if (Number.isFinite(now)) onChange(now);
      };
      return frame(
        <span class="slider">
          <input type="range" min={least} max={most} step={step} value={Number(value)} aria-label={`${field.label}, slider`} onInput={read} />
          <input id={id} type="number" step="any" value={Number(value)} {...described} onInput={read} />
        </span>,
      );
    }
    case 'dims':
      return frame(<TextInput id={id} text={dimsText(value as number[])} mono described={described} onText={(text) => { const dims = readDims(text); if (dims) onChange(dims); return dims !== null; }} />);
    case 'list':
      return frame(<TextInput id={id} text={(value as string[]).join(', ')} mono placeholder={field.placeholder} described={described} onText={(text) => { onChange(text.split(',').map((one) => one.trim()).filter(Boolean)); return true; }} />);
    default:
      return frame(<TextInput id={id} text={String(value)} mono placeholder={field.placeholder} described={described} onText={(text) => { onChange(text); return true; }} />);
  }
}

/** Keeps what is typed while it cannot be read. */
function TextInput({ id, text, mono, placeholder, described, onText }: { id: string; text: string; mono: boolean; placeholder?: string | undefined; described: object; onText: (text: string) => boolean }) {
  const [typed, setTyped] = useState<string | null>(null);
  useEffect(() => setTyped(null), [text]);
  return (
    <input id={id} type="text" class={mono ? 'mono' : ''} value={typed ?? text} placeholder={placeholder} spellcheck={false} autocomplete="off" autocapitalize="off" {...described}
      onInput={(event) => {
        const now = event.currentTarget.value;
        setTyped(now);
        onText(now);
      }}
      onBlur={() => setTyped(null)} />
  );
}

/** The message, and a mark below the wrong character. */
function Problem({ problem, text, id }: { problem: EngineProblem; text: string | null; id: string }) {
  const hint = problem.hint.startsWith('in: ') ? '' : problem.hint;
  return (
    <div class="problem" id={id} role="alert">
      {problem.column !== null && text !== null && <pre aria-hidden="true">{`${text}\n${' '.repeat(problem.column - 1)}^`}</pre>}
      <strong>{problem.message}</strong>{problem.column !== null && ` (column ${problem.column}${text === null ? ` of ${problem.where}` : ''})`}
      {hint && <div>{hint}</div>}
    </div>
  );
}
