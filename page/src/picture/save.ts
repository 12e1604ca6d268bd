// Saves a picture by itself: an SVG that needs no style sheet, or a PNG of it.
import type { KeyEntry } from './picture';

export interface Caption {
  title: string;
  legend: KeyEntry[];
}

// What the page's style sheet may set, with the value that an SVG has anyway.
const presentation: [name: string, initial: string][] = [
  ['fill', 'rgb(0, 0, 0)'],
  ['fill-opacity', '1'],
  ['stroke', 'none'],
  ['stroke-width', '1px'],
  ['stroke-opacity', '1'],
  ['stroke-dasharray', 'none'],
  ['stroke-linecap', 'butt'],
  ['stroke-linejoin', 'miter'],
  ['opacity', '1'],
  ['font-size', ''],
  ['font-weight', '400'],
  ['font-family', ''],
  ['text-anchor', 'start'],
  ['dominant-baseline', 'auto'],
  ['paint-order', 'normal'],
  ['visibility', 'visible'],
];
const inherited = new Set(['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-opacity', 'stroke-dasharray', 'stroke-linecap',
  'stroke-linejoin', 'font-size', 'font-weight', 'font-family', 'text-anchor', 'dominant-baseline', 'paint-order', 'visibility']);
const namespace = 'http://www.w3.org/2000/svg';
const margin = 20;

let canvas: CanvasRenderingContext2D | null = null;
/** Any CSS colour as #rrggbb: readers of SVG know no color-mix(). */
function plainColour(value: string): string {
  if (!/^(color|oklab|oklch|lab|lch)/.test(value)) return value;
  canvas ??= document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  if (!canvas) return value;
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = value;
  canvas.fillRect(0, 0, 1, 1);
  const [r = 0, g = 0, b = 0] = canvas.getImageData(0, 0, 1, 1).data;
  return `rgb(${r}, ${g}, ${b})`;
}

function inlineStyle(from: Element, to: Element, parent: Map<string, string>): void {
  const style = getComputedStyle(from);
  if (style.display === 'none') {
    to.remove();
    return;
  }
  const own = new Map(parent);
  for (const [name, initial] of presentation) {
    const value = style.getPropertyValue(name);
    const above = inherited.has(name) ? (parent.get(name) ?? initial) : initial;
    own.set(name, value);
    if (value !== above) to.setAttribute(name, plainColour(value));
    else to.removeAttribute(name);
  }
  const tip = to.getAttribute('data-tip');
  for (const attribute of [...to.attributes])
    if (/^(class|style|tabindex|role|aria-.*|data-.*|id)$/.test(attribute.name) && !(attribute.name === 'id' && /^(clip|pattern|marker)/.test(attribute.value)))
      to.removeAttribute(attribute.name);
  const children = [...to.children];
  [...from.children].forEach((child, i) => {
    const copy = children[i];
    if (copy) inlineStyle(child, copy, own);
  });
  if (tip) {
    const title = document.createElementNS(namespace, 'title');
    title.textContent = tip;
    to.prepend(title);
  }
}

function element(name: string, attributes: Record<string, string | number>, text?: string): SVGElement {
  const made = document.createElementNS(namespace, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  if (text !== undefined) made.textContent = text;
  return made;
}

/** The picture with its title and key around it. */
export function standalone(svg: SVGSVGElement, caption: Caption): { text: string; width: number; height: number } {
  const page = getComputedStyle(document.documentElement);
  const resolve = (value: string): string => {
    const probe = document.createElement('span');
    probe.style.color = value;
    document.body.append(probe);
    const resolved = plainColour(getComputedStyle(probe).color);
    probe.remove();
    return resolved;
  };
  const inner = svg.cloneNode(true) as SVGSVGElement;
  inlineStyle(svg, inner, new Map());
  const width = svg.width.baseVal.value + 2 * margin;
  const family = page.getPropertyValue('--sans').trim();
  // Whose picture it is: kernel, program, device.
  const whose = document.title;
  const head = 52;

  // The key wraps below the picture.
  const rows: { entry: KeyEntry; x: number }[][] = [[]];
  let x = 0;
  const measure = document.createElement('canvas').getContext('2d');
  if (measure) measure.font = `12px ${family}`;
  for (const entry of caption.legend) {
    const needs = 20 + (measure?.measureText(entry.label).width ?? entry.label.length * 7) + 16;
    if (x + needs > width - 2 * margin && x > 0) {
      rows.push([]);
      x = 0;
    }
    rows.at(-1)?.push({ entry, x });
    x += needs;
  }
  const keyHeight = caption.legend.length ? rows.length * 20 + 8 : 0;
  const height = svg.height.baseVal.value + head + keyHeight + 2 * margin;

  const whole = element('svg', { xmlns: namespace, width, height, viewBox: `0 0 ${width} ${height}`, 'font-family': family, 'font-size': 12 });
  whole.append(element('title', {}, caption.title));
  whole.append(element('desc', {}, svg.getAttribute('aria-label') ?? ''));
  whole.append(element('rect', { width, height, fill: resolve('var(--paper)') }));
  whole.append(element('text', { x: margin, y: margin + 14, 'font-size': 15, 'font-weight': 650, fill: resolve('var(--ink)') }, caption.title));
  whole.append(element('text', { x: margin, y: margin + 33, fill: resolve('var(--muted)') }, whose));
  const body = element('g', { transform: `translate(${margin} ${margin + head})` });
  for (const name of ['fill', 'font-size', 'font-family', 'font-weight']) {
    const value = inner.getAttribute(name);
    if (value) body.setAttribute(name, value);
  }
  body.append(...inner.childNodes);
  whole.append(body);
  rows.forEach((row, r) => {
    for (const { entry, x: left } of row) {
      const top = margin + head + svg.height.baseVal.value + 12 + r * 20;
      const fill = resolve(entry.colour);
      if (entry.mark === 'line' || entry.mark === 'dashed')
        whole.append(element('line', { x1: margin + left, x2: margin + left + 14, y1: top + 5, y2: top + 5, stroke: fill, 'stroke-width': 2, ...(entry.mark === 'dashed' ? { 'stroke-dasharray': '3 2' } : {}) }));
      else if (entry.mark === 'dot') whole.append(element('circle', { cx: margin + left + 7, cy: top + 5, r: 4, fill }));
      else if (entry.mark === 'outline') whole.append(element('rect', { x: margin + left + 2, y: top, width: 9, height: 9, fill: 'none', stroke: fill, 'stroke-width': 1.5 }));
      else whole.append(element('rect', { x: margin + left + 2, y: top, width: 10, height: 10, rx: 1.5, fill }));
      whole.append(element('text', { x: margin + left + 20, y: top + 9, fill: resolve('var(--muted)') }, entry.label));
    }
  });
  return { text: new XMLSerializer().serializeToString(whole), width, height };
}

export function download(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const fileOf = (caption: Caption, extension: string): string =>
  `${caption.title.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '').slice(0, 60) || 'picture'}.${extension}`;

export function saveSvg(svg: SVGSVGElement, caption: Caption): void {
  download(new Blob([standalone(svg, caption).text], { type: 'image/svg+xml' }), fileOf(caption, 'svg'));
}

export async function savePng(svg: SVGSVGElement, caption: Caption): Promise<void> {
  const { text, width, height } = standalone(svg, caption);
  const url = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
  const image = new Image();
  image.src = url;
  await image.decode();
  const scale = 2;
  const canvas = document.createElement('canvas');
  canvas.width = Math.ceil(width * scale);
  canvas.height = Math.ceil(height * scale);
  const context = canvas.getContext('2d');
  if (!context) return;
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(url);
  canvas.toBlob((blob) => blob && download(blob, fileOf(caption, 'png')), 'image/png');
}
