import { describe, expect, it } from 'vitest';
import type { ParserOptions } from '../parsers/parser.ts';
import type { StreamEnd, StreamEvent } from '../stream/event.ts';
import { delta, done, failure, reasoning, text } from '../testing/hand-made-events.ts';
import { readCtl } from './ctl.ts';

const OPTIONS: ParserOptions = { lineLimit: 4096, argumentLimit: 1024, argumentsPerCall: 64, callsPerMessage: 256 };

function read(
  stream: string | StreamEvent[],
  end: StreamEnd = 'complete',
  options: Partial<ParserOptions> = {},
): { calls: string[]; error: string | null } {
  const events = typeof stream === 'string' ? [text(stream)] : stream;
  const { calls, error } = readCtl(events, end, { ...OPTIONS, ...options });
  return { calls: calls.map(describeCall), error: error === null ? null : `${error.kind}@${error.offset}` };
}

function describeCall({ id, name, args, end }: ReturnType<typeof readCtl>['calls'][number]): string {
  if (args.form !== 'values') throw new Error('CTL values are bytes');
  const values = args.values.map(({ key, bytes }) => `${key}=${JSON.stringify(Buffer.from(bytes).toString())}`);
  return [id, name, ...values, `@${end}`].join(' ');
}

describe('the worked cases of the specification', () => {
  it.each([
    ['call c1 t\narg k 5\nhello\nend\n', 'c1 t k="hello" @27'],
    ['call c1 t\narg k 6\nhello\nend\n', 'c1 t k="hello\\n" @27'],
    ['call c1 t\narg k 5\nhello\nend', 'c1 t k="hello" @27'],
    ['call c1 t\narg k <<E\n\n E\nend\nE\nend\n', 'c1 t k="\\n E\\nend\\n" @33'],
    ['call c1 t\narg k 12a\nend\n', 'c1 t k="12a" @23'],
    ['call c1 t\nend\nResult: ok\n', 'c1 t @13'],
    ['call c1 t\narg k 3\né!\nend\n', 'c1 t k="é!" @25'],
  ])('%j is one call', (stream, call) => {
    expect(read(stream)).toEqual({ calls: [call], error: null });
  });

  it.each([
    ['call c1 t\narg k 4\nhello\nend\n', 'unexpected_line@22'],
    ['call c1 t\narg k 400\nhello\nend\n', 'body_eof@30'],
    ["call c1 t\narg k <<'E'\nE", 'call_eof@23'],
    ['call me maybe later\n', 'bad_call@0'],
  ])('%j is an error', (stream, error) => {
    expect(read(stream)).toEqual({ calls: [], error });
  });

  it('reads prose that only holds the word as text', () => {
    expect(read('I call that\n')).toEqual({ calls: [], error: null });
  });

  it.each(['call c1 t\narg k 400\nhello\nend\n', 'call c1 t\narg k 5\nhello\nend'])(
    'runs nothing of %j in a cut',
    (cut) => {
      expect(read(cut, 'cut')).toEqual({ calls: [], error: null });
    },
  );
});

describe('lines', () => {
  it.each([
    ['call c1  t\n', 'bad_call@0'],
    ['call \n', 'bad_call@0'],
    ['call ', 'bad_call@0'],
    ['hm\ncall c1 t \n', 'bad_call@3'],
    ['call c1 t\narg k\n', 'bad_arg@10'],
    ['call c1 t\narg\n', 'unexpected_line@10'],
    ['call c1 t\nargs x\n', 'unexpected_line@10'],
    ['call c1 t\n\nend\n', 'unexpected_line@10'],
    ['call c1 t\nend \n', 'unexpected_line@10'],
    ['call c1 t\nend\r\n', 'unexpected_line@10'],
    ['call c1 t\narg k \n', 'bad_arg@10'],
    ['call c1 t\narg  k 5\n', 'bad_arg@10'],
    ['call c1 t\narg k <<E-F\n', 'bad_arg@10'],
    ['call c1 t\narg k <<\'E"\n', 'bad_arg@10'],
    [`call c1 t\narg k <<${'T'.repeat(33)}\n`, 'bad_arg@10'],
    ['call c1 t\narg k a\narg k b\n', 'bad_arg@18'],
    [`call ${'i'.repeat(65)} t\n`, 'bad_call@0'],
    ['call c1 a:b\n', 'bad_call@0'],
  ])('%j is %s', (stream, error) => {
    expect(read(stream)).toEqual({ calls: [], error });
  });

  it.each(['cal', 'call', 'called\ncallee x\n', ' call c1 t\n'])(
    'leaves text that is no header alone: %j',
    (stream) => {
      expect(read(stream)).toEqual({ calls: [], error: null });
    },
  );

  it.each([
    ['arg k  5', 'k=" 5"'],
    ['arg k 5\r', 'k="5\\r"'],
    ['arg k <x', 'k="<x"'],
    ['arg k é', 'k="é"'],
    ['arg k a\u2028b', 'k="a\u2028b"'],
  ])('reads the inline value of %j byte for byte', (line, value) => {
    expect(read(`call c1 t\n${line}\nend\n`).calls).toEqual([expect.stringContaining(`c1 t ${value} @`)]);
  });

  it('reads a count with leading zeros as its number', () => {
    expect(read('call c1 t\narg k 007\n1234567\nend\n').calls).toEqual(['c1 t k="1234567" @31']);
  });

  it('takes an empty body with and without its separator', () => {
    expect(read('call c1 t\narg k 0\n\narg j 0\nend\n').calls).toEqual(['c1 t k="" j="" @30']);
  });

  it('takes a tag in double quotes and no lines as the empty value', () => {
    expect(read('call c1 t\narg k <<"E_1"\nE_1\nend\n').calls).toEqual(['c1 t k="" @31']);
  });
});

describe('limits', () => {
  it('allows a line of exactly the limit with its LF, and no byte more', () => {
    expect(read('call c1 ttttttt\nend\n', 'complete', { lineLimit: 16 }).error).toBeNull();
    expect(read('call c1 tttttttt\nend\n', 'complete', { lineLimit: 16 }).error).toBe('line_too_long@0');
  });

  it('refuses a line that never ends, in a cut too', () => {
    expect(read(`call ${'x'.repeat(11)}`, 'cut', { lineLimit: 16 }).error).toBe('line_too_long@0');
    expect(read(`call ${'x'.repeat(10)}`, 'cut', { lineLimit: 16 }).error).toBeNull();
    expect(read(`call c1 t\n${'x'.repeat(16)}`, 'cut', { lineLimit: 16 }).error).toBe('line_too_long@10');
    expect(read(`call c1 t\narg k <<E\n${'x'.repeat(16)}`, 'cut', { lineLimit: 16 }).error).toBe('line_too_long@20');
  });

  it('does not limit lines of text', () => {
    expect(read('x'.repeat(100), 'complete', { lineLimit: 16 }).error).toBeNull();
  });

  it('prefers the line that is too long to what is wrong in it', () => {
    expect(read(`call ${'?'.repeat(20)}\n`, 'complete', { lineLimit: 16 }).error).toBe('line_too_long@0');
  });

  it('limits the declared length at the arg line, however many digits', () => {
    expect(read('call c1 t\narg k 1025\n', 'cut').error).toBe('limit@10');
    expect(read(`call c1 t\narg k ${'9'.repeat(400)}\n`, 'cut').error).toBe('limit@10');
    expect(read(`call c1 t\narg k ${'0'.repeat(400)}2\nxx\nend\n`).error).toBeNull();
  });

  it('limits a heredoc at the LF of the line that goes over', () => {
    const options = { argumentLimit: 6 };
    expect(read('call c1 t\narg k <<E\nab\ncd\nE\nend\n', 'complete', options).error).toBeNull();
    expect(read('call c1 t\narg k <<E\nab\ncde\nE\nend\n', 'complete', options).error).toBe('limit@23');
    expect(read('call c1 t\narg k <<E\nab\ncde', 'cut', options).error).toBeNull();
    expect(read('call c1 t\narg k <<E\nab\ncde', 'complete', options).error).toBe('limit@23');
  });

  it('limits arguments and calls, after form and repetition', () => {
    const options = { argumentsPerCall: 1, callsPerMessage: 1 };
    expect(read('call c1 t\narg a 1\nx\narg b 1\n', 'cut', options).error).toBe('limit@20');
    expect(read('call c1 t\narg a 1\nx\narg a 1\n', 'cut', options).error).toBe('bad_arg@20');
    expect(read('call c1 t\nend\ncall c2 t\n', 'cut', options)).toEqual({ calls: ['c1 t @13'], error: 'limit@14' });
    expect(read('call c1 t\nend\ncall c1 t\n', 'cut', options).error).toBe('bad_call@14');
  });

  it('asks for the number of arguments before the declared length', () => {
    const stream = 'call c1 t\narg a 1\nx\narg b 9999\n';
    expect(read(stream, 'cut', { argumentsPerCall: 1 }).error).toBe('limit@20');
  });
});

describe('the end of the stream', () => {
  it.each([
    ['call c1 t', 'call_eof@9'],
    ['call c1 t\n', 'call_eof@10'],
    ['call c1 t\narg k hello', 'call_eof@21'],
    ['call c1 t\narg k 5', 'body_eof@17'],
    ['call c1 t\narg k 0', 'call_eof@17'],
    ['call c1 t\narg k 5\nhello', 'call_eof@23'],
    ['call c1 t\narg k 5\nhello\n', 'call_eof@24'],
    ['call c1 t\narg k <<E', 'heredoc_eof@19'],
    ['call c1 t\narg k <<E\n', 'heredoc_eof@20'],
    ['call c1 t\narg k <<E\nab\n EE', 'heredoc_eof@26'],
    ['call c1 t\nen', 'unexpected_line@10'],
  ])('reads %j as if its LF had come: %s', (stream, error) => {
    expect(read(stream)).toEqual({ calls: [], error });
    expect(read(stream, 'cut')).toEqual({ calls: [], error: null });
  });

  it('keeps the calls that stood before the error', () => {
    expect(read('call c1 t\nend\ncall oops\n')).toEqual({ calls: ['c1 t @13'], error: 'bad_call@14' });
    expect(read('call c1 t\nend\ncall c1 t\nend\n')).toEqual({ calls: ['c1 t @13'], error: 'bad_call@14' });
  });

  it('takes a failure for a cut at the content received, and reads nothing after it', () => {
    const events = [text('call c1 t\nend'), failure('stream_error'), text('\n')];
    expect(read(events, 'complete')).toEqual({ calls: [], error: 'stream_error@13' });
  });

  it('keeps an error that was noticed before the failure', () => {
    expect(read([text('call oops\n'), failure('stream_error')], 'cut').error).toBe('bad_call@0');
  });

  it('reads nothing after done', () => {
    expect(read([text('call c1 t\nend'), done(), text('less\n')])).toEqual({ calls: ['c1 t @13'], error: null });
  });
});

describe('what is no message text', () => {
  it('counts argument bytes in offsets and reads none of them', () => {
    const events = [text('call c1'), delta(0, '{"a":1}', { name: 'x' }), text(' t\nend\ncall '), delta(0, '??')];
    expect(read(events)).toEqual({ calls: ['c1 t @20'], error: 'bad_call@21' });
  });

  it('never reads reasoning', () => {
    expect(read([reasoning('call c1 t\nend\n'), text('call c2 t\nend\n')]).calls).toEqual(['c2 t @13']);
  });

  it('skips a leading think block, after which a line starts', () => {
    const stream = ' \r\n<think>\ncall c1 t\nend\n</think>call c2 t\nend\n';
    expect(read(stream)).toEqual({ calls: ['c2 t @46'], error: null });
  });

  it('reads a think block that never ends as reasoning, and a later one as text', () => {
    expect(read('<think>\ncall c1 t\nend\n').calls).toEqual([]);
    expect(read('a\n<think>\ncall c1 t\nend\n</think>').calls).toEqual(['c1 t @23']);
  });
});
