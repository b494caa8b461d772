import { describe, expect, it } from 'vitest';
import { CtlParser } from '../parsers/ctl.ts';
import { DEFAULT_OPTIONS, type ParserFactory } from '../parsers/parser.ts';
import { contentLength, type StreamEvent } from '../stream/event.ts';
import { StreamReader } from '../stream/stream-reader.ts';
import { delta, finish, text } from '../testing/hand-made-events.ts';
import { checkSplits, mergeDeltas, type SplitSubject } from './split.ts';

const MESSAGE = 'call c1 t\narg k 2\nab\nend\n';

function subject(create: ParserFactory): SplitSubject {
  const chunk = JSON.stringify({ choices: [{ index: 0, delta: { content: MESSAGE } }] });
  const bytes = Buffer.from(`data: ${chunk}\n\ndata: [DONE]\n\n`);
  const events: StreamEvent[] = [];
  const reader = new StreamReader('openai-chat', (event) => events.push(event));
  reader.push(bytes);
  return {
    bytes,
    wire: 'openai-chat',
    stream: { events, end: reader.end() },
    create,
    options: DEFAULT_OPTIONS,
    seed: 'split',
  };
}

/** Forgets a byte that comes at the end of a delta. */
class Forgetful extends CtlParser {
  readonly #byte: number;

  constructor(byte: string) {
    super(DEFAULT_OPTIONS);
    this.#byte = byte.charCodeAt(0);
  }

  override push(event: StreamEvent, from = 0, to = contentLength(event)): void {
    const forgets =
      event.type === 'text' && to - from > 1 && to < event.bytes.length && event.bytes[to - 1] === this.#byte;
    super.push(event, from, forgets ? to - 1 : to);
  }
}

describe('splits', () => {
  it('do not matter to a parser', () => {
    const { tried, ...verdict } = { tried: 0, ...checkSplits(subject((options) => new CtlParser(options))) };
    expect(verdict).toEqual({ property: 'split', status: 'holds' });
    expect(tried).toBeGreaterThan(100);
  });

  it('show a parser to which they matter, with the smallest cut that does', () => {
    const verdict = checkSplits(subject(() => new Forgetful('b')));
    expect(verdict).toMatchObject({
      status: 'violated',
      count: 1,
      first: { level: 'content', prefix: MESSAGE.indexOf('b') + 1 },
    });
    expect(checkSplits(subject(() => new Forgetful(' ')))).toMatchObject({ status: 'violated', first: { prefix: 5 } });
  });
});

describe('merged deltas', () => {
  it('are the fewest events that the same content could have come in', () => {
    const named = { name: 'a' };
    const merged = mergeDeltas([
      text('a'),
      text('b'),
      delta(0, '{', named),
      delta(0, '}'),
      delta(1, '', { name: 'b' }),
      delta(0, ' '),
      finish('complete'),
      text('c'),
    ]);
    expect(merged).toEqual([
      text('ab'),
      delta(0, '{}', named),
      delta(1, '', { name: 'b' }),
      delta(0, ' '),
      finish('complete'),
      text('c'),
    ]);
  });
});
