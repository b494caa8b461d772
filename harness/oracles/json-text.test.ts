import { describe, expect, it } from 'vitest';
import type { ParserOptions } from '../parsers/parser.ts';
import type { StreamEnd, StreamEvent } from '../stream/event.ts';
import { delta, failure, refused, text } from '../testing/hand-made-events.ts';
import { readJsonObject, readJsonWhole } from './json.ts';

const OPTIONS: ParserOptions = { lineLimit: 4096, argumentLimit: 1024, argumentsPerCall: 64, callsPerMessage: 256 };

interface Summary {
  readonly whole: string[];
  readonly object: string[];
  readonly error: string | null;
}

function read(stream: string | StreamEvent[], end: StreamEnd = 'complete'): Summary {
  const events = typeof stream === 'string' ? [text(stream)] : stream;
  const whole = readJsonWhole(events, end, OPTIONS);
  const object = readJsonObject(events, end, OPTIONS);
  expect(whole.error).toEqual(object.error);
  const error = whole.error === null ? null : `${whole.error.kind}@${whole.error.offset}`;
  return { whole: whole.calls.map(describeCall), object: object.calls.map(describeCall), error };
}

function describeCall({ ordinal, id, name, args, end }: ReturnType<typeof readJsonWhole>['calls'][number]): string {
  if (args.form !== 'json') throw new Error('native arguments are JSON');
  expect(id).toBe(`call_${ordinal}`);
  expect(args.object).toEqual(JSON.parse(args.text));
  return `${name} ${args.text} @${end}`;
}

const A = '{"name":"a","arguments":{}}';
const B = '{ "arguments" : { "x" : [1, "é}"] } , "n\\u0061me" : "b" }';

describe('a message of calls', () => {
  it('may be one object, with its arguments byte for byte', () => {
    const call = `b { "x" : [1, "é}"] } @${Buffer.byteLength(B)}`;
    expect(read(` ${B}\n`)).toEqual({ whole: [call], object: [call], error: null });
  });

  it('may be an array of them', () => {
    const calls = ['a {} @28', 'a {} @57'];
    expect(read(`[ ${A} ,${A}]\r\n`)).toEqual({ whole: calls, object: calls, error: null });
  });

  it('may follow a leading think block', () => {
    expect(read(`<think>${A}</think>\n${A}`).whole).toEqual(['a {} @69']);
    expect(read(`<think>${A}`)).toEqual({ whole: [], object: [], error: null });
  });

  it('runs element by element under json-object, in a cut too', () => {
    expect(read(`[${A},{"name"`, 'cut')).toEqual({ whole: [], object: ['a {} @27'], error: null });
    expect(read(A, 'cut')).toEqual({ whole: [], object: ['a {} @26'], error: null });
    expect(read([text(A), failure('stream_error')])).toEqual({
      whole: [],
      object: ['a {} @26'],
      error: 'stream_error@27',
    });
  });
});

describe('a message that is text', () => {
  it.each([
    '',
    'Sure: {"name":"a","arguments":{}}',
    '{"name":"a"}',
    '{"name":"","arguments":{}}',
    '{"name":1,"arguments":{}}',
    '{"name":"a","arguments":[]}',
    '{"name":"a","arguments":{},"id":"x"}',
    '{"name":"a","name":"a","arguments":{},"id":"x"}',
    '{"name":"a","arguments":{',
    '{"name":"a","arguments":{}]',
    '{"name":"a","arguments":{"x":01}}',
    '[]',
    '[',
    '[1,2]',
    `[[${A}]]`,
    `[{},${A}]`,
  ])('%j has neither calls nor errors', (message) => {
    for (const end of ['complete', 'cut'] as const) {
      expect(read(message, end)).toEqual({ whole: [], object: [], error: null });
    }
  });
});

describe('a message of calls that leaves the language', () => {
  it.each([
    [`${A} {`, 'args_not_object@28'],
    [`[${A};`, 'args_not_object@28'],
    [`[${A},]`, 'args_not_object@29'],
    [`[${A}, 1]`, 'args_not_object@30'],
    [`[${A},{}]`, 'args_not_object@30'],
    [`[${A},{"name":]`, 'args_not_object@37'],
    [`[${A},{"name"}]`, 'args_not_object@36'],
    [`[${A}] x`, 'args_not_object@30'],
    [`[${A},{"name":"a","arguments":{"x":1,"x":2}}]`, 'duplicate_key@66'],
  ])('%j is %s, in a cut as well, and keeps what ran', (message, error) => {
    const ran = message.startsWith('[') ? 'a {} @27' : 'a {} @26';
    for (const end of ['complete', 'cut'] as const) {
      expect(read(message, end)).toEqual({ whole: [], object: [ran], error });
    }
  });

  it('refuses a first element that would be a call but for a key that stands twice', () => {
    const repeated = { whole: [], object: [], error: 'duplicate_key@37' };
    expect(read('{"name":"a","arguments":{},"name":"b"} and more')).toEqual(repeated);
  });

  it.each([`[${A}`, `[${A},`, `[${A}, {"name"`])('refuses %j at a complete end only', (message) => {
    expect(read(message).error).toBe(`args_not_object@${message.length}`);
    expect(read(message, 'cut').error).toBeNull();
  });
});

describe('a stream with a tool delta', () => {
  it('has no calls in its text', () => {
    const native = '0 {"x":1} @36';
    const { whole, object, error } = read([text(`${A}  `), delta(0, '{"x":1}', { name: '0', id: 'call_0' })]);
    expect({ whole, object, error }).toEqual({
      whole: [native.replace('36', '35')],
      object: ['0 {"x":1} @35'],
      error: null,
    });
  });

  it('has no error for what was wrong in its text before the delta', () => {
    const { object, error } = read([text(`${A} x`), delta(0, '{"x":1}', { name: 'n' }), text('y')]);
    expect({ object, error }).toEqual({ object: ['n {"x":1} @35'], error: null });
  });

  it('has no error in text that the delta interrupts or follows', () => {
    expect(read([text(`[${A}`), delta(0, '{"x":1}', { name: 'n' }), text('y')]).error).toBeNull();
  });

  it('has no calls in its text when the delta was refused', () => {
    expect(read([text(A), refused(null, 'orphan_delta')])).toEqual({ whole: [], object: [], error: 'orphan_delta@27' });
  });
});
