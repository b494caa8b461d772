/** For tests: the report in Chromium, as it opens from disk. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchChromium } from '../../harness/testing/chromium.ts';
import { parseCsv } from './csv.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

export class ReportSite {
  /** Whatever should not be: messages of the console, errors, requests that leave the file. */
  readonly wrong: string[] = [];

  readonly #browser: Browser;
  readonly #folder = mkdtempSync(join(tmpdir(), 'report-'));
  readonly #url: string;

  static async open(html: string): Promise<ReportSite> {
    return new ReportSite(html, await launchChromium());
  }

  private constructor(html: string, browser: Browser) {
    this.#browser = browser;
    const path = join(this.#folder, 'report.html');
    writeFileSync(path, html);
    this.#url = pathToFileURL(path).href;
  }

  async close(): Promise<void> {
    await this.#browser.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** The page, in a browser context of its own. */
  async page(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.#browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    const page = await context.newPage();
    page.on('console', (message) => this.wrong.push(`console ${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => this.wrong.push(`error: ${error.message}`));
    page.on('request', (request) => {
      const url = request.url();
      if (url !== this.#url && !/^(?:blob|data):/.test(url)) this.wrong.push(`request: ${url}`);
    });
    await page.goto(this.#url);
    if (options.javaScriptEnabled !== false) await page.waitForSelector('html[data-ready=yes]');
    return page;
  }
}

/** The records of a CSV file of the repository, header first. */
export function recordsOf(path: string): string[][] {
  return parseCsv(csvOf(path));
}

export function csvOf(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** The cells of a table in the page, header first. */
export async function cellsOf(page: Page, path: string): Promise<string[][]> {
  const rows = page.locator(`.table[data-table="${path}"] tr`);
  return rows.evaluateAll((all) =>
    all.map((row) => [...row.children].map((cell) => (cell as unknown as { textContent: string }).textContent)),
  );
}

/** Opens the `<details>` that a long table stands in. */
export async function unfold(page: Page, path: string): Promise<void> {
  const fold = page.locator('details.fold', { has: page.locator(`.table[data-table="${path}"]`) });
  if ((await fold.getAttribute('open')) === null) await fold.locator('> summary').click();
  await page.waitForSelector(`.table[data-table="${path}"] thead`);
}

/** Serious and critical faults that axe finds, in words. The page must have been opened with `bypassCSP`. */
export async function barriers(page: Page): Promise<string[]> {
  await page.addScriptTag({ path: AXE });
  return page.evaluate<string[]>(`axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => id + ' ' + nodes.length + ' times: ' + nodes[0].html.slice(0, 200) + ' ' + nodes[0].failureSummary))`);
}

/** Words in charts, with the contrast to what is behind them: the mark below, or the ground. The window must be as high as a chart. */
export async function chartWords(page: Page): Promise<{ text: string; contrast: number }[]> {
  return page.evaluate<{ text: string; contrast: number }[]>(`(() => {
    const light = (color) => {
      const [r, g, b] = color.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255)
        .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const isOpaque = (color) => /^rgb\\(/.test(color);
    const ground = (text) => {
      const { left, top, width, height } = text.getBoundingClientRect();
      for (const below of document.elementsFromPoint(left + width / 2, top + height / 2)) {
        if (below.matches('text, tspan')) continue;
        const { fill, backgroundColor } = getComputedStyle(below);
        const color = below.matches('svg *') ? fill : backgroundColor;
        if (isOpaque(color)) return color;
      }
      throw new Error('nothing is behind ' + text.textContent);
    };
    const contrast = (text) => {
      const [a, b] = [light(getComputedStyle(text).fill), light(ground(text))].sort((x, y) => y - x);
      return { text: text.textContent, contrast: (a + 0.05) / (b + 0.05) };
    };
    // Only what is in the window can be asked for what stands behind it.
    return [...document.querySelectorAll('.chart-vega')].flatMap((chart) => {
      chart.scrollIntoView({ block: 'start', behavior: 'instant' });
      return [...chart.querySelectorAll('text')]
        .filter((text) => text.textContent !== '' && getComputedStyle(text).opacity !== '0')
        .map(contrast);
    });
  })()`);
}
