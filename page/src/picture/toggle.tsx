/** One choice of a few, as buttons side by side. */
export function Toggle<T extends string>(props: { label: string; choices: { value: T; text: string }[]; value: T; set: (value: T) => void }) {
  return (
    <div class="toggle" role="group" aria-label={props.label}>
      {props.choices.map((choice) => (
        <button type="button" aria-pressed={choice.value === props.value} onClick={() => props.set(choice.value)}>{choice.text}</button>
      ))}
    </div>
  );
}
