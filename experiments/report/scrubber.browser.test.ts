import { fileURLToPath } from 'node:url';
import axe from 'axe-core';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONTRACT_PROTOCOLS, type Protocol } from '../../harness/parsers/protocols.ts';
import { loadSuites } from '../../harness/replay/load.ts';
import { reframedSuite } from '../../harness/replay/reframe.ts';
import { findChromium } from '../../harness/testing/chromium.ts';
import { linkedPosition } from './scrubber-reading.ts';
import { ScrubberSite } from './scrubber-site.ts';

const RECORDINGS = fileURLToPath(new URL('../../recordings', import.meta.url));
const TASKS = ['t02', 't07', 't14', 't18'];

const isNeeded = process.env['CST_NEEDS_CHROMIUM'] === '1';
const isSkipped = findChromium() === null && !isNeeded;
if (isSkipped) {
  process.stderr.write(
    'The byte scrubber is not tested in a browser: no Chromium here (install the package chromium).\n',
  );
}

let site: ScrubberSite;

const slider = (page: Page, protocol: string): Locator =>
  page.getByRole('slider', { name: `Cursor in ${protocol}`, exact: true });
const bytesOf = (page: Page, protocol: string): Locator => page.locator(`[data-protocol="${protocol}"] .scrub-bytes`);
const fact = (page: Page, protocol: string, name: string): Promise<string | null> =>
  page.locator(`[data-protocol="${protocol}"] [data-fact="${name}"]`).textContent();

/** Waits for the frame in which a move is drawn. */
const drawn = (page: Page): Promise<void> =>
  page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))');

async function moveTo(page: Page, protocol: string, position: number): Promise<void> {
  await slider(page, protocol).fill(String(position));
  await drawn(page);
}

async function positions(page: Page): Promise<number[]> {
  await drawn(page);
  return Promise.all(CONTRACT_PROTOCOLS.map(async (protocol) => Number(await slider(page, protocol).inputValue())));
}

/** Bytes by the state in which the page shows them; the position must not divide a character. */
async function bytesByState(page: Page, protocol: Protocol, text: string): Promise<Record<string, number>> {
  const spans = await bytesOf(page, protocol)
    .locator('span[data-state]:not(.scrub-chip, .scrub-half)')
    .evaluateAll((all) => all.map((span) => [span.getAttribute('data-state') ?? '', span.textContent ?? '']));
  const shown = spans.flatMap(([state, glyphs]) => [...(glyphs ?? '')].map(() => state ?? ''));
  const characters = [...text];
  expect(shown).toHaveLength(characters.length);
  const counts: Record<string, number> = {};
  for (const [i, state] of shown.entries()) counts[state] = (counts[state] ?? 0) + Buffer.byteLength(characters[i]!);
  return counts;
}

/** Ends of characters near the given shares of a text, as byte offsets, and the end of the stream. */
function characterEnds(text: string, shares: readonly number[]): number[] {
  const characters = [...text];
  const cuts = shares.map((share) =>
    Buffer.byteLength(characters.slice(0, Math.round(characters.length * share)).join('')),
  );
  return [...cuts, Buffer.byteLength(text) + 1];
}

/** The middle of the left edge of a character of the text, in the viewport. */
async function placeOf(bytes: Locator, needle: string): Promise<{ x: number; y: number }> {
  const span = bytes.locator('span[data-state]', { hasText: needle }).first();
  await span.scrollIntoViewIfNeeded();
  const at = ((await span.textContent()) ?? '').indexOf(needle);
  const box = (await span.boundingBox())!;
  const width = box.width / ((await span.textContent()) ?? '').length;
  return { x: box.x + at * width + 1, y: box.y + box.height / 2 };
}

describe.skipIf(isSkipped)('the byte scrubber in Chromium', () => {
  beforeAll(async () => {
    const stored = (await loadSuites(RECORDINGS)).filter(
      ({ task, suite }) => suite === 'replies' && TASKS.includes(task),
    );
    const recordings = [...stored, ...(await reframedSuite(stored, '1'))];
    site = await ScrubberSite.open(recordings);
  });

  afterAll(async () => {
    await site?.close();
  });

  it.each(['t02', 't07', 't14'])('shows at a prefix of %s what the parsers say there', async (task) => {
    const page = await site.page(task);
    await page.getByRole('checkbox').uncheck();
    for (const protocol of CONTRACT_PROTOCOLS) {
      const stream = site.stream(task, protocol);
      for (const position of characterEnds(stream.text, [0, 0.11, 0.37, 0.5, 0.83, 1])) {
        await moveTo(page, protocol, position);
        const { pending, calls, error } = await site.ask(stream, protocol, position);
        const states = await bytesByState(page, protocol, stream.text);
        expect(states['pending'] ?? 0, `${protocol} at ${position}`).toBe(pending);
        expect(states['future'] ?? 0).toBe(Math.max(0, stream.bytes - position));
        expect((states['executable'] ?? 0) > 0).toBe(calls.length > 0);
        expect(await fact(page, protocol, 'pending')).toBe(
          `${pending.toLocaleString('en')} ${pending === 1 ? 'byte' : 'bytes'}`,
        );
        expect(Number.parseInt((await fact(page, protocol, 'executable')) ?? '', 10) || 0).toBe(calls.length);
        const last = calls.at(-1);
        expect(await fact(page, protocol, 'lastRun')).toContain(
          last === undefined ? 'none yet' : `${last.id} ${last.name}, `,
        );
        expect(await fact(page, protocol, 'error')).toContain(error ?? '–');
      }
    }
    await page.context().close();
  });

  it('moves by the keys of a slider: a byte, 5 %, to the ends and to the next event', async () => {
    const page = await site.page('t02');
    const ctl = slider(page, 'ctl');
    await moveTo(page, 'ctl', 40);
    const after = async (key: string): Promise<number> => {
      await ctl.press(key);
      await drawn(page);
      return Number(await ctl.inputValue());
    };
    expect([await after('ArrowRight'), await after('ArrowLeft'), await after('ArrowLeft')]).toEqual([41, 40, 39]);
    expect([await after('PageUp'), await after('PageDown'), await after('Home')]).toEqual([43, 39, 0]);
    // The first call runs after byte 39, the second after the last byte, and then the stream ends.
    expect([await after(']'), await after(']'), await after(']'), await after(']')]).toEqual([39, 86, 87, 87]);
    expect([await after('['), await after('End'), await after('PageUp')]).toEqual([86, 87, 87]);
    expect(await ctl.getAttribute('aria-valuetext')).toBe(
      'end of the complete stream, 86 bytes: 0 bytes pending, 2 of 2 calls executable',
    );
    await page.getByRole('button', { name: 'Previous event' }).click();
    expect((await positions(page))[0]).toBe(86);
    await page.context().close();
  });

  it('has a last place for the end of the stream, where json-whole and xml run their calls', async () => {
    const page = await site.page('t02');
    for (const protocol of ['json-whole', 'xml'] as const) {
      const { bytes } = site.stream('t02', protocol);
      await moveTo(page, protocol, bytes);
      expect(await fact(page, protocol, 'executable')).toBe('0 of 2 calls');
      expect(await fact(page, protocol, 'cut')).toContain('2 complete calls are lost');
      await slider(page, protocol).press('ArrowRight');
      await drawn(page);
      expect(await fact(page, protocol, 'executable')).toBe('2 of 2 calls');
      expect(await fact(page, protocol, 'position')).toBe(`end of the complete stream, ${bytes} bytes`);
    }
    await page.context().close();
  });

  it('moves all cursors to the same share, until they are no longer linked', async () => {
    const page = await site.page('t14');
    const sizes = CONTRACT_PROTOCOLS.map((protocol) => site.stream('t14', protocol).bytes);
    await moveTo(page, 'xml', 1000);
    expect(await positions(page)).toEqual(sizes.map((bytes) => linkedPosition(1000, sizes[2]!, bytes)));
    const before = await positions(page);
    await page.getByRole('checkbox').uncheck();
    await moveTo(page, 'ctl', 7);
    expect(await positions(page)).toEqual([7, ...before.slice(1)]);
    await page.getByRole('checkbox').check();
    expect(await positions(page)).toEqual(sizes.map((bytes) => linkedPosition(7, sizes[0]!, bytes)));
    await page.context().close();
  });

  it('moves where the bytes or the curve are clicked and dragged, by mouse and by finger', async () => {
    const page = await site.page('t02', { hasTouch: true });
    const ctl = bytesOf(page, 'ctl');
    const { text } = site.stream('t02', 'ctl');
    const [first, second] = [await placeOf(ctl, 'config'), await placeOf(ctl, 'package')];
    await page.mouse.move(first.x, first.y);
    await page.mouse.down();
    expect((await positions(page))[0]).toBe(text.indexOf('config'));
    await page.mouse.move(second.x, second.y, { steps: 4 });
    expect((await positions(page))[0]).toBe(text.indexOf('package'));
    await page.mouse.up();
    await page.mouse.move(first.x, first.y);
    expect((await positions(page))[0]).toBe(text.indexOf('package'));
    await page.touchscreen.tap(first.x, first.y);
    expect((await positions(page))[0]).toBe(text.indexOf('config'));
    const strip = (await slider(page, 'ctl').boundingBox())!;
    await page.mouse.move(strip.x + 20, strip.y + 20);
    await page.mouse.down();
    await page.mouse.move(strip.x + strip.width - 2, strip.y + 20, { steps: 4 });
    await page.mouse.up();
    expect((await positions(page))[0]).toBe(87);
    await page.context().close();
  });

  it('shows the bytes of a character that the cursor divides', async () => {
    const page = await site.page('t07');
    const { text } = site.stream('t07', 'xml');
    const at = text.search(/[\u4e00-\u9fff]/);
    const offset = Buffer.byteLength(text.slice(0, at));
    const hex = [...Buffer.from(text[at]!)].map((byte) => byte.toString(16).toUpperCase());
    await moveTo(page, 'xml', offset + 1);
    expect(await bytesOf(page, 'xml').locator('.scrub-half').allTextContents()).toEqual([
      hex[0],
      `${hex[1]} ${hex[2]}`,
    ]);
    await moveTo(page, 'xml', offset + 3);
    expect((await bytesOf(page, 'xml').locator('.scrub-half').allTextContents()).join('')).toBe('');
    await page.context().close();
  });

  it('changes only what a move changes: few nodes in streams of 6 KB', async () => {
    const page = await site.page('t18');
    await moveTo(page, 'xml', 3000);
    const changes = await page.evaluate(`new Promise((done) => {
      let count = 0;
      const observer = new MutationObserver((records) => { count += records.length; });
      observer.observe(document.querySelector('.scrub-panels'), { subtree: true, childList: true, attributes: true, characterData: true });
      const slider = document.querySelector('[aria-label="Cursor in xml"]');
      slider.value = '3001';
      slider.dispatchEvent(new Event('input', { bubbles: true }));
      requestAnimationFrame(() => requestAnimationFrame(() => done(count)));
    })`);
    expect(changes).toBeGreaterThan(0);
    expect(changes).toBeLessThan(60);
    await page.context().close();
  });

  it('shows one framing at a time on a phone, without scrolling sideways', async () => {
    const page = await site.page('t14', { viewport: { width: 360, height: 800 } });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    expect(await page.locator('.scrub-panel:visible').count()).toBe(1);
    await page.getByRole('radio', { name: 'json-object' }).check({ force: true });
    expect(await page.locator('.scrub-panel:visible h3').textContent()).toBe('json-object');
    expect(await page.getByRole('slider').count()).toBe(5);
    await page.context().close();
  });

  it('tells where the cursors came to rest, and prints the bytes around them', async () => {
    const page = await site.page('t02');
    await moveTo(page, 'json-object', 20);
    await expect
      .poll(() => page.getByRole('status').textContent())
      .toContain('json-object: 1 of 2 calls executable, 3 bytes pending');
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('.scrub-bytes:visible').count()).toBe(0);
    const excerpts = await page.locator('.scrub-excerpt:visible [data-state="executable"]').allTextContents();
    expect(excerpts.at(-1)).toBe('{"path":"config"}');
    await page.context().close();
  });

  it('shows the same calls in every framing, on demand', async () => {
    const page = await site.page('t14');
    await page.getByRole('radio', { name: 'the same calls in every framing' }).check({ force: true });
    await moveTo(page, 'ctl', 1_000_000);
    for (const protocol of CONTRACT_PROTOCOLS) expect(await fact(page, protocol, 'executable')).toBe('5 of 5 calls');
    await page.context().close();
  });

  it.each(['light', 'dark'])('has no accessibility fault that axe finds in the %s theme', async (theme) => {
    const page = await site.page('t14', { bypassCSP: true });
    await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
    await moveTo(page, 'ctl', 1200);
    await page.evaluate(axe.source);
    const { violations } = (await page.evaluate('axe.run()')) as {
      violations: { id: string; nodes: { html: string }[] }[];
    };
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
    await page.context().close();
  });

  it('has written nothing to the console and asked for no other file', () => {
    expect(site.wrong).toEqual([]);
  });
});
