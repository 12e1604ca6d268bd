// Opens pages in headless Chromium, and puts documents into the built page as drywarp does.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { type BrowserContext, type Page, chromium } from 'playwright-core';

const template = new URL('../../dist/page.html', import.meta.url);

function filled(data: string): string {
  const [before, after] = readFileSync(template, 'utf8').split('<!--DATA-->');
  return `${before}${data}${after}`;
}

/** The page with this document, written as drywarp writes it. */
export const pageOf = (json: string): string => filled(`<script type="application/gzip" id="data">${gzipSync(json).toString('base64')}</script>`);

/** The same without compression. */
export function plainPageOf(json: string): string {
  const escaped = json.replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return filled(`<script type="application/json" id="data">${escaped}</script>`);
}

export interface Opened {
  page: Page;
  context: BrowserContext;
  /** Messages of errors and warnings, and addresses that the page asked for besides its own. */
  problems: string[];
}

export class Chromium {
  private constructor(private readonly browser: BrowserContext, private readonly folder: string) {}

  static async start(): Promise<Chromium> {
    const folder = mkdtempSync(join(tmpdir(), 'drywarp-page-'));
    const browser = await chromium.launchPersistentContext(join(folder, 'user'), {
      executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
      headless: true,
      args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--allow-file-access-from-files'],
    });
    return new Chromium(browser, folder);
  }

  async close(): Promise<void> {
    await this.browser.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private written = 0;
  async open(html: string, options: { width?: number; height?: number; dark?: boolean; hash?: string } = {}): Promise<Opened> {
    const file = join(this.folder, `${this.written++}.html`);
    writeFileSync(file, html);
    const page = await this.browser.newPage();
    await page.setViewportSize({ width: options.width ?? 1360, height: options.height ?? 900 });
    await page.emulateMedia({ colorScheme: options.dark ? 'dark' : 'light', reducedMotion: 'reduce' });
    const problems: string[] = [];
    page.on('console', (message) => /error|warning/.test(message.type()) && problems.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => problems.push(`exception: ${error.stack ?? error.message}`));
    page.on('dialog', (dialog) => {
      problems.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => !/^(file|data|blob):/.test(request.url()) && problems.push(`request: ${request.url()}`));
    await page.goto(pathToFileURL(file).href + (options.hash ?? ''));
    await page.waitForFunction(() => !document.getElementById('page')?.className);
    return { page, context: this.browser, problems };
  }
}
