import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { payloadText } from './payload-text.ts';
import { SseDecoder } from './sse.ts';

type Seen = { readonly data: string; readonly name: string; readonly at: number };

interface Decoded {
  readonly events: Seen[];
  readonly tooLong: number | null;
  readonly held: number;
  readonly unread: number;
}

function decode(bytes: Uint8Array, cuts: Iterable<number>, limit?: number): Decoded {
  const events: Seen[] = [];
  let tooLong: number | null = null;
  const decoder = new SseDecoder(
    {
      event: (event) => events.push({ data: payloadText(event) ?? 'no UTF-8', name: event.name, at: event.at }),
      tooLong: (at) => {
        tooLong = at;
      },
    },
    limit,
  );
  let from = 0;
  for (const to of cuts) {
    decoder.push(bytes, from, to);
    from = to;
  }
  decoder.push(bytes, from);
  expect(decoder.position).toBe(bytes.length);
  return { events, tooLong, held: decoder.held, unread: decoder.unread };
}

function everyCut(bytes: Uint8Array): number[] {
  return Array.from(bytes, (_, i) => i);
}

function expectSameAtEverySplit(bytes: Uint8Array, limit?: number): Decoded {
  const whole = decode(bytes, [], limit);
  expect(decode(bytes, everyCut(bytes), limit)).toEqual(whole);
  for (let cut = 0; cut <= bytes.length; cut++) expect(decode(bytes, [cut], limit)).toEqual(whole);
  return whole;
}

/** The rules once more, by other means: all lines at once, from a string of bytes. */
function reference(bytes: Uint8Array): Seen[] {
  const text = Buffer.from(bytes)
    .toString('latin1')
    .replace(/^\xEF\xBB\xBF/, '\x00\x00\x00');
  const events: Seen[] = [];
  let data: string[] = [];
  let name = '';
  let lineStart = text.startsWith('\x00\x00\x00') ? 3 : 0;
  for (const end of text.matchAll(/\r\n|\r|\n/g)) {
    const line = text.slice(lineStart, end.index);
    const [, field, value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (line === '') {
      if (data.length > 0) events.push({ data: utf8(data.join('\n')), name: utf8(name), at: end.index });
      data = [];
      name = '';
    } else if (field === 'data') data.push(value);
    else if (field === 'event') name = value;
    lineStart = end.index + end[0].length;
  }
  return events;
}

function utf8(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('utf8');
}

const lineEnd = fc.constantFrom('\n', '\r', '\r\n');
const value = fc.oneof(
  {
    arbitrary: fc.string({ unit: fc.constantFrom('a', ' ', ':', '"', 'é', '語', '😀', '\uFEFF', '\\'), maxLength: 12 }),
    weight: 4,
  },
  { arbitrary: fc.constantFrom('x'.repeat(300), 'é'.repeat(700), '語'.repeat(500)), weight: 1 },
);
const line = fc
  .tuple(
    fc.constantFrom('data', 'data', 'data', 'event', 'id', 'retry', 'dat', 'datas', 'events', 'other', ''),
    fc.constantFrom(':', ': ', ':  '),
    value,
  )
  .map((parts) => parts.join(''));
const bareLine = fc.constantFrom('data', 'event', 'dat', 'id', 'eventual', ' data: x', '');
const stream = fc
  .tuple(
    fc.constantFrom('', '\uFEFF'),
    fc.array(fc.tuple(fc.oneof({ arbitrary: line, weight: 4 }, bareLine), lineEnd, fc.option(lineEnd, { nil: '' })), {
      maxLength: 12,
    }),
  )
  .map(([bom, lines]) => new TextEncoder().encode(bom + lines.flat().join('')));
const cuts = fc.array(fc.nat(2000), { maxLength: 10 });

function sortedCuts(drawn: readonly number[], bytes: Uint8Array): number[] {
  return drawn.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b);
}

describe('SSE decoder', () => {
  it.each<[string, string, [data: string, name: string, at: number][]]>([
    ['one event', 'data: a\n\n', [['a', '', 8]]],
    ['no blank after the colon', 'data:a\n\n', [['a', '', 7]]],
    ['only one blank is dropped', 'data:  a\n\n', [[' a', '', 9]]],
    ['a tab is no blank', 'data:\ta\n\n', [['\ta', '', 8]]],
    ['several data lines', 'data: a\ndata\ndata:b\n\n', [['a\n\nb', '', 20]]],
    ['data without a colon is an empty payload', 'data\n\n', [['', '', 5]]],
    ['an empty data line is an empty payload', 'data:\n\n', [['', '', 6]]],
    [
      'two data lines without values',
      'data\ndata\n\ndata:test\n\n',
      [
        ['\n', '', 10],
        ['test', '', 21],
      ],
    ],
    ['the last event name counts', 'event: a\nevent: b\ndata: 1\n\n', [['1', 'b', 26]]],
    ['an event name can be taken back', 'event: a\nevent\ndata: 1\n\n', [['1', '', 23]]],
    ['a name without data is no event, and is forgotten', 'event: a\n\ndata: 1\n\n', [['1', '', 18]]],
    ['comments and other fields', ':\n: x\nid: 7\nretry: 3\nfoo\ndata: 1\n\n', [['1', '', 33]]],
    ['field names are whole and case-sensitive', 'Data: 1\ndatas: 2\ndat: 3\n data: 4\ndata : 5\n\n', []],
    ['CR', 'data: a\r\r', [['a', '', 8]]],
    ['CR LF', 'data: a\r\n\r\n', [['a', '', 9]]],
    ['LF CR is two ends', 'data: a\n\r', [['a', '', 8]]],
    [
      'LF CR LF',
      'data: a\n\r\ndata: b\r\n\n',
      [
        ['a', '', 8],
        ['b', '', 19],
      ],
    ],
    [
      'CR CR LF',
      'data: a\r\r\ndata: b\n\n',
      [
        ['a', '', 8],
        ['b', '', 18],
      ],
    ],
    ['one BOM', '\uFEFFdata: a\n\n', [['a', '', 11]]],
    ['a second BOM makes another field', '\uFEFF\uFEFFdata: a\n\n', []],
    ['a BOM later makes another field', 'data: a\n\n\uFEFFdata: b\n\n', [['a', '', 8]]],
    ['a BOM in a value is text', 'data: \uFEFF\n\n', [['\uFEFF', '', 10]]],
    ['NUL is text', 'data: a\0b\n\n', [['a\0b', '', 10]]],
    ['blank lines alone', '\n\n\r\n\r', []],
    ['no blank line at the end', 'data: a\n\ndata: b\n', [['a', '', 8]]],
    ['no line end at the end', 'data: a\n\ndata: b', [['a', '', 8]]],
  ])('reads %s, at every split', (_, text, expected) => {
    const { events, tooLong } = expectSameAtEverySplit(new TextEncoder().encode(text));
    expect(events).toEqual(expected.map(([data, name, at]) => ({ data, name, at })));
    expect(tooLong).toBeNull();
  });

  it('reads a broken BOM as the beginning of an unknown field', () => {
    for (const head of [[0xef], [0xef, 0xbb], [0xef, 0xbb, 0x64], [0xef, 0xbb, 0xbb]]) {
      const bytes = Uint8Array.from([...head, ...Buffer.from('data: a\n\ndata: b\n\n')]);
      expect(expectSameAtEverySplit(bytes).events).toEqual([{ data: 'b', name: '', at: bytes.length - 1 }]);
    }
  });

  it('dispatches at the CR, before the next byte is known', () => {
    const bytes = Buffer.from('data: a\r\r\n');
    expect(decode(bytes.subarray(0, 9), []).events).toHaveLength(1);
  });

  it('agrees with eventsource-parser, whole, byte by byte and at random splits', () => {
    fc.assert(
      fc.property(stream, cuts, (head, drawn) => {
        // The parser waits at a CR for what follows: a last comment line gives it that.
        const bytes = Buffer.concat([head, Buffer.from('\n\n:\n')]);
        const theirs: { data: string; name: string }[] = [];
        const parser = createParser({ onEvent: ({ data, event }) => theirs.push({ data, name: event ?? '' }) });
        parser.feed(new TextDecoder().decode(bytes));
        for (const at of [[], everyCut(bytes), sortedCuts(drawn, bytes)]) {
          expect(decode(bytes, at).events.map(({ data, name }) => ({ data, name }))).toEqual(theirs);
        }
      }),
      { seed: 20261, numRuns: 500 },
    );
  });

  it('gives the offsets of a reading by other means, whole, byte by byte and at random splits', () => {
    fc.assert(
      fc.property(stream, cuts, (bytes, drawn) => {
        const expected = reference(bytes);
        for (const at of [[], everyCut(bytes), sortedCuts(drawn, bytes)]) {
          expect(decode(bytes, at).events).toEqual(expected);
        }
      }),
      { seed: 20262, numRuns: 500 },
    );
  });

  it('says that an event is too long at the same byte, whatever the split', () => {
    fc.assert(
      fc.property(stream, cuts, fc.nat(30), (bytes, drawn, limit) => {
        const whole = decode(bytes, [], limit);
        expect(decode(bytes, everyCut(bytes), limit)).toEqual(whole);
        expect(decode(bytes, sortedCuts(drawn, bytes), limit)).toEqual(whole);
      }),
      { seed: 20263, numRuns: 500 },
    );
  });
});

describe('the limit of the SSE decoder', () => {
  it.each<[string, string, number, number | null]>([
    ['a payload of the limit', 'data: 12345678\n\n', 8, null],
    ['one byte more', 'data: 123456789\n\n', 8, 14],
    ['the LF that joins two lines', 'data: 1234\ndata: 5678\n\n', 8, 20],
    ['the LF at the limit', 'data: 12345678\ndata\n\n', 8, 19],
    ['the event name', 'event: 12345\ndata: 1234\n\n', 8, 22],
    ['a name that is replaced', 'event: 12345\nevent: 1\ndata: 1234567\n\n', 8, null],
    ['events one after the other', 'data: 12345678\n\ndata: 12345678\n\n', 8, null],
    ['comments and other fields', `: ${'x'.repeat(400)}\nid: ${'x'.repeat(400)}\ndata: 1\n\n`, 8, null],
  ])('counts %s', (_, text, limit, tooLong) => {
    expect(expectSameAtEverySplit(Buffer.from(text), limit).tooLong).toBe(tooLong);
  });

  it('is 16 MiB unless asked otherwise', () => {
    const payload = Buffer.alloc(16 * 1024 * 1024, 'a');
    const head = Buffer.from('data: ');
    const fits = decode(Buffer.concat([head, payload, Buffer.from('\n\n')]), []);
    expect(fits.events[0]?.data.length).toBe(payload.length);
    const tooLong = decode(Buffer.concat([head, payload, Buffer.from('a\n\n')]), []);
    expect(tooLong).toEqual({ events: [], tooLong: head.length + payload.length, held: 0, unread: 2 });
  });

  it('leaves a dead decoder: it holds nothing and reads nothing', () => {
    const decoded = expectSameAtEverySplit(Buffer.from('data: 123456789\n\ndata: 1\n\n'), 8);
    expect(decoded).toEqual({ events: [], tooLong: 14, held: 0, unread: 11 });
  });
});

describe('what the SSE decoder holds', () => {
  it('is the payload and the name of the unfinished event', () => {
    const decoder = new SseDecoder({ event: () => {}, tooLong: () => {} });
    const held = [': comment\n', 'id: 123\n', 'da', 'ta: 123', '45', '\nevent: ab', '\n', 'data:', '6', '\n', '\n'].map(
      (piece) => {
        decoder.push(Buffer.from(piece));
        return decoder.held;
      },
    );
    expect(held).toEqual([0, 0, 0, 3, 5, 7, 7, 8, 9, 9, 0]);
  });

  it('is nothing of the bytes pushed: the caller may reuse them', () => {
    const seen: string[] = [];
    const decoder = new SseDecoder({ event: (event) => seen.push(payloadText(event) ?? ''), tooLong: () => {} });
    const piece = Buffer.from(`data: ${'a'.repeat(200)}`);
    decoder.push(piece);
    piece.fill('b');
    decoder.push(Buffer.from('\n\n'));
    expect(seen).toEqual(['a'.repeat(200)]);
  });

  it('is nothing once the sink has stopped it, and the rest is counted as unread', () => {
    for (const [end, unread] of [
      ['\n\n', 0],
      ['\r\n\r\n', 0],
      ['\r\r', 0],
      ['\n\n\n', 1],
      ['\r\n\r\nx', 1],
      ['\r\r\r', 1],
    ] as const) {
      const bytes = Buffer.from(`data: a${end}`);
      for (const at of [[], everyCut(bytes)]) {
        let events = 0;
        const decoder: SseDecoder = new SseDecoder({
          event: () => {
            events++;
            decoder.stop();
          },
          tooLong: () => {},
        });
        let from = 0;
        for (const to of [...at, bytes.length]) {
          decoder.push(bytes, from, to);
          from = to;
        }
        expect({ end, events, unread: decoder.unread, held: decoder.held }).toEqual({
          end,
          events: 1,
          unread,
          held: 0,
        });
      }
    }
  });
});
