import { describe, expect, it } from 'vitest';
import { ORACLES } from '../oracles/oracles.ts';
import { disagreement } from '../properties/agreement.ts';
import type { StreamEnd, StreamEvent } from '../stream/event.ts';
import { feed } from '../testing/feed.ts';
import { delta, done, failure, finish, refused, text } from '../testing/hand-made-events.ts';
import { JsonObjectParser } from './json-object.ts';
import { JsonWholeParser } from './json-whole.ts';
import { DEFAULT_OPTIONS, type ToolCallParser } from './parser.ts';
import { PARSERS } from './protocols.ts';

const WHOLE = [Number.MAX_SAFE_INTEGER];
const BYTEWISE = [1];

function object(events: StreamEvent[], end: StreamEnd = 'complete', sizes = BYTEWISE): ToolCallParser {
  const parser = new JsonObjectParser(DEFAULT_OPTIONS);
  feed(parser, { events, end }, sizes);
  return parser;
}

function whole(events: StreamEvent[], end: StreamEnd = 'complete'): ToolCallParser {
  const parser = new JsonWholeParser(DEFAULT_OPTIONS);
  feed(parser, { events, end }, BYTEWISE);
  return parser;
}

function callsOf(parser: ToolCallParser): string[] {
  return parser.calls.map(
    ({ ordinal, id, name, args, end }) => `${ordinal} ${id} ${name} ${args.form === 'json' ? args.text : '?'} @${end}`,
  );
}

function errorOf({ error }: ToolCallParser): string | null {
  return error === null ? null : `${error.kind}@${error.offset} line ${error.line}`;
}

const A = { id: 'x', name: 'a' };
const B = { name: 'b' };

describe('the arguments of a call', () => {
  it.each([
    ['', '0 x a  @0'],
    [' {"k":1e400}\n', '0 x a  {"k":1e400}\n @13'],
    ['{"a":{"a":[{"a":"}"}]}}', '0 x a {"a":{"a":[{"a":"}"}]}} @23'],
    ['{"__proto__":1,"1":2}', '0 x a {"__proto__":1,"1":2} @21'],
    [String.raw`{"a":"\\","b":"\""}`, String.raw`0 x a {"a":"\\","b":"\""} @19`],
  ])('%j are one object', (args, call) => {
    expect(callsOf(whole([delta(0, args, A)]))).toEqual([call]);
    expect(callsOf(object([delta(0, args, A)]))).toEqual([call]);
  });

  it.each([
    [' ', 'args_not_object@1 line 1'],
    ['null', 'args_not_object@0 line 1'],
    ['\n[]', 'args_not_object@1 line 2'],
    ['{} x', 'args_not_object@3 line 1'],
    ['{}{}', 'args_not_object@2 line 1'],
    ['{"a":[}]', 'args_not_object@6 line 1'],
    ['{"a":\n1,}', 'args_not_object@8 line 2'],
    ['{"a":"\n"}', 'args_not_object@8 line 2'],
    ['{"a":1', 'args_not_object@6 line 1'],
    ['{"a":"}', 'args_not_object@7 line 1'],
    ['{"a":{"b":1,\n"\\u0062":2}}', 'duplicate_key@24 line 2'],
    ['{"a":1,"a":2}', 'duplicate_key@12 line 1'],
  ])('%j are not', (args, error) => {
    expect(errorOf(whole([delta(0, args, A)]))).toBe(error);
    expect(errorOf(object([delta(0, args, A)]))).toBe(error);
  });

  it('name the key that stands twice', () => {
    expect(whole([delta(0, '{"k":{"b":1,"b":2}}', A)]).error).toMatchObject({
      kind: 'duplicate_key',
      key: 'b',
      call: 'x',
    });
  });
});

describe('json-whole', () => {
  it('runs all calls at a complete end if every one is good', () => {
    const good = [delta(0, '{}', A), delta(1, '{"k":1}', B)];
    expect(callsOf(whole(good))).toEqual(['0 x a {} @9', '1 call_1 b {"k":1} @9']);
    expect(callsOf(whole(good, 'cut'))).toEqual([]);
    expect(callsOf(whole([...good, delta(2, '[]', B)]))).toEqual([]);
  });

  it('runs none if a delta was refused', () => {
    const parser = whole([delta(0, '{}', A), refused(null, 'orphan_delta')]);
    expect([callsOf(parser), errorOf(parser)]).toEqual([[], 'orphan_delta@2 line 1']);
  });
});

describe('json-object', () => {
  it('runs a call when a later one opens, a finish reason or [DONE] says so, or the stream is complete', () => {
    expect(callsOf(object([delta(0, '{"k":1}', A), delta(1, '', B)], 'cut'))).toEqual(['0 x a {"k":1} @7']);
    expect(callsOf(object([delta(0, '{}', A), finish('complete')], 'cut'))).toEqual(['0 x a {} @2']);
    expect(callsOf(object([delta(0, '{}', A), done()], 'cut'))).toEqual(['0 x a {} @2']);
    expect(callsOf(object([delta(0, '{}', A)], 'cut'))).toEqual([]);
  });

  it('closes nothing after a finish reason that means cut', () => {
    expect(
      callsOf(object([delta(0, '{}', A), finish('cut'), finish('complete'), delta(1, '', B), done()], 'cut')),
    ).toEqual([]);
  });

  it('runs no call without arguments before a complete end', () => {
    expect(callsOf(object([delta(0, '', A), delta(1, '{}', B)], 'cut'))).toEqual([]);
    expect(callsOf(object([delta(0, '', A), delta(1, '{}', B)]))).toEqual(['1 call_1 b {} @2', '0 x a  @2']);
  });

  it('goes on with the siblings of a bad call', () => {
    const parser = object([delta(0, '[', A), delta(1, '{}', B)]);
    expect([callsOf(parser), errorOf(parser)]).toEqual([['1 call_1 b {} @3'], 'args_not_object@0 line 1']);
  });

  it('runs {} that was closed, though more of it comes: the rule is not sound', () => {
    const parser = object([delta(0, '{}', A), delta(1, '{}', B), delta(0, ',"k":1}')]);
    expect(callsOf(parser)).toEqual(['0 x a {} @2', '1 call_1 b {} @11']);
    expect(errorOf(parser)).toBe('args_not_object@4 line 1');
  });

  it('runs a closed call at the byte that completes it, whatever follows in the same delta', () => {
    for (const sizes of [WHOLE, BYTEWISE]) {
      const blanks = object([delta(0, '{', A), delta(1, '{}', B), delta(0, '}  ')], 'cut', sizes);
      expect(callsOf(blanks)).toEqual(['0 x a {} @3']);
      const more = object([delta(0, '{', A), delta(1, '{}', B), delta(0, '}x')], 'cut', sizes);
      expect([callsOf(more), errorOf(more)]).toEqual([['0 x a {} @3'], 'args_not_object@4 line 1']);
    }
  });

  it('runs a closed call when its name comes', () => {
    for (const sizes of [WHOLE, BYTEWISE]) {
      expect(callsOf(object([delta(0, '{}'), delta(1, '{}', B), delta(0, '  ', A)], 'cut', sizes))).toEqual([
        '0 x a {} @4',
      ]);
    }
  });
});

describe('names', () => {
  it('may come after the arguments, and then what is wrong with those is an error', () => {
    expect(callsOf(whole([delta(0, '{}'), delta(0, '', A)]))).toEqual(['0 x a {} @2']);
    expect(errorOf(whole([delta(0, 'x'), delta(1, 'y', B), delta(0, '', A)]))).toBe('args_not_object@1 line 1');
    expect(errorOf(object([delta(0, 'x'), delta(0, '', A)]))).toBe('args_not_object@0 line 1');
  });

  it('must have come at a complete end', () => {
    expect(errorOf(whole([text('hi'), delta(0, 'x'), delta(1, '{', A)]))).toBe('orphan_delta@2 line 1');
    expect(errorOf(object([delta(0, ''), delta(1, '{}', A)]))).toBe('orphan_delta@2 line 1');
    expect(errorOf(object([delta(0, 'x')], 'cut'))).toBeNull();
  });
});

describe('a refused delta', () => {
  it('makes its call bad for good', () => {
    expect(callsOf(object([delta(0, '{}', A), refused(0, 'bad_delta'), delta(1, '{}', B)]))).toEqual([
      '1 call_1 b {} @4',
    ]);
  });

  it('opens no call, and so closes none', () => {
    const parser = object([delta(0, '{}', A), refused(1, 'bad_delta')], 'cut');
    expect([callsOf(parser), errorOf(parser)]).toEqual([[], 'bad_delta@2 line 1']);
    expect(callsOf(object([refused(1, 'bad_delta'), delta(0, '{}', A), delta(1, '{}', B)]))).toEqual(['0 x a {} @2']);
  });
});

describe('a failure', () => {
  it('is the error, and nothing after it is read', () => {
    const parser = object([delta(0, '{}', A), failure('stream_error'), delta(1, '{}', B)]);
    expect([callsOf(parser), errorOf(parser)]).toEqual([[], 'stream_error@2 line 1']);
  });
});

describe('pending', () => {
  it('counts the argument bytes of calls that neither ran nor are bad', () => {
    expect(object([delta(0, '{"k":', A)], 'cut').pending).toBe(5);
    expect(object([delta(0, '{}', A), delta(1, '{', B)], 'cut').pending).toBe(1);
    expect(whole([delta(0, '{}', A), delta(1, '{', B)], 'cut').pending).toBe(3);
    expect(whole([delta(0, '{}', A)]).pending).toBe(0);
  });
});

describe('half a character behind the arguments', () => {
  const half = { type: 'tool-delta', at: 0, call: 0, bytes: new Uint8Array(0), half: true } as const;

  it('keeps json-object from running the call, until it is joined', () => {
    const parser = new JsonObjectParser(DEFAULT_OPTIONS);
    for (const event of [delta(0, '{"a":1}', { name: 'f' }), half, finish('complete')]) parser.push(event);
    expect(parser.calls).toEqual([]);
    parser.push(delta(0, ' '));
    expect(parser.calls.map(({ name }) => name)).toEqual(['f']);
  });

  it('is no object at a complete end, for parser and oracle', () => {
    const events = [delta(0, '{"a":1}', { name: 'f' }), half];
    for (const protocol of ['json-whole', 'json-object'] as const) {
      const parser = PARSERS[protocol](DEFAULT_OPTIONS);
      for (const event of events) parser.push(event);
      parser.end('complete');
      expect(parser.error).toMatchObject({ kind: 'args_not_object', offset: 7 });
      expect(disagreement(parser, ORACLES[protocol](events, 'complete', DEFAULT_OPTIONS))).toBeNull();
    }
  });
});
