import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readMeant } from './d-readings.ts';

const LINE_LIMIT = 4096;

function read(message: string) {
  return readMeant(message, LINE_LIMIT);
}

/** `key declared>meant`, or the status where nothing is decided; stated values as they stand. */
function arguments_(message: string): readonly string[] {
  return read(message).calls.map(({ id, args }) => {
    const shown = args.map((arg) => {
      if (arg.status === 'stated') return `${arg.key}=${message.slice(arg.from, arg.to)}`;
      return `${arg.key} ${arg.declared}>${arg.to === null ? arg.status : arg.to - arg.from}`;
    });
    return `${id}: ${shown.join(', ')}`;
  });
}

describe('the shortest reading', () => {
  it('ends a body before the line that continues the frame, and takes the LF before it for the separator', () => {
    expect(arguments_('call c1 t\narg k 400\nhello\nend\n')).toEqual(['c1: k 400>5']);
    expect(arguments_('call c1 t\narg k 4\nhello\narg j 9\nyou\nend\n')).toEqual(['c1: k 4>5, j 9>3']);
  });

  it('keeps a final LF that is followed by a separator of its own', () => {
    expect(arguments_('call c1 t\narg k 6\nhello\n\nend\n')).toEqual(['c1: k 6>6']);
  });

  it('takes a value whose separator is absent for one without its LF', () => {
    expect(arguments_('call c1 t\narg k 6\nhello\nend\n')).toEqual(['c1: k 6>5']);
  });

  it('accepts an end that is the last bytes, and empty values with and without a separator', () => {
    expect(arguments_('call c1 t\narg k 5\nhello\nend')).toEqual(['c1: k 5>5']);
    expect(arguments_('call c1 t\narg k 0\n\nend')).toEqual(['c1: k 0>0']);
    expect(arguments_('call c1 t\narg k 0\nend')).toEqual(['c1: k 0>0']);
  });

  it('passes over text before the first call, and blanks between calls', () => {
    const message = 'I will.\ncall c1 t\narg k 2\nab\nend\n \t\r\n\ncall c2 t\narg k 1\nxyz\nend\n\n';
    expect(arguments_(message)).toEqual(['c1: k 2>2', 'c2: k 1>3']);
  });

  it('has no reading, if prose follows the last call', () => {
    const message = 'call c1 t\narg k 2\nab\nend\nDone.\n';
    expect(read(message).isReadable).toBe(false);
    expect(arguments_(message)).toEqual(['c1: k 2>unrecoverable']);
  });

  it('has no reading, if a call is never closed', () => {
    expect(arguments_('call c1 t\narg k 2\nab\n')).toEqual(['c1: k 2>unrecoverable']);
    expect(arguments_('call c1 t\narg k 2\nab\nend\ncall c2 t\narg j 1\nx')).toEqual([
      'c1: k 2>unrecoverable',
      'c2: j 1>unrecoverable',
    ]);
  });

  it('goes on over an inner end that would leave prose outside', () => {
    expect(arguments_('call c1 t\narg k 9\nsay\nend\nto stop\nend\n')).toEqual(['c1: k 9>15']);
  });

  it('reads no line that repeats a key as an argument of the same call', () => {
    expect(arguments_('call c1 t\narg k 9\nuse\narg k 3\nabc\nend\n')).toEqual(['c1: k 9>15']);
  });

  it('lets an id be repeated: that is an error of its own, and says nothing of lengths', () => {
    expect(arguments_('call c1 t\narg k 1\na\nend\ncall c1 t\narg k 1\nb\nend\n')).toEqual(['c1: k 1>1', 'c1: k 1>1']);
  });

  it('reads inline and heredoc values where they say that they end', () => {
    const message = 'call c1 t\narg a in line\narg b <<E\nend\nx\nE\narg c 7\nabc\nend\n';
    expect(arguments_(message)).toEqual(['c1: a=in line, b=end\nx\n, c 7>3']);
  });

  it('is no business of declared numbers: any others give the same lengths', () => {
    const message = 'call c1 t\narg k 5\na\narg j 5\nb\nend\n';
    expect(arguments_(message.replaceAll(' 5\n', ' 77\n'))).toEqual(['c1: k 77>1, j 77>1']);
  });

  it('is told for a message of a hundred thousand lines that look like ends', () => {
    const message = `call c1 t\narg k 5\n${'end\nx\n'.repeat(100_000)}\nend\n`;
    expect(arguments_(message)).toEqual(['c1: k 5>600000']);
  });

  it('is given up, not waited for, where the readings are too many', () => {
    const keys = Array.from({ length: 400 }, (_, i) => `arg k${i} 1\nx\n`).join('');
    const { calls } = read(`call c1 t\n${keys.repeat(8)}end\n`);
    expect(calls[0]?.args.every(({ status }) => status === 'ambiguous' || status === 'unrecoverable')).toBe(true);
  });
});

describe('a longer reading', () => {
  it('that merges whole arguments or calls is no rival', () => {
    const message = 'call c1 t\narg a 1\nx\narg b 1\ny\nend\ncall c2 t\narg a 1\nz\nend\n';
    expect(arguments_(message)).toEqual(['c1: a 1>1, b 1>1', 'c2: a 1>1']);
  });

  it('that ends a body at a line which the shortest knows nothing of makes the argument ambiguous', () => {
    // Is the second "arg b" a line of b's value, or does a's value hold the first?
    const message = 'call c1 t\narg a 1\nx\narg b 1\ny\narg b 1\nz\nend\n';
    expect(arguments_(message)).toEqual(['c1: a 1>ambiguous, b 1>11']);
    const [a] = read(message).calls[0]!.args;
    expect(a).toMatchObject({ shortestTo: (a?.from ?? 0) + 1 });
  });
});

describe('task t10, a document about the syntax itself', () => {
  // By hand: the content ends with the LF before the last "LF end"; every inner end would leave prose outside. In run2
  // and run3 the path could, by the letter, also go on to an example's "arg content 12" line.
  it.each([
    ['run1', 934, 'decided'],
    ['run2', 914, 'ambiguous'],
    ['run3', 877, 'ambiguous'],
  ])('%s has a content of %i bytes', (run, bytes, path) => {
    const file = new URL(`../recordings/replies/texts/${run}/t10/ctl.txt`, import.meta.url);
    const message = readFileSync(file, 'latin1');
    const args = read(message).calls.flatMap((call) => call.args);
    expect(args.map(({ key, status }) => [key, status])).toEqual([
      ['path', path],
      ['content', 'decided'],
    ]);
    const content = args[1]!;
    expect(content.to! - content.from).toBe(bytes);
    expect(message.slice(content.to!)).toMatch(/^\nend\n?$/);
    const [pathArgument] = args;
    expect(pathArgument).toMatchObject({ shortestTo: (pathArgument?.from ?? 0) + 'docs/protocol.md'.length });
  });
});

describe('the naive rule', () => {
  it('ends a body before the first line that could continue the frame', () => {
    const [k] = read('call c1 t\narg k 9\nsay\nend\nto stop\nend\n').calls[0]!.args;
    expect(k).toMatchObject({ naiveTo: (k?.from ?? 0) + 3 });
  });
});

/** Every reading, one line list each: by plain recursion over all line starts, in order of shortness. */
function allReadings(message: string): readonly (readonly number[])[] {
  const lines: { at: number; text: string; next: number }[] = [];
  for (let at = 0; at < message.length; ) {
    const lf = message.indexOf('\n', at);
    const end = lf < 0 ? message.length : lf;
    lines.push({ at, text: message.slice(at, end), next: lf < 0 ? end : lf + 1 });
    at = lf < 0 ? end : lf + 1;
  }
  const lineAt = (at: number) => lines.find((line) => line.at === at);
  const outside = (at: number): number[][] => {
    const rest = message.slice(at);
    const skipped = rest.length - rest.trimStart().length;
    if (rest.trim() === '') return [[]];
    const line = lineAt(at + skipped);
    if (line === undefined || !/^call \w+ t$/.test(line.text)) return [];
    return inside(line.next, []).map((reading) => [line.at, ...reading]);
  };
  const inside = (at: number, used: readonly string[]): number[][] => {
    const line = lineAt(at);
    if (line?.text === 'end') return outside(line.next).map((reading) => [at, ...reading]);
    const [, key, value] = /^arg (\w) (.+)$/.exec(line?.text ?? '') ?? [];
    if (line === undefined || key === undefined || value === undefined || used.includes(key)) return [];
    const starts = /^\d+$/.test(value)
      ? lines.map((other) => other.at).filter((start) => start >= line.next)
      : [line.next];
    return starts.flatMap((start) => inside(start, [...used, key])).map((reading) => [at, ...reading]);
  };
  const first = lines.find(({ text }) => text.startsWith('call '));
  return first === undefined ? [] : outside(first.at);
}

const MESSAGES = fc
  .array(
    fc.constantFrom('call c t', 'call d t', 'arg x 3', 'arg y 1', 'arg z 2', 'arg x v', 'end', 'end', '', ' ', 'prose'),
    { minLength: 2, maxLength: 13 },
  )
  .map((lines) => ['call a t', ...lines, 'end'].join('\n'));

describe('against every reading by brute force', () => {
  it('is the first of them, and an argument is ambiguous exactly if one ends it at a line that the first does not have', () => {
    fc.assert(
      fc.property(MESSAGES, (message) => {
        const readings = allReadings(message);
        const meant = read(message);
        expect(meant.isReadable).toBe(readings.length > 0);
        const [shortest] = readings;
        if (shortest === undefined) return;
        for (const arg of meant.calls.flatMap(({ args }) => args)) {
          if (arg.status === 'stated') continue;
          const header = message.lastIndexOf('\n', arg.from - 2) + 1;
          const followedBy = (reading: readonly number[]) => reading[reading.indexOf(header) + 1]!;
          expect(arg.shortestTo).toBe(Math.max(arg.from, followedBy(shortest) - 1));
          const rivals = readings.filter((other) => other.includes(header) && !shortest.includes(followedBy(other)));
          expect(arg.status).toBe(rivals.length > 0 ? 'ambiguous' : 'decided');
        }
      }),
      { numRuns: 3000, seed: 20261202 },
    );
  });
});
