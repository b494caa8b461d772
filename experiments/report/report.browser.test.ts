import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_SEED } from '../../harness/replay/seeded.ts';
import { findChromium } from '../../harness/testing/chromium.ts';
import { buildReport } from './build-report.ts';
import { barriers, cellsOf, chartWords, csvOf, ReportSite, ROOT, recordsOf, unfold } from './report-site.ts';

const CHARTS = [
  'dialects-pending',
  'dialects-salvage',
  'streams-harmed',
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
/** A sheet of paper in CSS pixels, within usual margins. */
const A4 = { width: 718, height: 1047 };
/** In ms: the machine may be busy. */
const PATIENCE = 120_000;

const isSkipped = findChromium() === null && process.env['CST_NEEDS_CHROMIUM'] !== '1';
if (isSkipped) {
  process.stderr.write('The report is not tested in a browser: no Chromium here (install the package chromium).\n');
}

let html: string;
beforeAll(async () => {
  html = await buildReport(ROOT, DEFAULT_SEED);
}, PATIENCE);

describe.skipIf(isSkipped)('the report in Chromium', { timeout: PATIENCE }, () => {
  let site: ReportSite;
  /** For what leaves the page as it was. */
  let page: Page;

  beforeAll(async () => {
    site = await ReportSite.open(html);
    page = await site.page();
  }, PATIENCE);

  afterAll(() => site?.close());

  it('draws every chart of every experiment, and hides the drawing that it replaces', async () => {
    const drawn = await page.locator('figure.chart.is-drawn').evaluateAll((all) => all.map(({ id }) => id));
    expect(drawn.toSorted()).toEqual(CHARTS.map((name) => `chart-${name}`).toSorted());
    for (const name of CHARTS) {
      const figure = page.locator(`#chart-${name}`);
      expect(await figure.locator('.chart-vega svg .role-mark path, .role-mark line').count(), name).toBeGreaterThan(2);
      expect(await figure.locator('.chart-svg').isVisible(), name).toBe(false);
      expect((await figure.locator('.chart-vega').getAttribute('aria-label'))?.length, name).toBeGreaterThan(40);
      expect(await figure.locator('h3').textContent(), name).not.toBe('');
    }
  });

  it.each([
    ['declared-against-meant', '.role-mark.mark-symbol path', /t\d\d.*meant.*declared/],
    ['salvage-by-cut', '.role-mark.mark-symbol path', /parser.*cut.*share/],
    ['pending-along', '.role-mark.mark-symbol path', /parser.*percent.*pending/],
    ['verdict-grid', '.role-mark.mark-rect path', /S1: no incomplete call.*checked/],
  ])('tells of a point, a step of a line or a cell of %s when the pointer is on it', async (chart, mark, words) => {
    await page.locator(`#chart-${chart} .chart-vega ${mark}`).first().hover({ force: true });
    const tooltip = page.locator('#vg-tooltip-element.visible');
    await expect.poll(() => tooltip.textContent()).toMatch(words);
    await page.mouse.move(0, 0);
  });

  it('has the charts and the short tables without script too', async () => {
    const plain = await site.page({ javaScriptEnabled: false });
    for (const name of CHARTS)
      expect(await plain.locator(`#chart-${name} .chart-svg svg`).isVisible(), name).toBe(true);
    expect(await cellsOf(plain, 'results/d/summary.csv')).toEqual(recordsOf('results/d/summary.csv'));
    await plain.context().close();
  });

  it.each(['results/d/summary.csv', 'results/d/hypotheses.csv', 'results/d/separator.csv', 'results/e/harm.csv'])(
    'has in its table %s the cells of the file',
    async (path) => {
      // A long table is shown a page at a time.
      expect(await cellsOf(page, path)).toEqual(recordsOf(path).slice(0, 51));
    },
  );

  it.each(['results/c/errors.csv', 'results/c/safety.csv', 'results/c/salvage.csv', 'results/d/miscount.csv'])(
    'has all of %s, a page at a time',
    async (path) => {
      await unfold(page, path);
      const records = recordsOf(path);
      expect(await cellsOf(page, path)).toEqual(records.slice(0, 51));
      await page.locator(`.table[data-table="${path}"]`).getByRole('button', { name: 'Next' }).click();
      expect((await cellsOf(page, path)).slice(1)).toEqual(records.slice(51, 101));
    },
  );

  it('sorts by a click and by the keyboard: numbers by size, and back to the order of the file', async () => {
    const path = 'results/d/summary.csv';
    const records = recordsOf(path).slice(1);
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

  it('sorts sizes by where they begin', async () => {
    const path = 'results/d/summary.csv';
    const sizes = page.locator(`.table[data-table="${path}"] th`).nth(2).getByRole('button');
    await sizes.click();
    const shown = (await cellsOf(page, path)).slice(1).map((cells) => cells[2]);
    const order = ['all', '0', '1-16', '17-64', '65-256', '257-1024', '1025-4096', '>4096'];
    expect([...new Set(shown)]).toEqual(order);
    await sizes.click();
    await sizes.click();
  });

  it('filters the rows of a long table: every word must be in some cell', async () => {
    const path = 'results/c/error-cases.csv';
    await unfold(page, path);
    const table = page.locator(`.table[data-table="${path}"]`);
    await table.locator('input').fill('body_eof  replies');
    const wanted = recordsOf(path)
      .slice(1)
      .filter((cells) =>
        ['body_eof', 'replies'].every((word) => cells.some((cell) => cell.toLowerCase().includes(word))),
      );
    expect(wanted.length).toBeGreaterThan(0);
    expect((await cellsOf(page, path)).slice(1)).toEqual(wanted.slice(0, 50));
    expect(await table.locator('.table-count').textContent()).toContain(`of ${wanted.length}`);
  });

  it('downloads exactly the file', async () => {
    const path = 'results/d/altered.csv';
    await unfold(page, path);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.locator(`.table[data-table="${path}"]`).getByRole('button', { name: 'Download CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('d-altered.csv');
    expect(readFileSync((await download.path())!, 'utf8')).toBe(csvOf(path));
  });

  it('holds the scrubber, and its cursor moves', async () => {
    const slider = page.locator('#scrubber-root input[type=range]').first();
    const before = await slider.getAttribute('aria-valuetext');
    await slider.focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => slider.getAttribute('aria-valuetext')).not.toBe(before);
    await page.keyboard.press('End');
    await expect.poll(() => slider.getAttribute('aria-valuetext')).toContain('end of the');
  });

  it('can be used by keys alone: past the contents, into a table, and the contents say where one is', async () => {
    const own = await site.page({ reducedMotion: 'reduce' });
    await own.keyboard.press('Tab');
    await own.keyboard.press('Enter');
    expect(new URL(own.url()).hash).toBe('#main');
    const fold = own.locator('details.fold', { has: own.locator('.table[data-table="results/c/lag.csv"]') });
    await fold.locator('> summary').focus();
    await own.keyboard.press('Enter');
    await fold.locator('thead').waitFor();
    await own.keyboard.press('Tab');
    await own.keyboard.type('t18');
    const shown = async () => (await cellsOf(own, 'results/c/lag.csv')).slice(1);
    expect((await shown()).length).toBeGreaterThan(0);
    expect((await shown()).every((cells) => cells.some((cell) => cell.includes('t18')))).toBe(true);
    await own.getByRole('link', { name: 'All tables' }).focus();
    await own.keyboard.press('Enter');
    await expect.poll(() => own.locator('nav.contents [aria-current]').textContent()).toBe('All tables');
    await own.context().close();
  });

  it('is dark where the system is, and the button changes it, charts and all', async () => {
    const own = await site.page({ colorScheme: 'dark' });
    const ground = () => own.evaluate('getComputedStyle(document.body).backgroundColor');
    const label = () => own.locator('#chart-verdict-grid .chart-vega text').first().getAttribute('fill');
    expect([await ground(), await label()]).toEqual(['rgb(15, 18, 20)', '#E7E9EA']);
    await own.locator('#theme-switch').click();
    await expect.poll(label).toBe('#222222');
    expect(await ground()).toBe('rgb(247, 247, 244)');
    await own.context().close();
  });

  it.each([360, 768, 1280])(
    'is no wider than a window of %i pixels, and most charts are laid out for it',
    async (width) => {
      const own = await site.page({ viewport: { width, height: 800 } });
      expect(await own.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
      const wide = await own
        .locator('.chart-frame')
        .evaluateAll((all) =>
          all
            .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
            .map((frame) => frame.parentElement?.id),
        );
      expect(wide).toEqual(WIDER[width]?.map((name) => `chart-${name}`));
      await own.context().close();
    },
  );

  it('prints light, without buttons, with the drawn charts, and no table is cut off', async () => {
    const own = await site.page({ colorScheme: 'dark', viewport: A4 });
    await own.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await own.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
    expect(await own.locator('button:visible:not(th button), nav:visible, input[type=search]:visible').count()).toBe(0);
    expect(await own.locator('.table[data-table="results/d/summary.csv"] th button').first().isVisible()).toBe(true);
    expect(await own.locator('#chart-verdict-grid .chart-svg').isVisible()).toBe(true);
    expect(await own.locator('#chart-verdict-grid .chart-vega').isVisible()).toBe(false);
    // Tables of many columns are printed on sheets that lie on their side.
    expect(
      await own.locator('.table table').evaluateAll(
        (tables, { upright, onSide }) =>
          tables
            .filter((table) => {
              const right = table.getBoundingClientRect().right;
              return right > (table.querySelector('th:nth-child(12)') === null ? upright : onSide);
            })
            .map((table) => table.closest('.table')?.getAttribute('data-table')),
        { upright: A4.width, onSide: A4.height },
      ),
    ).toEqual([]);
    const gain = recordsOf('results/e/gain.csv');
    expect(gain.length).toBeGreaterThan(51);
    await own.evaluate("dispatchEvent(new Event('beforeprint'))");
    expect(await cellsOf(own, 'results/e/gain.csv')).toEqual(gain);
    await own.evaluate("dispatchEvent(new Event('afterprint'))");
    expect((await cellsOf(own, 'results/e/gain.csv')).length).toBe(51);
    await own.context().close();
  });

  it('remembers the theme that was chosen', async () => {
    const own = await site.page({ colorScheme: 'light' });
    await own.locator('#theme-switch').click();
    await own.reload();
    expect(await own.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    await own.context().close();
  });

  it.each(['light', 'dark'] as const)(
    'has no barrier that axe finds, and words in charts stand out, %s',
    async (colorScheme) => {
      const own = await site.page({ colorScheme, bypassCSP: true });
      expect(await barriers(own)).toEqual([]);
      const words = await chartWords(own);
      expect(words.length).toBeGreaterThan(200);
      expect(words.filter(({ contrast }) => contrast < 4.5)).toEqual([]);
      await own.context().close();
    },
  );

  it('says nothing on the console, throws nothing, and asks for nothing but the file itself', () => {
    expect(site.wrong).toEqual([]);
  });
});

it('is one page of less than 10 MB, and the same bytes each time', { timeout: PATIENCE }, async () => {
  expect(Buffer.byteLength(html)).toBeLessThan(10e6);
  expect(await buildReport(ROOT, DEFAULT_SEED)).toBe(html);
});

/** By width of the window: charts whose plots or cells would be too narrow, and are scrolled instead. */
const WIDER: { readonly [width: number]: readonly string[] } = {
  360: [
    'verdict-grid',
    'error-kinds',
    'dialects-pending',
    'dialects-salvage',
    'streams-harmed',
    'declared-against-meant',
    'relative-error',
    'exact-share',
    'what-was-counted',
    'time-saved',
    'wrong-calls',
  ],
  768: ['verdict-grid', 'streams-harmed', 'wrong-calls'],
  1280: [],
};
