import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ANSWERS, answerOf, REQUEST, startAnswerServer } from '../testing/answer-server.ts';
import { findChromium, launchChromium } from '../testing/chromium.ts';
import { bytesOrReasons, importBytes } from '../testing/import-memory.ts';

const isSkipped = findChromium() === null && process.env['CST_NEEDS_CHROMIUM'] !== '1';
if (isSkipped) process.stderr.write('The import of HAR is not tested with a browser: no Chromium here.\n');

const MISREAD =
  'the browser seems to have read it as windows-1252 (its content type says no charset), so that its bytes are unknown: use cst proxy';

/** What a browser wrote down that asked for all answers. */
async function recordHar(file: string): Promise<void> {
  const server = await startAnswerServer('<title>x</title>');
  const browser = await launchChromium();
  try {
    const context = await browser.newContext({ recordHar: { path: file, mode: 'full', content: 'embed' } });
    const page = await context.newPage();
    await page.goto(`${server.url}/page`);
    for (const path of ['/plain', '/crlf', '/gzip', '/bare', '/json', '/busy']) {
      const init = { method: 'POST', body: JSON.stringify(REQUEST), headers: { 'content-type': 'application/json' } };
      const source = `fetch('${path === '/busy' ? path : `${path}/chat/completions`}', ${JSON.stringify(init)}).then((r) => r.text())`;
      await page.evaluate(source);
    }
    await context.close();
  } finally {
    await browser.close();
    await server.close();
  }
}

describe.skipIf(isSkipped)('an HTTP archive of Chromium', { timeout: 120_000 }, () => {
  it('is imported byte for byte, and the rest has its reason', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cst-har-'));
    const path = join(folder, 'page.har');
    await recordHar(path);
    const file = importBytes(readFileSync(path), 'page.har');
    rmSync(folder, { recursive: true, force: true });
    expect(file.format).toBe('har');
    const results = bytesOrReasons(file).filter((result) => result !== 'the archive has no body');
    expect(results).toEqual([
      'no event stream (text/html)',
      ...['/plain', '/crlf', '/gzip'].map((name) => ANSWERS[name]?.body),
      MISREAD,
      'no event stream (application/json)',
      'status 429',
    ]);
    const [first] = [...file.results.values()].filter((one) => 'recording' in one);
    expect(first?.recording.entry.request).toEqual({ messages: REQUEST.messages, parameters: { stream: true } });
  });
});

function archive(...responses: readonly object[]): string {
  const entries = responses.map((response) => ({
    startedDateTime: '2026-01-02T03:04:05.678+01:00',
    request: { url: 'https://api.anthropic.com/v1/messages', postData: { text: '{"model":"m","messages":[]}' } },
    response: { status: 200, headers: [], ...response },
  }));
  return JSON.stringify({ log: { version: '1.2', creator: { name: 'WebInspector' }, entries } });
}

describe('an HTTP archive', () => {
  const body = answerOf('\r\n');

  it('keeps text, or bytes in base64', () => {
    const file = importBytes(
      archive(
        { content: { mimeType: 'text/event-stream', text: body.toString() } },
        { content: { mimeType: 'text/event-stream', text: body.toString('base64'), encoding: 'base64' } },
        { content: { mimeType: 'text/event-stream', text: 'x', encoding: 'rot13' } },
      ),
      'x.har',
    );
    expect(bytesOrReasons(file)).toEqual([body, body, 'its body has the unknown encoding "rot13"']);
    const [asText, asBytes] = [...file.results.values()].filter((one) => 'recording' in one);
    expect(asText?.recording.entry).toMatchObject({
      recordedAt: '2026-01-02T02:04:05.678Z',
      provider: 'anthropic',
      note: expect.stringContaining('The archive keeps text, not bytes: a byte order mark would be lost.'),
    });
    expect(asBytes?.recording.entry.note).not.toContain('byte order mark');
  });

  it('says that a browser left the body of an event stream out', () => {
    const file = importBytes(
      archive({ content: { mimeType: 'text/event-stream', size: 0 } }, { content: { mimeType: 'text/html' } }),
      'x.har',
    );
    expect(bytesOrReasons(file)).toEqual([
      'the archive has no body for this event stream (browsers leave it out: use cst proxy)',
      'the archive has no body',
    ]);
  });

  it.each([
    ['Ã¶ and â€™', MISREAD],
    ['ö and ’', null],
    ['plain', null],
    ['語 Ã¶', null],
  ])('does not take what was read as windows-1252 for UTF-8: %s', (content, reason) => {
    const text = `data: {"choices":[{"delta":{"content":"${content}"}}]}\n\n`;
    for (const mimeType of ['text/event-stream', 'text/event-stream; charset=utf-8']) {
      const isMisread = reason !== null && !mimeType.includes('utf-8');
      const file = importBytes(archive({ content: { mimeType, text } }), 'x.har');
      expect(bytesOrReasons(file)).toEqual([isMisread ? reason : Buffer.from(text)]);
    }
  });

  it('refuses half a character, and says where a byte may have been lost', () => {
    const lost = 'data: {"choices":[{"delta":{"content":"\uFFFD"}}]}\n\n';
    const file = importBytes(
      archive({ content: { text: 'data: {"choices":[]} \ud83d\n\n' } }, { content: { text: lost } }),
      'x.har',
    );
    expect(bytesOrReasons(file)).toEqual([
      'its text holds half a character, so that its bytes are unknown',
      Buffer.from(lost),
    ]);
    const second = file.results.get('entry 2');
    expect(second !== undefined && 'recording' in second && second.recording.entry.note).toContain('It holds U+FFFD');
  });

  it('lists an entry that is not in the form, and reads on', () => {
    const file = importBytes(archive({ status: 'x' }, { content: { text: 'data: {"choices":[]}\n\n' } }), 'x.har');
    expect(bytesOrReasons(file)).toEqual([
      'response.status: expected number, received string',
      Buffer.from('data: {"choices":[]}\n\n'),
    ]);
  });
});
