import { describe, expect, it } from 'vitest';
import type { StreamEnd, StreamEvent } from '../stream/event.ts';
import { feed } from '../testing/feed.ts';
import { delta, failure, refused, text } from '../testing/hand-made-events.ts';
import { DEFAULT_OPTIONS, type ToolCallParser } from './parser.ts';
import { PARSERS } from './protocols.ts';

function read(
  protocol: 'json-whole' | 'json-object',
  message: string | StreamEvent[],
  end: StreamEnd = 'complete',
): string[] {
  const parser = PARSERS[protocol](DEFAULT_OPTIONS);
  feed(parser, { events: typeof message === 'string' ? [text(message)] : message, end }, [4, 1]);
  return [...callsOf(parser), ...errorOf(parser)];
}

function callsOf(parser: ToolCallParser): string[] {
  return parser.calls.map(
    ({ id, name, args, end }) => `${id} ${name} ${args.form === 'json' ? args.text : '?'} @${end}`,
  );
}

function errorOf({ error }: ToolCallParser): string[] {
  return error === null ? [] : [`${error.kind}@${error.offset} line ${error.line}`];
}

const CALL = '{"name":"a","arguments":{"k": 1}}';

describe('a message that is a call', () => {
  it('runs at its brace under json-object, at the end under json-whole', () => {
    expect(read('json-object', `${CALL}\n`, 'cut')).toEqual(['call_0 a {"k": 1} @32']);
    expect(read('json-whole', `${CALL}\n`)).toEqual(['call_0 a {"k": 1} @34']);
    expect(read('json-whole', `${CALL}\n`, 'cut')).toEqual([]);
  });

  it('may have its members the other way round, and a think block before it', () => {
    expect(read('json-object', '<think>{}</think>\n{"arguments":{},"name":"b"}')).toEqual(['call_0 b {} @44']);
  });

  it('may be an array of calls', () => {
    expect(read('json-object', `[${CALL},\n${CALL}`, 'cut')).toEqual([
      'call_0 a {"k": 1} @33',
      'call_1 a {"k": 1} @68',
    ]);
    expect(read('json-whole', `[${CALL} , ${CALL} ]`)).toHaveLength(2);
  });
});

describe('a message whose first element is no call', () => {
  it.each([
    'Hello',
    '',
    '[]',
    '[1]',
    '{"name":"a"}',
    '{"name":"","arguments":{}}',
    '{"name":"a","arguments":[]}',
    '{"name":"a","arguments":{}',
    '[ x',
    '{]',
  ])('%j is text', (message) => {
    expect(read('json-whole', message)).toEqual([]);
    expect(read('json-object', message)).toEqual([]);
  });

  it('is looked at for its shape first, then for its keys', () => {
    expect(read('json-object', '{"name":"a","name":"b","arguments":{}}')).toEqual(['duplicate_key@37 line 1']);
    expect(read('json-object', '{"name":"a","name":"b","arguments":{},"x":1}')).toEqual([]);
  });
});

describe('a message that leaves the language after a call', () => {
  it.each([
    [`${CALL}\nx`, 'args_not_object@34 line 2'],
    [`[${CALL}\n;`, 'args_not_object@35 line 2'],
    [`[${CALL},]`, 'args_not_object@35 line 1'],
    [`[${CALL},{"a":\n1}]`, 'args_not_object@42 line 2'],
    [`[${CALL},{"name":"a","arguments":{"k":1,"k":2}}]`, 'duplicate_key@72 line 1'],
    [`[${CALL}] x`, 'args_not_object@36 line 1'],
    [`[${CALL}`, 'args_not_object@34 line 1'],
    [`[${CALL},{"na`, 'args_not_object@39 line 1'],
  ])('%j', (message, error) => {
    expect(read('json-object', message)).toEqual([expect.stringContaining('call_0 a'), error]);
    expect(read('json-whole', message)).toEqual([error]);
  });
});

describe('a tool delta after text', () => {
  const native = delta(0, '{}', { name: 'n' });

  it('makes it no message of calls', () => {
    expect(read('json-whole', [text(CALL), native])).toEqual(['call_0 n {} @35']);
    expect(read('json-whole', [text(`${CALL} x`), native])).toEqual(['call_0 n {} @37']);
    expect(read('json-whole', [text(CALL), refused(null, 'orphan_delta')])).toEqual(['orphan_delta@33 line 1']);
    expect(read('json-object', [text('{"name":'), native])).toEqual(['call_0 n {} @10']);
  });

  it('comes too late for json-object if the text has run', () => {
    expect(read('json-object', [text(CALL), native])).toEqual(['call_0 a {"k": 1} @32', 'call_0 n {} @35']);
  });
});

describe('a failure after text that was wrong', () => {
  it('does not hide what was wrong', () => {
    const events = [text(`${CALL} x`), failure('stream_error')];
    expect(read('json-whole', events)).toEqual(['args_not_object@34 line 1']);
    expect(read('json-object', events)).toEqual(['call_0 a {"k": 1} @32', 'args_not_object@34 line 1']);
  });
});
