// A disclosure whose contents are made when it is first opened.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

export function Lazy({ summary, children }: { summary: string; children: () => ComponentChildren }) {
  const [opened, setOpened] = useState(false);
  return (
    <details onToggle={(event) => event.currentTarget.open && setOpened(true)}>
      <summary>{summary}</summary>
      {opened && children()}
    </details>
  );
}
