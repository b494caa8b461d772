import { describe, expect, it } from 'vitest';
import { cst } from './test-terminal.ts';

describe('help', () => {
  it('is shown for cst alone, and names every command', async () => {
    const { code, out } = await cst([]);
    expect(code).toBe(0);
    for (const command of ['parse', 'check', 'timeline', 'verify']) expect(out).toContain(`cst ${command}`);
    expect(await cst(['--help'])).toEqual({ code, out, err: '' });
  });

  it.each(['parse', 'check', 'timeline', 'verify'])('of %s has examples and exit codes', async (command) => {
    const { code, out, err } = await cst([command, '--help']);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain(`cst ${command}`);
    expect(out).toContain('Examples:');
    expect(out).toMatch(/Exit codes: 0 .* 2 wrong option or value, 3\s+input/s);
  });

  it('has a version', async () => {
    expect(await cst(['--version'])).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  });
});

describe('a mistake', () => {
  it.each([
    [['prase', 'x'], 'unknown command prase; there are parse, check, timeline, verify'],
    [['--nonsense'], 'unknown option or argument: nonsense'],
    [['parse'], 'a file is missing'],
    [['check'], 'a file is missing'],
    [['timeline'], 'a file is missing'],
    [['timeline', 'a', 'b'], 'unknown option or argument: b'],
    [['parse', 'x', '--jsno'], 'unknown option or argument: jsno'],
    [['parse', 'x', '--prefix'], 'a value is missing after --prefix'],
    [['parse', 'x', '--prefix', '-1'], '--prefix takes a whole number from 0, not "-1"'],
    [['parse', 'x', '--prefix', '1e3'], '--prefix takes a whole number from 0, not "1e3"'],
    [['parse', 'x', '--l-line', '15'], '--l-line takes a whole number from 16, not "15"'],
    [['parse', 'x', '--end', 'soon'], '--end takes auto, complete, cut, not soon'],
    [['parse', 'x', '--protocol', 'yaml'], '--protocol yaml is unknown; known are ctl, ctl-heredoc, xml, json-whole'],
    [['parse', 'x', '--protocol', 'toString'], '--protocol toString is unknown'],
    [['parse', 'x', '--protocol', 'ctl', '--protocol', 'xml'], '--protocol was given twice'],
    [['parse', 'x', '--protocol', 'ctl', '--tools', 't'], '--tools and --xml-values are for --protocol xml'],
    [['parse', '-', '-'], 'standard input (-) can be read once'],
    [['check', 'x', '--seed', 'dice'], '--seed takes a whole number from 0, not "dice"'],
  ])('%j is said in a line or two', async (argv, words) => {
    const { code, out, err } = await cst(argv);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(words);
    expect(err.trimEnd().split('\n').length).toBeLessThanOrEqual(2);
  });
});
