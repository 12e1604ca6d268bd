// One tooltip for the page: any element with data-tip shows it on hover and on focus. The first line is the heading.
let box: HTMLDivElement | null = null;

function hide(): void {
  if (box) box.hidden = true;
}

function show(target: Element, at: { x: number; y: number } | null): void {
  const text = target.getAttribute('data-tip');
  if (!text) return hide();
  if (!box) {
    box = document.createElement('div');
    box.className = 'tip';
    box.setAttribute('role', 'tooltip');
    document.body.append(box);
  }
  const [heading = '', ...rest] = text.split('\n');
  const strong = document.createElement('strong');
  strong.textContent = heading;
  box.replaceChildren(strong, ...rest.map((line) => {
    const row = document.createElement('div');
    row.textContent = line;
    return row;
  }));
  box.hidden = false;
  const rect = target.getBoundingClientRect();
  const { x, y } = at ?? { x: rect.left + Math.min(rect.width / 2, 40), y: rect.bottom };
  const gap = 12;
  const left = Math.max(8, Math.min(x + gap, innerWidth - box.offsetWidth - 8));
  const top = y + gap + box.offsetHeight > innerHeight - 8 ? Math.max(8, (at ? y : rect.top) - box.offsetHeight - gap) : y + gap;
  box.style.left = `${left}px`;
  box.style.top = `${top}px`;
}

const tipped = (event: Event): Element | null => (event.target instanceof Element ? event.target.closest('[data-tip]') : null);

export function installTips(): void {
  document.addEventListener('pointermove', (event) => {
    if (event.pointerType === 'touch') return;
    const target = tipped(event);
    if (target) show(target, { x: event.clientX, y: event.clientY });
    else hide();
  }, { passive: true });
  document.addEventListener('pointerleave', hide);
  document.addEventListener('click', (event) => {
    const target = tipped(event);
    if (target) show(target, { x: event.clientX, y: event.clientY });
    else hide();
  });
  document.addEventListener('focusin', (event) => {
    const target = tipped(event);
    if (target && target.matches(':focus-visible')) show(target, null);
    else hide();
  });
  document.addEventListener('focusout', hide);
  document.addEventListener('keydown', (event) => event.key === 'Escape' && hide());
  addEventListener('scroll', hide, { passive: true, capture: true });
}
