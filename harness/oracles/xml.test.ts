import { describe, expect, it } from 'vitest';
import type { ParserOptions } from '../parsers/parser.ts';
import type { StreamEnd, StreamEvent } from '../stream/event.ts';
import { delta, failure, text } from '../testing/hand-made-events.ts';
import { readXml } from './xml.ts';

const OPTIONS: ParserOptions = { lineLimit: 4096, argumentLimit: 1024, argumentsPerCall: 64, callsPerMessage: 256 };

const OPEN = '<minimax:tool_call>';
const CLOSE = '</minimax:tool_call>';

function read(
  stream: string | StreamEvent[],
  end: StreamEnd = 'complete',
  options: Partial<ParserOptions> = {},
): { calls: string[]; error: string | null } {
  const events = typeof stream === 'string' ? [text(stream)] : stream;
  const { calls, error } = readXml(events, end, { ...OPTIONS, ...options });
  return { calls: calls.map(describeCall), error: error === null ? null : `${error.kind}@${error.offset}` };
}

function describeCall({ ordinal, id, name, args, end }: ReturnType<typeof readXml>['calls'][number]): string {
  if (args.form !== 'values') throw new Error('xml values are bytes');
  expect(id).toBe(`call_${ordinal}`);
  const values = args.values.map(({ key, bytes }) => `${key}=${JSON.stringify(Buffer.from(bytes).toString())}`);
  return [name, ...values, `@${end}`].join(' ');
}

function invoke(name: string, params: Record<string, string> = {}): string {
  const inner = Object.entries(params).map(([key, value]) => `<parameter name="${key}">${value}</parameter>\n`);
  return `<invoke name="${name}">\n${inner.join('')}</invoke>`;
}

function block(...invokes: string[]): string {
  return `${OPEN}\n${invokes.join('\n')}\n${CLOSE}`;
}

describe('a complete message in the grammar', () => {
  it('gives its calls in order, each ending at the > of its invoke', () => {
    const first = invoke('write', { path: 'a', text: ' <b> &amp;\n' });
    const message = `Hello\n${block(first, invoke('ls'))}\n`;
    const end = message.indexOf('</invoke>') + 8;
    expect(read(message)).toEqual({
      calls: [`write path="a" text=" <b> &amp;\\n" @${end}`, `ls @${message.lastIndexOf('</invoke>') + 8}`],
      error: null,
    });
  });

  it('may run several blocks together without a line between', () => {
    const message = `${block(invoke('a'))} \t\r\n${block(invoke('b'))}${block(invoke('c'))}`;
    expect(read(message).calls.map((call) => call[0])).toEqual(['a', 'b', 'c']);
  });

  it('is text when the first opener does not start a line', () => {
    expect(read(`say ${block(invoke('a'))}`)).toEqual({ calls: [], error: null });
    expect(read(` ${block(invoke('a'))}`)).toEqual({ calls: [], error: null });
    expect(read('\n<minimal>')).toEqual({ calls: [], error: null });
  });

  it('starts a line after a leading think block, which is not searched', () => {
    const message = `<think>\n${block(invoke('draft'))}</think>${block(invoke('real'))}`;
    expect(read(message).calls).toEqual([expect.stringContaining('real')]);
    expect(read(`<think>\n${block(invoke('draft'))}`)).toEqual({ calls: [], error: null });
  });

  it('decodes names as UTF-8 and keeps values as bytes', () => {
    expect(read(block(invoke('naïve', { größe: 'é' }))).calls).toEqual([expect.stringContaining('naïve größe="é"')]);
  });

  it('ends a value at the first end tag', () => {
    expect(read(block(invoke('a', { k: '</paramete</invoke>' }))).calls).toEqual([
      expect.stringContaining('k="</paramete</invoke>"'),
    ]);
  });

  it('counts argument bytes in offsets and reads none of them', () => {
    const whole = block(invoke('a'));
    const events = [text(whole.slice(0, 5)), delta(0, '123'), text(whole.slice(5))];
    expect(read(events).calls).toEqual([`a @${whole.indexOf('</invoke>') + 8 + 3}`]);
  });
});

describe('what is out of the grammar', () => {
  const inInvoke = `${OPEN}<invoke name="a">`;
  it.each([
    [`${OPEN} x`, 'xml_unexpected_text', 20],
    [`${OPEN}<x`, 'xml_unexpected_text', 19],
    [`${OPEN}<invoke nama`, 'xml_unexpected_text', 19],
    [`${OPEN}<invoke name=""`, 'xml_unexpected_text', 19],
    [`${OPEN}<invoke name="a>`, 'xml_unexpected_text', 19],
    [`${OPEN}<invoke name="a\n`, 'xml_unexpected_text', 19],
    [`${OPEN}<invoke name="a"x`, 'xml_unexpected_text', 19],
    [`${OPEN}\n</`, 'xml_unexpected_text', 20],
    [`${OPEN}\n${CLOSE}`, 'xml_unexpected_text', 20],
    [`${inInvoke}\n${CLOSE}`, 'xml_unexpected_text', 37],
    [`${inInvoke}<parameter name="k">v</parameter> the rest`, 'xml_unexpected_text', 36 + 34],
    [`${block(invoke('a'))}\nResult`, 'xml_after_block', block(invoke('a')).length + 1],
    [`${block(invoke('a'))}<minimax:x`, 'xml_after_block', block(invoke('a')).length],
    [`${block(invoke('a'))}${CLOSE}`, 'xml_after_block', block(invoke('a')).length],
    [`${inInvoke}<parameter name="k">1</parameter><parameter name="k">`, 'duplicate_key', 36 + 33],
  ])('%j is %s, in a cut as well', (message, kind, offset) => {
    expect(read(message)).toEqual({ calls: [], error: `${kind}@${offset}` });
    expect(read(message, 'cut')).toEqual({ calls: [], error: `${kind}@${offset}` });
  });

  it.each([
    OPEN,
    `${OPEN}\n<inv`,
    `${OPEN}<invoke name="`,
    `${OPEN}<invoke name="a"`,
    inInvoke,
    `${inInvoke}<`,
    `${inInvoke}<parameter name="k`,
    `${inInvoke}<parameter name="k">v</parameter`,
    `${inInvoke}</invoke>`,
    `${inInvoke}</invoke></minimax:`,
  ])('%j is unclosed at a complete end and no error in a cut', (message) => {
    expect(read(message)).toEqual({ calls: [], error: `xml_unclosed@${message.length}` });
    expect(read(message, 'cut')).toEqual({ calls: [], error: null });
  });

  it('refuses an unfinished opener after a block only at a complete end', () => {
    const message = `${block(invoke('a'))}\n<mini`;
    expect(read(message).error).toBe(`xml_after_block@${message.length - 5}`);
    expect(read(message, 'cut').error).toBeNull();
  });

  it('runs nothing of a whole message that was cut', () => {
    expect(read(block(invoke('a')), 'cut')).toEqual({ calls: [], error: null });
  });

  it('takes a failure for a cut at the content received', () => {
    expect(read([text(block(invoke('a'))), failure('sse_bad_json')])).toEqual({
      calls: [],
      error: `sse_bad_json@${block(invoke('a')).length}`,
    });
  });

  it('keeps an error that was noticed before the failure', () => {
    expect(read([text(`${OPEN}x`), failure('sse_bad_json')]).error).toBe('xml_unexpected_text@19');
  });
});

describe('limits', () => {
  const opener = `${OPEN}<invoke name="a"><parameter name="k">`;

  it('refuses a value over the limit at its parameter tag', () => {
    const options = { argumentLimit: 3 };
    expect(read(`${opener}abc</parameter></invoke>${CLOSE}`, 'complete', options).error).toBeNull();
    expect(read(`${opener}abcd</parameter></invoke>${CLOSE}`, 'complete', options).error).toBe('limit@36');
  });

  it('notices it only when the value can no longer end within the limit', () => {
    const options = { argumentLimit: 3 };
    expect(read(`${opener}abc</par`, 'cut', options).error).toBeNull();
    expect(read(`${opener}abc</par`, 'complete', options).error).toBe(`xml_unclosed@${opener.length + 8}`);
    expect(read(`${opener}abc</parx`, 'cut', options).error).toBe('limit@36');
    expect(read(`${opener}abcd`, 'cut', options).error).toBe('limit@36');
    expect(read(`${opener}abcd</par`, 'cut', options).error).toBe('limit@36');
  });

  it('refuses a parameter or an invoke too many at its tag', () => {
    const options = { argumentsPerCall: 1, callsPerMessage: 1 };
    const params = block(invoke('a', { k: '1', l: '2' }));
    expect(read(params, 'cut', options).error).toBe(`limit@${params.lastIndexOf('<parameter')}`);
    const calls = block(invoke('a'), invoke('b'));
    expect(read(calls, 'cut', options).error).toBe(`limit@${calls.lastIndexOf('<invoke')}`);
  });
});
