import { describe, expect, it } from 'vitest';
import { writeHarmony } from '../replay/frames-harmony.ts';
import type { StreamEnd } from '../stream/event.ts';
import { feed } from '../testing/feed.ts';
import { delta, failure, text } from '../testing/hand-made-events.ts';
import { HarmonyParser } from './harmony.ts';
import { readHarmonyHeader } from './harmony-header.ts';
import { DEFAULT_OPTIONS } from './parser.ts';

const TO_T = '<|channel|>commentary to=functions.t <|constrain|>json<|message|>';
const NEXT = '<|start|>assistant';

function received(message: string): HarmonyParser {
  const parser = new HarmonyParser(DEFAULT_OPTIONS);
  parser.push(text(message));
  return parser;
}

function read(message: string, end: StreamEnd = 'complete', confirmed: Buffer[] = []): HarmonyParser {
  const parser = new HarmonyParser({
    ...DEFAULT_OPTIONS,
    onConfirmed: (what) => what.type === 'text' && confirmed.push(Buffer.from(what.bytes)),
  });
  feed(parser, { events: [text(message)], end }, [1]);
  return parser;
}

describe('a harmony header', () => {
  it.each([
    ['<|channel|>commentary to=functions.t <|constrain|>json', { channel: 'commentary', call: 't' }],
    ['<|channel|>commentary to=functions.a.b-c<|constrain|>json', { channel: 'commentary', call: 'a.b-c' }],
    [' to=functions.t<|channel|>commentary json', { channel: 'commentary', call: 't' }],
    [' to=functions.t<|channel|>analysis', { channel: 'analysis', call: 't' }],
    ['<|channel|>analysis to=browser.search code', { channel: 'analysis' }],
  ])('%s has a recipient', (header, read) => {
    expect(readHarmonyHeader(header)).toEqual({ ...read, hasRecipient: true });
  });

  it('without a recipient is of a message that is no call', () => {
    expect(readHarmonyHeader('<|channel|>final')).toEqual({ channel: 'final', hasRecipient: false });
    expect(readHarmonyHeader('<|channel|>final <|constrain|>json ')).toEqual({ channel: 'final', hasRecipient: false });
  });

  it.each(['', '<|channel|>', '<|channel|>x', ' to=functions.t', '<|channel|>final to=functions', 'x<|channel|>final'])(
    '%j is none',
    (header) => {
      expect(readHarmonyHeader(header)).toBeNull();
    },
  );
});

describe('a harmony call', () => {
  it('runs at the last byte of <|call|>', () => {
    const message = `${TO_T}{"k": 1}<|call|>`;
    expect(received(message).calls).toMatchObject([{ id: 'call_0', name: 't', end: message.length - 1 }]);
    expect(received(message.slice(0, -1))).toMatchObject({ calls: [], pending: message.length - 1 });
    expect(received(message.slice(0, -1)).unfinished).toEqual({ name: 't', arrived: '{"k": 1}'.length });
  });

  it('runs at a complete end if the stop token was taken out of the text, and not in a cut', () => {
    const message = `${TO_T}{"k": 1}`;
    expect(read(message)).toMatchObject({ calls: [{ end: message.length }], error: null, pending: 0 });
    expect(read(message, 'cut')).toMatchObject({ calls: [], error: null, unfinished: { name: 't' } });
    expect(read(message.slice(0, -1)).error).toMatchObject({ kind: 'call_eof', offset: message.length - 1 });
  });

  it('does not run twice, or after a cut, if the end is told again', () => {
    const parser = read(`${TO_T}{}`);
    parser.end('complete');
    expect(parser.calls).toHaveLength(1);
    const cut = read(`${TO_T}{}`, 'cut');
    cut.end('complete');
    expect(cut.calls).toHaveLength(0);
  });

  it('does not run at the end of a stream that has failed', () => {
    const parser = new HarmonyParser(DEFAULT_OPTIONS);
    feed(parser, { events: [text(`${TO_T}{}`), failure('stream_error')], end: 'complete' }, [1]);
    expect(parser).toMatchObject({ calls: [], error: { kind: 'stream_error' } });
  });

  it('counts the bytes of tool deltas in its end, and does not read them', () => {
    const parser = new HarmonyParser(DEFAULT_OPTIONS);
    feed(parser, { events: [text(TO_T), delta(0, '{"a":1}'), text('{}')], end: 'complete' }, [2]);
    expect(parser.calls).toMatchObject([{ end: TO_T.length + 9, args: { text: '{}' } }]);
  });
});

describe('the text of a harmony answer', () => {
  it('is the final channel, preambles, and what stands in no message', () => {
    const confirmed: Buffer[] = [];
    const messages = [
      '<|channel|>analysis<|message|>I think.<|end|>',
      '<|channel|>commentary<|message|>First.<|end|>',
      `${TO_T}{}<|call|>`,
      '<|channel|>analysis to=python code<|message|>1+1<|call|>',
      '<|channel|>final<|message|>Last.<|return|>',
    ];
    read(messages.join(` ${NEXT}`), 'complete', confirmed);
    expect(Buffer.concat(confirmed).toString()).toBe(' First.   Last.');
  });

  it('waits only for what may become a token', () => {
    expect(received('<|channel|>final<|message|>Hello').pending).toBe(0);
    expect(received('<|channel|>final<|message|>Hello <|en').pending).toBe(4);
    expect(received('Hello <').pending).toBe(1);
    expect(received(`${NEXT}<|channel|>final`).pending).toBe(NEXT.length + '<|channel|>final'.length);
  });

  it('may begin with what only looks like a recipient', () => {
    const confirmed: Buffer[] = [];
    expect(read('Hi to=you and to=me', 'complete', confirmed)).toMatchObject({ calls: [], error: null });
    expect(Buffer.concat(confirmed).toString()).toBe('Hi to=you and to=me');
  });
});

it('reads what the writer writes', () => {
  const calls = [
    { id: 'c1', name: 't', args: [['k', '<|start|>']] as const },
    { id: 'c2', name: 'u', args: [] },
  ];
  expect(read(writeHarmony(calls)).calls).toMatchObject([
    { id: 'call_0', name: 't', args: { object: { k: '<|start|>' } } },
    { id: 'call_1', name: 'u', args: { object: {} } },
  ]);
});
