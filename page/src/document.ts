// The document that drywarp put into the page: JSON, or JSON that gzip made small, in base64.
import type { ReportDocument } from './data';

async function inflated(base64: string): Promise<string> {
  const packed = atob(base64.trim());
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; ++i) bytes[i] = packed.charCodeAt(i);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
}

/** null: the page has none. */
export async function readDocument(): Promise<ReportDocument | null> {
  const element = document.getElementById('data');
  const text = element?.textContent;
  if (!element || !text) return null;
  const json = element.getAttribute('type') === 'application/gzip' ? await inflated(text) : text;
  element.remove();
  return JSON.parse(json) as ReportDocument;
}
