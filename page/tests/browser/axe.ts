// What axe finds wrong with a page for people who cannot see it, or use no pointer.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The serious ones. */
export async function violations(page: Page): Promise<string[]> {
  // The content security policy stops injected scripts, which is its purpose; the debugger may evaluate.
  await page.evaluate(axeSource);
  return page.evaluate(async () => {
    // @ts-expect-error axe is what was evaluated above
    const result = await axe.run(document, { resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] });
    return result.violations
      .filter((v: { impact: string }) => v.impact === 'serious' || v.impact === 'critical')
      .flatMap((v: { id: string; nodes: { html: string; failureSummary: string }[] }) => v.nodes.slice(0, 3).map((n) => `${v.id}: ${n.html.slice(0, 160)} ${n.failureSummary.split('\n')[1] ?? ''}`));
  });
}
