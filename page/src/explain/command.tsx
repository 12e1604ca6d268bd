// The command that a terminal takes for what the page shows, to copy.
import { useEffect, useRef, useState } from 'preact/hooks';

export function CommandLine({ command }: { command: string }) {
  const [copied, setCopied] = useState(false);
  const code = useRef<HTMLElement>(null);
  useEffect(() => setCopied(false), [command]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(command);
      setCopied(true);
    } catch {
      // A page opened from disk may not write the clipboard: the text is selected, and the keyboard copies it.
      const range = document.createRange();
      if (code.current) range.selectNodeContents(code.current);
      getSelection()?.removeAllRanges();
      getSelection()?.addRange(range);
    }
  };
  return (
    <div class="command">
      <code ref={code}>{command}</code>
      <button type="button" class="button" onClick={() => void copy()} aria-live="polite">{copied ? 'Copied' : 'Copy'}</button>
    </div>
  );
}
