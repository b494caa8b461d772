import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { chunk, cst, TestFolder, toolDelta } from './test-terminal.ts';

const folder = new TestFolder();
afterAll(() => folder.remove());

const grows = [
  chunk(toolDelta(0, { id: 'a', name: 't', arguments: '{}' })),
  chunk(toolDelta(0, { arguments: '{"k":1}' }), 'tool_calls'),
  'data: [DONE]\n\n',
].join('');
const whole = `${chunk(toolDelta(0, { id: 'a', name: 't', arguments: '{"k":1}' }), 'tool_calls')}data: [DONE]\n\n`;

const stream = folder.file('grows.sse', grows);
const silent = folder.file(
  'silent.mjs',
  "export const protocol = 'json-whole';\nexport const createParser = () => ({ calls: [], push() {}, end() {} });",
);

describe('cst check --parser', () => {
  it('says first what is judged, and what of it is not', async () => {
    const { code, out } = await cst(['check', stream, '--parser', silent]);
    expect(code).toBe(0);
    expect(out.split('\n').slice(0, 2)).toEqual([
      'parser silent, judged as json-whole at every byte; not judged: K (it reports no pending bytes), errors (it reports none)',
      `ok        ${stream}  silent as json-whole (guessed): complete, 0 calls, lag 0`,
    ]);
    expect(out).toContain('  answers      holds 1, violated 0\n');
  });

  it('shows a violation like any other, with the command that finds it again', async () => {
    const eager = folder.file(
      'eager.mjs',
      "export const createParser = () => ({ calls: [], end() {}, push(e) { if (this.calls.length === 0 && e.type === 'tool-delta') this.calls.push({ id: e.id, name: e.name, arguments: '{}' }); } });",
    );
    const { code, out } = await cst(['check', stream, '--parser', eager, '--protocol', 'json-object']);
    expect(code).toBe(1);
    expect(out).toContain(`VIOLATED S1: ${stream}, json-object`);
    expect(out).toContain("  the protocol's own parser there: cst parse");
    expect(out).toContain(
      `  check it again: cst check ${stream} --protocol json-object --seed 20261202 --parser ${eager}\n`,
    );
  });

  it('finds out the example of docs/own-parser.md', async () => {
    const page = readFileSync(new URL('../../docs/own-parser.md', import.meta.url), 'utf8');
    const source = /```js\n(\/\/ mine\.mjs.*?)```/s.exec(page)?.[1] ?? '';
    const { code, out } = await cst(['check', stream, '--parser', folder.file('mine.mjs', source)]);
    expect(code).toBe(1);
    expect(out).toContain(
      `VIOLATED S1: ${stream}, json-whole\n  call a (t) is executable and is no call of the whole stream\n  smallest prefix 2 of 9 content bytes\n`,
    );
  });

  it('keeps stdout for JSON lines', async () => {
    const { out, err } = await cst(['check', stream, '--parser', silent, '--json']);
    expect(JSON.parse(out)).toMatchObject({
      protocol: 'json-whole',
      parser: 'silent',
      judgedAt: 'byte',
      violations: 0,
    });
    expect(err).toContain('parser silent, judged as json-whole');
  });

  it('takes findings that are known', async () => {
    const list = join(folder.path, 'known.json');
    const lost = folder.file('lost.sse', whole);
    expect((await cst(['check', lost, '--parser', silent, '--write-known', list])).code).toBe(0);
    const { code, out } = await cst(['check', lost, '--parser', silent, '--known', list]);
    expect([code, out.includes('Everything else holds: 1 expected finding.')]).toEqual([0, true]);
  });

  it.each([
    [['--parser', silent, '--parser-cmd', 'cat'], 2, 'give --parser or --parser-cmd, not both\n'],
    [['--parser', 'absent.mjs'], 3, 'absent.mjs: no such file\n'],
    [['--parser', ''], 2, '--parser wants a value\n'],
    [['--parser-timeout', '3'], 2, '--parser-timeout is of --parser or --parser-cmd: give one\n'],
    [['--parser', silent, '--parser-timeout', '0'], 2, '--parser-timeout takes seconds, as 0.5 or 20, not "0"\n'],
    [['--parser', silent, '--parser-timeout', 'soon'], 2, '--parser-timeout takes seconds, as 0.5 or 20, not "soon"\n'],
  ])('%j is refused in one sentence', async (options, code, err) => {
    expect(await cst(['check', stream, ...options])).toEqual({ code, out: '', err });
  });
});

const hasPython = spawnSync('python3', ['--version']).status === 0;
const example = fileURLToPath(new URL('../../docs/examples/own_parser.py', import.meta.url));
const recordings = fileURLToPath(new URL('../../recordings/', import.meta.url));
const python = `python3 '${example}'`;

// Where there is no python3, this is what says so.
describe.skipIf(!hasPython)('the Python example (needs python3)', () => {
  it.each([
    'crafted/case-02-empty-object-then-arguments-parallel.native.sse',
    'crafted/case-34-duplicate-key.native.sse',
    'crafted/case-46-utf8-cut.native.sse',
    'replies/t25.native.sse',
  ])('is right: %s', async (name) => {
    const { code, out } = await cst(['check', join(recordings, name), '--parser-cmd', python]);
    expect(out).toContain('parser own_parser, judged as json-whole at every character; not judged: prefixes inside of');
    expect([code, out.split('\n').at(-2)]).toEqual([0, 'Everything holds.']);
  });

  it('is found out when it runs a call as soon as its arguments parse', async () => {
    const { code, out } = await cst(['check', stream, '--parser-cmd', `EAGER=1 ${python}`]);
    expect(code).toBe(1);
    expect(out).toContain(
      `VIOLATED S1: ${stream}, json-whole\n  call a (t) is executable and is no call of the whole stream\n  smallest prefix 2 of 9 content bytes\n`,
    );
  });
});
