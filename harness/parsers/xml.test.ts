import { describe, expect, it } from 'vitest';
import type { StreamEnd, StreamEvent } from '../stream/event.ts';
import { feed } from '../testing/feed.ts';
import { delta, failure, text } from '../testing/hand-made-events.ts';
import { DEFAULT_OPTIONS, type ParserOptions } from './parser.ts';
import { XmlParser } from './xml.ts';

function read(
  message: string | StreamEvent[],
  end: StreamEnd = 'complete',
  options: Partial<ParserOptions> = {},
): XmlParser {
  const parser = new XmlParser({ ...DEFAULT_OPTIONS, ...options });
  const events = typeof message === 'string' ? [text(message)] : message;
  feed(parser, { events, end }, [5, 1, 2]);
  return parser;
}

function callsOf(parser: XmlParser): string[] {
  return parser.calls.map(({ id, name, args, end }) => {
    const values = args.form === 'values' ? args.values : [];
    return [
      id,
      name,
      ...values.map(({ key, bytes }) => `${key}=${JSON.stringify(Buffer.from(bytes).toString())}`),
      `@${end}`,
    ].join(' ');
  });
}

function errorOf({ error }: XmlParser): string | null {
  return error === null ? null : `${error.kind}@${error.offset} line ${error.line}`;
}

const OPEN = '<minimax:tool_call>';
const CLOSE = '</minimax:tool_call>';
const K = '<parameter name="k">';

function block(inner: string): string {
  return `${OPEN}${inner}${CLOSE}`;
}

function invoke(parameters: string): string {
  return `<invoke name="t">${parameters}</invoke>`;
}

describe('a message in the grammar', () => {
  it('runs all calls of all blocks at its end, in order', () => {
    const message = `Text.\n${OPEN}\n${invoke('')}\n${invoke(`${K}v</parameter>`)}${CLOSE} ${block(invoke(''))}\n`;
    const end = message.length;
    expect(callsOf(read(message))).toEqual([`call_0 t @${end}`, `call_1 t k="v" @${end}`, `call_2 t @${end}`]);
    expect(read(message, 'cut')).toMatchObject({ calls: [], error: null });
  });

  it('takes a value byte for byte, up to the first closing tag', () => {
    const value = ' \nif (a < b && c) &lt; </param </</invoke><![CDATA[ é ';
    expect(callsOf(read(block(invoke(`${K}${value}</parameter>`))))[0]).toContain(` k=${JSON.stringify(value)} @`);
  });

  it('is text where the opener is not at the start of a line, or almost one', () => {
    expect(read(`I write ${OPEN} here`)).toMatchObject({ calls: [], error: null, pending: 0 });
    expect(read('<minimal>', 'cut')).toMatchObject({ calls: [], error: null, pending: 0 });
    expect(read('<minimax:tool_call', 'cut')).toMatchObject({ pending: 18 });
    expect(read(`<think>${OPEN}</think>ok`)).toMatchObject({ calls: [], error: null });
  });
});

describe('a message that is not', () => {
  it.each([
    [block(''), 'xml_unexpected_text@19 line 1'],
    [block(`\n${invoke('x')}`), 'xml_unexpected_text@37 line 2'],
    [block(invoke(`${K}a</parameter>b</parameter>`)), 'xml_unexpected_text@69 line 1'],
    [block('<invoke name="">'), 'xml_unexpected_text@19 line 1'],
    [block('<invoke name="a>">'), 'xml_unexpected_text@19 line 1'],
    [block('<invoke name="a\n">'), 'xml_unexpected_text@19 line 1'],
    [`${block(invoke(''))}\nResult: ok`, 'xml_after_block@66 line 2'],
    [`${block(invoke(''))}\n<minimax`, 'xml_after_block@66 line 2'],
    [`${OPEN}${invoke('')}`, 'xml_unclosed@45 line 1'],
    [`${OPEN}\n<inv`, 'xml_unclosed@24 line 2'],
    [`${OPEN}<invoke name="t">${K}a\n</para`, 'xml_unclosed@64 line 2'],
    [block(invoke(`${K}a\n</parameter>${K}b</parameter>`)), 'duplicate_key@70 line 2'],
  ])('%j runs nothing', (message, error) => {
    const parser = read(message);
    expect(errorOf(parser)).toBe(error);
    expect(parser.calls).toEqual([]);
    expect(parser.pending).toBe(0);
  });

  it('may be too much', () => {
    const long = (value: string): string => block(invoke(`${K}${value}</parameter>`));
    expect(errorOf(read(long('abcd'), 'complete', { argumentLimit: 4 }))).toBeNull();
    expect(errorOf(read(long('abcde'), 'complete', { argumentLimit: 4 }))).toBe('limit@36 line 1');
    expect(errorOf(read(long('abc</par'), 'complete', { argumentLimit: 4 }))).toBe('limit@36 line 1');
    expect(errorOf(read(block(`${invoke('')}${invoke('')}`), 'complete', { callsPerMessage: 1 }))).toBe(
      'limit@45 line 1',
    );
    expect(errorOf(read(long('a</parameter><parameter name="j">b'), 'complete', { argumentsPerCall: 1 }))).toBe(
      'limit@69 line 1',
    );
  });

  it('may be cut, which is no error', () => {
    const parser = read(`${OPEN}<invoke name="t">${K}abc</p`, 'cut');
    expect(parser.error).toBeNull();
    expect(parser.unfinished).toEqual({ name: 't', key: 'k', arrived: 3 });
    expect(parser.pending).toBe(62);
  });

  it('may have failed', () => {
    expect(errorOf(read([text(block(invoke(''))), failure('stream_error')]))).toBe('stream_error@65 line 1');
  });
});

describe('a tag whose bytes other content interrupts', () => {
  it('is at its first byte', () => {
    expect(errorOf(read([text(`${OPEN}<inv`), delta(0, '{}'), text('x')]))).toBe('xml_unexpected_text@19 line 1');
    const held = [text('<'), delta(0, '{}'), text(`${OPEN.slice(1)}<x`)];
    expect(errorOf(read(held))).toBe('xml_unexpected_text@21 line 1');
  });
});
