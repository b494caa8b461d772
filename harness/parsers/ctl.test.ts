import { describe, expect, it } from 'vitest';
import type { StreamEnd, StreamEvent } from '../stream/event.ts';
import { feed } from '../testing/feed.ts';
import { delta, done, failure, finish, reasoning, refused, text } from '../testing/hand-made-events.ts';
import { CtlParser } from './ctl.ts';
import { DEFAULT_OPTIONS, type ParserOptions } from './parser.ts';

function read(
  message: string | StreamEvent[],
  end: StreamEnd = 'complete',
  options: Partial<ParserOptions> = {},
): CtlParser {
  const parser = new CtlParser({ ...DEFAULT_OPTIONS, ...options });
  const events = typeof message === 'string' ? [text(message)] : message;
  feed(parser, { events, end }, [3, 1, 4]);
  return parser;
}

function callsOf(parser: CtlParser): string[] {
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

function errorOf({ error }: CtlParser): string | null {
  return error === null ? null : `${error.kind}@${error.offset} line ${error.line}`;
}

const CALL = 'call c1 t\n';

describe('the worked cases of the specification', () => {
  it.each([
    [`${CALL}arg k 5\nhello\nend\n`, 'c1 t k="hello" @27'],
    [`${CALL}arg k 6\nhello\nend\n`, 'c1 t k="hello\\n" @27'],
    [`${CALL}arg k 5\nhello\nend`, 'c1 t k="hello" @27'],
    [`${CALL}arg k <<E\n\n E\nend\nE\nend\n`, 'c1 t k="\\n E\\nend\\n" @33'],
    [`${CALL}arg k 12a\nend\n`, 'c1 t k="12a" @23'],
    [`${CALL}end\nResult: ok\n`, 'c1 t @13'],
    [`${CALL}arg k 3\né!\nend\n`, 'c1 t k="é!" @25'],
  ])('%j is one call', (message, call) => {
    const parser = read(message);
    expect(callsOf(parser)).toEqual([call]);
    expect(parser.error).toBeNull();
  });

  it.each([
    [`${CALL}arg k 4\nhello\nend\n`, 'unexpected_line@22 line 3'],
    [`${CALL}arg k 400\nhello\nend\n`, 'body_eof@30 line 5'],
    [`${CALL}arg k <<'E'\nE`, 'call_eof@23 line 3'],
    ['call me maybe later\n', 'bad_call@0 line 1'],
  ])('%j is an error', (message, error) => {
    const parser = read(message);
    expect(errorOf(parser)).toBe(error);
    expect(parser.calls).toEqual([]);
  });

  it('says what a length was declared as, and what came', () => {
    expect(read(`${CALL}arg k 400\nhello\nend\n`).error).toMatchObject({
      declared: 400,
      arrived: 10,
      call: 'c1',
      key: 'k',
    });
    expect(read(`${CALL}arg k 4\nhello\nend\n`).error).toMatchObject({ text: 'o', after: { key: 'k', declared: 4 } });
  });

  it('runs nothing in a cut, and tells what was under way', () => {
    const body = read(`${CALL}arg k 400\nhello\nend\n`, 'cut');
    expect([body.calls, body.error]).toEqual([[], null]);
    expect(body.unfinished).toEqual({ id: 'c1', name: 't', key: 'k', declared: 400, arrived: 10 });
    const end = read(`${CALL}arg k 5\nhello\nend`, 'cut');
    expect([end.calls, end.error, end.pending]).toEqual([[], null, 3]);
  });

  it('takes prose that holds the word for text', () => {
    expect(read('I call that\n')).toMatchObject({ calls: [], error: null, pending: 0 });
  });
});

describe('lines inside a call', () => {
  it.each([
    ['arg', 'unexpected_line@10 line 2'],
    ['args x', 'unexpected_line@10 line 2'],
    ['end ', 'unexpected_line@10 line 2'],
    ['end\r', 'unexpected_line@10 line 2'],
    ['', 'unexpected_line@10 line 2'],
    ['arg ', 'bad_arg@10 line 2'],
    ['arg k', 'bad_arg@10 line 2'],
    ['arg k ', 'bad_arg@10 line 2'],
    ['arg  k 5', 'bad_arg@10 line 2'],
    ['arg k <<E F', 'bad_arg@10 line 2'],
    [`arg k <<${'T'.repeat(33)}`, 'bad_arg@10 line 2'],
    ['arg k 1048577', 'limit@10 line 2'],
    ['arg k 99999999999999999999999', 'limit@10 line 2'],
    ['arg k v\narg k w', 'bad_arg@18 line 3'],
  ])('%j is an error at its first byte', (line, error) => {
    expect(errorOf(read(`${CALL}${line}\nend\n`))).toBe(error);
  });

  it.each([
    ['arg k  5', 'k=" 5"'],
    ['arg k 5\r', 'k="5\\r"'],
    ['arg k 007\nhello78', 'k="hello78"'],
    ['arg k 0', 'k=""'],
    ['arg k <E', 'k="<E"'],
    [`arg k <<${'T'.repeat(32)}\n${'T'.repeat(32)}`, 'k=""'],
  ])('%j is an argument', (lines, value) => {
    const parser = read(`${CALL}${lines}\nend\n`);
    expect(callsOf(parser)[0]).toContain(` ${value} @`);
  });

  it('may be as long as the limit, LF included, and no byte longer', () => {
    const options = { lineLimit: 24 };
    expect(errorOf(read(`${CALL}arg k ${'x'.repeat(17)}\nend\n`, 'complete', options))).toBeNull();
    expect(errorOf(read(`${CALL}arg k ${'x'.repeat(18)}`, 'cut', options))).toBe('line_too_long@10 line 2');
    expect(errorOf(read(`${CALL}arg k <<E\n${'x'.repeat(24)}`, 'cut', options))).toBe('line_too_long@20 line 3');
    expect(errorOf(read(`${'x'.repeat(200)}\n${CALL}end\n`, 'complete', options))).toBeNull();
  });

  it('checks the form first, then repetition, then numbers, then the length', () => {
    const options = { argumentsPerCall: 1, argumentLimit: 4 };
    expect(read(`${CALL}arg k v\narg k <<\n`, 'complete', options).error).toMatchObject({ reason: 'bad_tag' });
    expect(read(`${CALL}arg k v\narg k 99\n`, 'complete', options).error).toMatchObject({ reason: 'repeated_key' });
    expect(read(`${CALL}arg k v\narg j 99\n`, 'complete', options).error).toMatchObject({ what: 'arguments' });
    expect(read(`${CALL}arg j 99\n`, 'complete', options).error).toMatchObject({ what: 'argument bytes', actual: 99 });
  });

  it('measures a heredoc by its lines', () => {
    const options = { argumentLimit: 4 };
    expect(errorOf(read(`${CALL}arg k <<E\nab\nc\nE\nend\n`, 'complete', options))).toBe('limit@23 line 4');
    expect(callsOf(read(`${CALL}arg k <<E\nab\n\nE\nend\n`, 'complete', options))).toEqual(['c1 t k="ab\\n\\n" @29']);
  });
});

describe('a mandatory separator', () => {
  const MANDATORY = { separator: 'mandatory' } as const;

  it('makes the line that directly follows a body unexpected, and changes nothing else', () => {
    expect(errorOf(read(`${CALL}arg k 6\nhello\nend\n`, 'complete', MANDATORY))).toBe('unexpected_line@24 line 4');
    expect(errorOf(read(`${CALL}arg k 0\nend`, 'complete', MANDATORY))).toBe('unexpected_line@18 line 3');
    expect(errorOf(read(`${CALL}arg k 6\nhello\narg j v\nend\n`, 'complete', MANDATORY))).toBe(
      'unexpected_line@24 line 4',
    );
    expect(callsOf(read(`${CALL}arg k 5\nhello\narg j 1\nx\nend\n`, 'complete', MANDATORY))).toEqual([
      'c1 t k="hello" j="x" @37',
    ]);
    expect(errorOf(read(`${CALL}arg k 6\nhello\nen`, 'cut', MANDATORY))).toBeNull();
  });
});

describe('call lines', () => {
  it.each(['call ', 'call c1', 'call c1  t', 'call c1 t ', 'call c1 a:b', 'call c1 t\r', `call ${'i'.repeat(65)} t`])(
    '%j is no call line',
    (line) => {
      expect(errorOf(read(`hi\n${line}\n`))).toBe('bad_call@3 line 2');
    },
  );

  it('may not repeat an id, and are counted', () => {
    expect(read(`${CALL}end\n${CALL}end\n`).error).toMatchObject({
      kind: 'bad_call',
      reason: 'repeated_id',
      offset: 14,
      call: 'c1',
    });
    const second = read(`${CALL}end\ncall c2 t\nend\n`, 'complete', { callsPerMessage: 1 });
    expect(callsOf(second)).toEqual(['c1 t @13']);
    expect(errorOf(second)).toBe('limit@14 line 3');
  });
});

describe('the end of a complete stream', () => {
  it.each([
    [`${CALL}arg k <<E\nx`, 'heredoc_eof@21 line 3'],
    [`${CALL}arg k 5`, 'body_eof@17 line 2'],
    [`${CALL}arg k hello`, 'call_eof@21 line 2'],
    [`${CALL}arg k 1\nx`, 'call_eof@19 line 3'],
    [`${CALL}en`, 'unexpected_line@10 line 2'],
    ['call ', 'bad_call@0 line 1'],
    ['call c1 t', 'call_eof@9 line 1'],
    ['cal', null],
    ['call', null],
  ])('after %j', (message, error) => {
    expect(errorOf(read(message))).toBe(error);
  });

  it('tells that an indented tag was seen', () => {
    expect(read(`${CALL}arg k <<E\n  E`).error).toMatchObject({ kind: 'heredoc_eof', tag: 'E', indentedTagSeen: true });
    expect(read(`${CALL}arg k <<E\nEE\n`).error).toMatchObject({ indentedTagSeen: false });
  });
});

describe('what is not message text', () => {
  it('is a leading think block', () => {
    expect(callsOf(read(` \n<think>call c0 t\nend\n</think>${CALL}end\n`))).toEqual(['c1 t @44']);
    expect(callsOf(read(`x<think>\n${CALL}end\n</think>`))).toEqual(['c1 t @22']);
    expect(read(`<think>\n${CALL}end\n`)).toMatchObject({ calls: [], error: null });
    expect([read('<think></th', 'cut').pending, read('<think></th').pending]).toEqual([4, 0]);
  });

  it('is reasoning, and what belongs to native calls, though its bytes count', () => {
    const parser = read([
      reasoning(CALL),
      text('call c1'),
      delta(0, '{\n}'),
      text(' t\n'),
      refused(0, 'bad_delta'),
      finish('complete'),
      text('end\n'),
      done(),
    ]);
    expect(callsOf(parser)).toEqual(['c1 t @16']);
    expect(parser.error).toBeNull();
  });

  it('is anything after a failure, which is the error unless there was one', () => {
    const parser = read([text(`${CALL}end\ncall`), failure('sse_bad_json'), text(' x')]);
    expect(callsOf(parser)).toEqual(['c1 t @13']);
    expect(errorOf(parser)).toBe('sse_bad_json@18 line 1');
    expect(errorOf(read([text('call \n'), failure('stream_error')]))).toBe('bad_call@0 line 1');
  });
});

describe('an error in a stream where other content stands between the bytes of its line', () => {
  it('is at the first byte of the line', () => {
    const events = [text(`${CALL}arg k <<E\nxxx`), delta(0, '{}'), text('x'.repeat(30))];
    expect(errorOf(read(events, 'cut', { lineLimit: 16 }))).toBe('line_too_long@20 line 3');
    expect(
      errorOf(read([text(`${CALL}arg k <<E\nxxx`), delta(0, '{}'), text('x')], 'complete', { argumentLimit: 4 })),
    ).toBe('limit@20 line 3');
  });
});
