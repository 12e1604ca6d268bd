// Light, dark, or as the system has it. The choice is kept if the browser lets us.
import { useEffect, useState } from 'preact/hooks';

type Choice = 'system' | 'light' | 'dark';
const order: Choice[] = ['system', 'light', 'dark'];
const store = 'drywarp-theme';

function stored(): Choice {
  try {
    const choice = localStorage.getItem(store);
    return choice === 'light' || choice === 'dark' ? choice : 'system';
  } catch {
    return 'system';
  }
}

export function ThemeButton() {
  const [choice, setChoice] = useState<Choice>(stored);
  useEffect(() => {
    if (choice === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = choice;
    try {
      localStorage.setItem(store, choice);
    } catch {
      // A file opened from disk may have no storage: the choice then lasts as long as the page.
    }
  }, [choice]);
  const next = order[(order.indexOf(choice) + 1) % order.length] ?? 'system';
  return (
    <button type="button" class="theme" onClick={() => setChoice(next)} aria-label={`Colours: ${choice}. Change to ${next}`} data-tip={`Colours: ${choice}`}>
      <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
        {choice === 'light' && <g stroke="currentColor" stroke-width="1.5" fill="none"><circle cx="8" cy="8" r="3" /><path d="M8 1v2M8 13v2M1 8h2M13 8h2M3 3l1.5 1.5M11.5 11.5 13 13M13 3l-1.5 1.5M4.5 11.5 3 13" /></g>}
        {choice === 'dark' && <path d="M13.5 10A6 6 0 0 1 6 2.5 6 6 0 1 0 13.5 10z" fill="currentColor" />}
        {choice === 'system' && <g><circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" stroke-width="1.5" /><path d="M8 2a6 6 0 0 1 0 12z" fill="currentColor" /></g>}
      </svg>
    </button>
  );
}
