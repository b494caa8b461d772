import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_SEED } from '../experiment-command.ts';
import { buildReport } from './build-report.ts';
import { findChromium, launchChromium } from './chromium.ts';
import { parseCsv } from './csv.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const CHARTS = [
  'verdict-grid',
  'pending-by-argument',
  'pending-along',
  'salvage-by-cut',
  'error-kinds',
  'declared-against-meant',
  'relative-error',
  'exact-share',
  'what-was-counted',
  'one-answer',
  'time-saved',
  'wrong-calls',
];

const isSkipped = findChromium() === null && process.env['CST_NEEDS_CHROMIUM'] !== '1';
if (isSkipped) {
  process.stderr.write('The report is not tested in a browser: no Chromium here (install the package chromium).\n');
}

let browser: Browser;
let folder: string;
let file: string;
/** For what leaves the page as it was. */
let shared: Page;
/** Whatever should not be: messages of the console, errors, requests that leave the file. */
const wrong: string[] = [];

async function open(options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.on('console', (message) => wrong.push(`console ${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => wrong.push(`error: ${error.message}`));
  page.on('request', (request) => {
    if (request.url() !== file && !request.url().startsWith('blob:')) wrong.push(`request: ${request.url()}`);
  });
  await page.goto(file);
  if (options.javaScriptEnabled !== false) await page.waitForSelector('html[data-ready=yes]');
  return page;
}

function csvOf(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** The cells of a table in the page, header first. */
async function cellsOf(page: Page, path: string): Promise<string[][]> {
  const rows = page.locator(`.table[data-table="${path}"] tr`);
  return rows.evaluateAll((all) =>
    all.map((row) => [...row.children].map((cell) => (cell as unknown as { textContent: string }).textContent)),
  );
}

async function openFold(page: Page, path: string): Promise<void> {
  const fold = page.locator('details.fold', { has: page.locator(`.table[data-table="${path}"]`) });
  if ((await fold.getAttribute('open')) === null) await fold.locator('> summary').click();
  await page.waitForSelector(`.table[data-table="${path}"] thead`);
}

describe.skipIf(isSkipped)('the report in Chromium', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'report-'));
    const path = join(folder, 'report.html');
    writeFileSync(path, await buildReport(ROOT, DEFAULT_SEED));
    file = pathToFileURL(path).href;
    browser = await launchChromium();
    shared = await open();
  });

  afterAll(async () => {
    await browser?.close();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  it('draws every chart of every experiment, and hides the drawing that it replaces', async () => {
    const page = shared;
    const drawn = await page.locator('figure.chart.is-drawn').evaluateAll((all) => all.map(({ id }) => id));
    expect(drawn.toSorted()).toEqual(CHARTS.map((name) => `chart-${name}`).toSorted());
    for (const name of CHARTS) {
      const figure = page.locator(`#chart-${name}`);
      expect(await figure.locator('.chart-vega svg path').count(), name).toBeGreaterThan(2);
      expect(await figure.locator('.chart-svg').isVisible(), name).toBe(false);
      expect((await figure.locator('.chart-vega').getAttribute('aria-label'))?.length, name).toBeGreaterThan(40);
    }
  });

  it('shows what a point is when the pointer is on it', async () => {
    const page = shared;
    await page.locator('#chart-declared-against-meant').scrollIntoViewIfNeeded();
    await page
      .locator('#chart-declared-against-meant .chart-vega .mark-symbol.role-mark path')
      .first()
      .hover({ force: true });
    const tooltip = page.locator('#vg-tooltip-element.visible');
    await tooltip.waitFor();
    expect(await tooltip.textContent()).toMatch(/meant.*declared/);
  });

  it('has the charts and the short tables without script too', async () => {
    const page = await open({ javaScriptEnabled: false });
    for (const name of CHARTS) expect(await page.locator(`#chart-${name} .chart-svg svg`).isVisible(), name).toBe(true);
    const path = 'results/d/summary.csv';
    expect(await cellsOf(page, path)).toEqual(parseCsv(csvOf(path)));
    await page.context().close();
  });

  it.each(['results/d/summary.csv', 'results/d/hypotheses.csv', 'results/d/separator.csv', 'results/e/harm.csv'])(
    'has in its table %s the cells of the file',
    async (path) => {
      const page = shared;
      expect(await cellsOf(page, path)).toEqual(parseCsv(csvOf(path)));
    },
  );

  it.each(['results/c/errors.csv', 'results/c/safety.csv', 'results/d/miscount.csv'])(
    'has all of %s, a page at a time',
    async (path) => {
      const page = shared;
      await openFold(page, path);
      const records = parseCsv(csvOf(path));
      expect(await cellsOf(page, path)).toEqual(records.slice(0, 51));
      await page.locator(`.table[data-table="${path}"]`).getByRole('button', { name: 'Next' }).click();
      expect((await cellsOf(page, path)).slice(1)).toEqual(records.slice(51, 101));
    },
  );

  it('sorts by a click and by the keyboard: numbers by size, and back to the order of the file', async () => {
    const page = shared;
    const path = 'results/d/summary.csv';
    const records = parseCsv(csvOf(path)).slice(1);
    const header = page.locator(`.table[data-table="${path}"] th`).nth(4);
    const column = async () => (await cellsOf(page, path)).slice(1).map((cells) => Number(cells[4]));
    await header.getByRole('button').click();
    expect(await header.getAttribute('aria-sort')).toBe('ascending');
    expect(await column()).toEqual(records.map((cells) => Number(cells[4])).toSorted((a, b) => a - b));
    await header.getByRole('button').focus();
    await page.keyboard.press('Enter');
    expect(await header.getAttribute('aria-sort')).toBe('descending');
    expect(await column()).toEqual(records.map((cells) => Number(cells[4])).toSorted((a, b) => b - a));
    await page.keyboard.press('Space');
    expect(await header.getAttribute('aria-sort')).toBe('none');
    expect((await cellsOf(page, path)).slice(1)).toEqual(records);
  });

  it('filters the rows of a long table', async () => {
    const page = shared;
    const path = 'results/c/error-cases.csv';
    await openFold(page, path);
    await page.locator(`.table[data-table="${path}"] input`).fill('body_eof');
    const wanted = parseCsv(csvOf(path))
      .slice(1)
      .filter((cells) => cells.some((cell) => cell.toLowerCase().includes('body_eof')));
    expect((await cellsOf(page, path)).slice(1)).toEqual(wanted.slice(0, 50));
    expect(await page.locator(`.table[data-table="${path}"] .table-count`).textContent()).toContain(
      `of ${wanted.length}`,
    );
  });

  it('downloads exactly the file', async () => {
    const page = shared;
    const path = 'results/d/miscount.csv';
    await openFold(page, path);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.locator(`.table[data-table="${path}"]`).getByRole('button', { name: 'Download CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('d-miscount.csv');
    expect(readFileSync((await download.path())!, 'utf8')).toBe(csvOf(path));
  });

  it('holds the scrubber, and its cursor moves', async () => {
    const page = shared;
    const slider = page.locator('#scrubber-root input[type=range]').first();
    const before = await slider.getAttribute('aria-valuetext');
    await slider.focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => slider.getAttribute('aria-valuetext')).not.toBe(before);
    await page.keyboard.press('End');
    await expect.poll(() => slider.getAttribute('aria-valuetext')).toContain('end of the');
  });

  it('is dark where the system is, and the button changes it, charts and all', async () => {
    const page = await open({ colorScheme: 'dark' });
    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const title = () => page.locator('#chart-verdict-grid .chart-vega text').first().getAttribute('fill');
    expect([await ground(), await title()]).toEqual(['rgb(15, 18, 20)', '#E7E9EA']);
    await page.locator('#theme-switch').click();
    await expect.poll(title).toBe('#222222');
    expect(await ground()).toBe('rgb(247, 247, 244)');
    await page.context().close();
  });

  it.each([360, 768, 1280])('is no wider than a window of %i pixels', async (width) => {
    const page = await open({ viewport: { width, height: 800 } });
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(overflow).toBeLessThanOrEqual(0);
    await page.context().close();
  });

  it('prints light, without buttons, with the drawn charts', async () => {
    const page = await open({ colorScheme: 'dark' });
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
    expect(await page.locator('#theme-switch').isVisible()).toBe(false);
    expect(await page.locator('#chart-verdict-grid .chart-svg').isVisible()).toBe(true);
    expect(await page.locator('#chart-verdict-grid .chart-vega').isVisible()).toBe(false);
    await page.context().close();
  });

  it.each(['light', 'dark'] as const)('has no barrier that axe finds, %s', async (colorScheme) => {
    const page = await open({ colorScheme, bypassCSP: true });
    await page.addScriptTag({ path: AXE });
    const found = await page.evaluate<{ id: string; nodes: number }[]>(
      `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id, nodes }) => ({ id, nodes: nodes.length, first: nodes[0].html.slice(0, 200), why: nodes[0].failureSummary })))`,
    );
    expect(found).toEqual([]);
    await page.context().close();
  });

  it('says nothing on the console, throws nothing, and asks for nothing but the file itself', () => {
    expect(wrong).toEqual([]);
  });
});

describe('the page', () => {
  it('is the same bytes each time', async () => {
    expect(await buildReport(ROOT, DEFAULT_SEED)).toBe(await buildReport(ROOT, DEFAULT_SEED));
  });
});
