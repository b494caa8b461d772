import { describe, expect, it } from 'vitest';
import type { ParserOptions } from '../parsers/parser.ts';
import type { StreamEnd, StreamEvent } from '../stream/event.ts';
import { delta, done, failure, finish, refused, text } from '../testing/hand-made-events.ts';
import { readJsonObject, readJsonWhole } from './json.ts';

const OPTIONS: ParserOptions = { lineLimit: 4096, argumentLimit: 1024, argumentsPerCall: 64, callsPerMessage: 256 };

interface Summary {
  readonly whole: string[];
  readonly object: string[];
  readonly error: string | null;
}

function read(events: StreamEvent[], end: StreamEnd = 'complete'): Summary {
  const whole = readJsonWhole(events, end, OPTIONS);
  const object = readJsonObject(events, end, OPTIONS);
  expect(whole.error).toEqual(object.error);
  const error = whole.error === null ? null : `${whole.error.kind}@${whole.error.offset}`;
  return { whole: whole.calls.map(describeCall), object: object.calls.map(describeCall), error };
}

function describeCall({ ordinal, id, name, args, end }: ReturnType<typeof readJsonWhole>['calls'][number]): string {
  if (args.form !== 'json') throw new Error('native arguments are JSON');
  expect(args.object).toEqual(args.text === '' ? {} : JSON.parse(args.text));
  return `${ordinal} ${id} ${name} ${args.text} @${end}`;
}

const a = (args: string): StreamEvent => delta(0, args, { id: 'c1', name: 'a' });
const b = (args: string): StreamEvent => delta(1, args, { id: 'c2', name: 'b' });

describe('one call in a complete stream', () => {
  it('has all its bytes for text, blanks included, and ends at its brace', () => {
    const call = '0 c1 a  {"k":"a}{b\\""}\n @14';
    expect(read([a(' {"k":"a}'), delta(0, '{b\\""}\n')])).toEqual({ whole: [call], object: [call], error: null });
  });

  it('counts text before it and gets an id where it has none', () => {
    const events = [text('é'), delta(0, '{', { name: 'a' }), text('x'), delta(0, '}')];
    expect(read(events).whole).toEqual(['0 call_0 a {} @4']);
  });

  it('takes no bytes at all for {} at the content length', () => {
    expect(read([a(''), text('xyz')])).toEqual({ whole: ['0 c1 a  @3'], object: ['0 c1 a  @3'], error: null });
    expect(read([a(''), finish('complete')], 'cut')).toEqual({ whole: [], object: [], error: null });
  });

  it('may be named after its arguments', () => {
    const named = read([delta(0, '{"x":1'), delta(0, '}', { id: 'c1', name: 'a' })]);
    expect(named.whole).toEqual(['0 c1 a {"x":1} @6']);
  });

  it.each([
    ['1', 'args_not_object@0'],
    [' "{}"', 'args_not_object@1'],
    ['[]', 'args_not_object@0'],
    ['\ufeff{}', 'args_not_object@0'],
    ['{}{}', 'args_not_object@2'],
    ['{} x', 'args_not_object@3'],
    ['{"a":1]', 'args_not_object@6'],
    ['{"a":[1}', 'args_not_object@7'],
    ['{"a":01}', 'args_not_object@7'],
    ['{"a":"x\ny"}', 'args_not_object@10'],
    ['{"a":1,}x', 'args_not_object@7'],
    ['{"a":{"b":1,"\\u0062":2}}x', 'duplicate_key@23'],
    ['{"a":1,"a":02}', 'args_not_object@13'],
  ])('%j is %s, in a cut as well', (args, error) => {
    expect(read([a(args)])).toEqual({ whole: [], object: [], error });
    expect(read([a(args)], 'cut')).toEqual({ whole: [], object: [], error });
  });

  it.each([' ', '{"a":1', '{"a":"}', '{"a":"\\"}'])('%j is an error only at a complete end', (args) => {
    expect(read([a(args)])).toEqual({ whole: [], object: [], error: `args_not_object@${args.length}` });
    expect(read([a(args)], 'cut')).toEqual({ whole: [], object: [], error: null });
  });

  it.each(['{"a":{"k":1},"b":{"k":1}}', '{"a":"a","b":["a","a"]}', '{"a":[{"k":1},{"k":1}]}'])(
    'finds no key twice in %s',
    (args) => {
      expect(read([a(args)]).error).toBeNull();
    },
  );

  it('reads objects nested deeper than any stack', () => {
    const args = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect(readJsonWhole([a(args)], 'complete', OPTIONS).calls).toHaveLength(1);
  });
});

describe('several calls', () => {
  it('run all under json-whole, or none if one is bad', () => {
    expect(read([a('{}'), b('{"x":1}')]).whole).toEqual(['0 c1 a {} @1', '1 c2 b {"x":1} @8']);
    expect(read([a('{}'), b('{"x":1}'), delta(0, '{"y":2}')])).toEqual({
      whole: [],
      object: ['1 c2 b {"x":1} @8'],
      error: 'args_not_object@9',
    });
  });

  it('report the error whose byte came first, whichever call it is in', () => {
    expect(read([a('{"x":'), b('?'), delta(0, ']')]).error).toBe('args_not_object@5');
    expect(read([a('{"x":'), b(' '), delta(0, ']'), delta(1, '?')]).error).toBe('args_not_object@6');
  });

  it('put refused deltas in their place among the errors', () => {
    expect(read([a('{'), refused(null, 'orphan_delta'), b('?')]).error).toBe('orphan_delta@1');
    expect(read([a('{'), b('?'), refused(0, 'bad_delta')]).error).toBe('args_not_object@1');
    expect(read([a('{'), refused(7, 'bad_delta'), delta(0, '?}')]).error).toBe('bad_delta@1');
  });

  it('do without a refused call, for good', () => {
    expect(read([a('{}'), refused(0, 'args_not_object'), b('{}'), delta(0, ' ')])).toEqual({
      whole: [],
      object: ['1 c2 b {} @3'],
      error: 'args_not_object@2',
    });
  });

  it('run none under json-whole when a refused delta was nobody’s', () => {
    expect(read([a('{}'), refused(null, 'orphan_delta')])).toEqual({
      whole: [],
      object: ['0 c1 a {} @1'],
      error: 'orphan_delta@2',
    });
  });

  it('report at the end nameless calls before unfinished ones', () => {
    expect(read([a('{"x"'), text('--'), delta(1, ''), delta(1, '"y":1}')]).error).toBe('orphan_delta@6');
    expect(read([a('{"x"'), delta(1, '')]).error).toBe('orphan_delta@4');
    expect(read([a('{"x"'), delta(1, '"y":1}')], 'cut').error).toBeNull();
  });

  it('notice what is wrong with nameless bytes when their name comes', () => {
    const events = [a('{'), delta(1, '?'), delta(0, ']'), delta(1, '', { name: 'b' })];
    expect(read(events).error).toBe('args_not_object@2');
    expect(read([a('{'), delta(1, '?'), delta(1, '', { name: 'b' }), delta(0, ']')]).error).toBe('args_not_object@1');
  });
});

describe('closing under json-object', () => {
  const closed = (events: StreamEvent[]): string[] => read(events, 'cut').object.map((call) => call.slice(0, 4));

  it('needs a later call, a nameless one included, a finish that means complete, or done', () => {
    expect(closed([a('{"x":1}')])).toEqual([]);
    expect(closed([a('{"x":1}'), b('{"x":1}')])).toEqual(['0 c1']);
    expect(closed([a('{"x":1}'), delta(1, '')])).toEqual(['0 c1']);
    expect(closed([a('{"x":1}'), finish('complete')])).toEqual(['0 c1']);
    expect(closed([a('{"x":1}'), done()])).toEqual(['0 c1']);
  });

  it('is not done by the end of a cut, by a failure, or by anything after a finish that means cut', () => {
    expect(closed([a('{"x":1}'), text('x')])).toEqual([]);
    expect(closed([a('{"x":1}'), failure('stream_error'), b('{}')])).toEqual([]);
    expect(closed([a('{"x":1}'), finish('cut'), finish('complete'), b('{}'), done()])).toEqual([]);
  });

  it('is for good: arguments may become an object later, after a cut too', () => {
    expect(closed([a('{"x"'), finish('complete'), delta(0, ':1}')])).toEqual(['0 c1']);
    expect(closed([a('{"x"'), b('{"x":1}'), finish('cut'), delta(0, ':1}')])).toEqual(['0 c1']);
  });

  it('does not reach calls that open later', () => {
    expect(closed([a('{"x":1}'), finish('complete'), b('{"x":1}')])).toEqual(['0 c1']);
  });

  it('keeps what was closed before a failure, and reads nothing after', () => {
    expect(read([a('{"x":1}'), b('{'), failure('stream_error'), delta(1, '?')])).toEqual({
      whole: [],
      object: ['0 c1 a {"x":1} @6'],
      error: 'stream_error@8',
    });
  });
});
