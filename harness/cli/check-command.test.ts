import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { shellWord } from './counterexample.ts';
import { escapeXml } from './junit.ts';
import { chunk, cst, TestFolder, textStream, toolDelta } from './test-terminal.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = new TestFolder();
afterAll(() => folder.remove());

/** `{}` first, the next index, and back again: json-object has run the first call by then. */
const comesBack = [
  chunk(toolDelta(0, { id: 'a', name: 't', arguments: '{}' })),
  chunk(toolDelta(1, { id: 'b', name: 'u', arguments: '{"k":"\u0007<&"}' })),
  chunk(toolDelta(0, { arguments: '{"x":1}' }), 'tool_calls'),
  'data: [DONE]\n\n',
].join('');

let dir = '';
let count = 0;
beforeEach(() => {
  dir = join(folder.path, `suite${count++}`);
  mkdirSync(dir);
});

function add(name: string, content: string): string {
  const path = join(dir, name);
  writeFileSync(path, content);
  return path;
}

function manifest(files: readonly { file: string; content: string; expectCalls?: readonly object[] }[]): void {
  const recordings = files.map(({ file, content, expectCalls }) => ({
    file,
    sha256: createHash('sha256').update(content).digest('hex'),
    bytes: Buffer.byteLength(content),
    task: file.split('.')[0],
    protocol: 'ctl',
    wire: 'openai-chat',
    provider: null,
    model: null,
    recordedAt: null,
    request: null,
    source: 'enveloped',
    ...(expectCalls && { expect: [{ protocol: 'ctl', end: 'complete', calls: expectCalls, error: null }] }),
  }));
  writeFileSync(join(dir, 'manifest.json'), JSON.stringify({ format: 1, suite: 'mine', about: 'a test', recordings }));
}

const good = textStream('call c1 t\narg k 5\nhello\nend\n');

describe('a stream that is safe', () => {
  it('holds everything, with its worst pending and lag', async () => {
    const path = add('t.sse', good);
    const { code, out, err } = await cst(['check', path]);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain(`ok        ${path}  ctl (guessed): complete, 1 call, pending at most 9 of 4,096, lag 0\n`);
    expect(out).toContain('Everything holds.');
  });

  it('is one JSON line a protocol, and the summary goes to stderr', async () => {
    const path = add('n.sse', chunk(toolDelta(0, { id: 'a', name: 't', arguments: '{"k":1}' }), 'tool_calls'));
    const { code, out, err } = await cst(['check', path, '--json']);
    expect(code).toBe(0);
    expect(err).toContain('Everything holds.');
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ protocol }) => protocol)).toEqual(['json-whole', 'json-object']);
    expect(lines[1]).toMatchObject({
      file: path,
      guessed: true,
      end: 'complete',
      calls: 1,
      oracleCalls: 1,
      violations: 0,
    });
    expect(lines[1].lags).toEqual([{ call: 0, frameEnd: 6, executableAt: 7, lag: 0 }]);
    const limits = lines[1].properties.filter(
      ({ limitOfTheProtocol }: { limitOfTheProtocol?: boolean }) => limitOfTheProtocol,
    );
    expect(limits).toMatchObject([{ property: 'reopening', status: 'violated' }]);
  });

  it('may show a known limit of its protocol, which counts only with --strict', async () => {
    const path = add('n.sse', chunk(toolDelta(0, { id: 'a', name: 't', arguments: '{"k":1}' }), 'tool_calls'));
    const usual = await cst(['check', path, '--protocol', 'json-object']);
    expect(usual.code).toBe(0);
    expect(usual.out).toContain('LIMIT OF THE PROTOCOL reopening');
    const strict = await cst(['check', path, '--protocol', 'json-object', '--strict']);
    expect(strict.code).toBe(1);
    expect(strict.out).toContain('VIOLATED reopening');
  });
});

describe('a stream that is not safe', () => {
  it('is shown with its smallest prefixes, what ran, and what the oracle says', async () => {
    const path = add('back.sse', comesBack);
    const { code, out } = await cst(['check', path, '--protocol', 'json-object', '--l-line', '5000']);
    expect(code).toBe(1);
    expect(out).toContain('call a (t) is executable and is no call of the whole stream');
    expect(out).toContain('smallest prefix 3 of ');
    expect(out).toContain('     {}{"k":"');
    expect(out).toContain('\n        ^ the prefix ends before this byte\n');
    expect(out).toContain('  ran by then: a t {}\n');
    expect(out).toMatch(/the oracle, of the whole stream: .*; error args_not_object at content byte \d+/);
  });

  it('is shown with commands that show it again', async () => {
    const path = add('back.sse', comesBack);
    const { out } = await cst(['check', path, '--protocol', 'json-object']);
    const [wire, content] = [...out.matchAll(/to see it: (.*)\n/g)]
      .map((match) => match[1] ?? '')
      .filter((c) => /head|content/.test(c));
    const [, length, argv] = wire?.match(/^head -c (\d+) \S+ \| cst (.*)$/) ?? [];
    const again = await cst((argv ?? '').split(' '), comesBack.slice(0, Number(length)));
    expect(again.out).toContain('call a t, executable at content byte 2');
    const before = await cst((argv ?? '').split(' '), comesBack.slice(0, Number(length) - 1));
    expect(before.out).toContain('0 executable calls');
    expect((await cst((content ?? '').split(' ').slice(1))).out).toContain('call a t, executable at content byte 2');
    const check = out.match(/check it again: cst (.*)\n/)?.[1] ?? '';
    expect((await cst(check.split(' '))).out).toBe(out);
  });

  it('is a failure of its test suite in JUnit, and nothing in it breaks the XML', async () => {
    add('back.sse', comesBack);
    add('text<&".sse', good);
    add('other.sse', 'event: message_start\ndata: {"type":"message_start"}\n\n');
    const file = join(folder.path, 'junit.xml');
    const { code } = await cst(['check', dir, '--junit', file]);
    expect(code).toBe(1);
    const xml = readFileSync(file, 'utf8');
    expect(xml).toMatch(
      /^<\?xml version="1.0" encoding="UTF-8"\?>\n<testsuites name="cst check" tests="\d+" failures="\d+" errors="0" skipped="\d+">\n/,
    );
    expect(xml.match(/<testsuite /g)).toHaveLength(5);
    expect(xml).toContain('text&lt;&amp;&quot;.sse (ctl)"');
    const number = (name: string): number => Number(xml.match(new RegExp(`<testsuites [^>]*${name}="(\\d+)"`))?.[1]);
    expect(xml.match(/<testcase /g)).toHaveLength(number('tests'));
    expect(xml.match(/<failure /g)).toHaveLength(number('failures'));
    expect(xml.match(/<skipped /g)).toHaveLength(number('skipped'));
    expect(escapeXml('a\u0000\u001b\ud800<b>&"\uffff')).toBe('a\\u0000\\u001b\\ud800&lt;b&gt;&amp;&quot;\\uffff');
  });
});

describe('a manifest', () => {
  it('gives framing and expectation', async () => {
    const calls = [{ id: 'c1', name: 't', args: { k: 'hello' } }];
    manifest([{ file: 'a.ctl.sse', content: good, expectCalls: calls }]);
    const path = add('a.ctl.sse', good);
    expect((await cst(['check', path])).out).toContain(`${path}  ctl: complete`);
    manifest([{ file: 'a.ctl.sse', content: good, expectCalls: [] }]);
    const { code, out } = await cst(['check', dir]);
    expect(code).toBe(1);
    expect(out).toContain(`VIOLATED expectation: ${path}, ctl`);
    expect(out).toContain('1 calls ran, expected 0');
  });

  it('refuses a recording whose bytes have changed, and the others are checked', async () => {
    manifest([
      { file: 'a.ctl.sse', content: good },
      { file: 'b.ctl.sse', content: good },
    ]);
    add('a.ctl.sse', good.replace('hello', 'hallo'));
    add('b.ctl.sse', good);
    const { code, out, err } = await cst(['check', dir]);
    expect(code).toBe(3);
    expect(err).toContain(`${join(dir, 'a.ctl.sse')}, sha256: the hash is `);
    expect(out).toContain('1 stream in 1 reading');
    expect(await cst(['verify', dir])).toMatchObject({ code: 1, out: `${dir}: 2 recordings read, 1 problem\n` });
  });

  it('is not asked a protocol that does not read its framing', async () => {
    manifest([{ file: 'a.ctl.sse', content: good }]);
    const path = add('a.ctl.sse', good);
    const { code, out } = await cst(['check', dir, '--protocol', 'xml']);
    expect(code).toBe(0);
    expect(out).toContain('not asked: 1 stream in a framing that xml does not read');
    expect((await cst(['check', path, '--protocol', 'xml'])).out).toContain(`${path}  xml: complete, 0 calls`);
  });
});

describe('what cannot be read', () => {
  it.each([
    ['a missing file', () => join(dir, 'none.sse'), 'no such file or folder'],
    ['an empty folder', () => dir, 'no manifest and no .sse files here'],
    ['an empty file', () => add('empty.sse', ''), 'is empty: there is no stream'],
    ['binary junk', () => add('junk.sse', '\u0000\u0001\u00ff\n'), 'is no SSE stream'],
    ['standard input', () => '-', 'standard input is for cst parse'],
  ])('%s', async (_what, path, words) => {
    const name = path();
    const { code, out, err } = await cst(['check', name]);
    expect(code).toBe(3);
    expect(err).toContain(`${name}: ${words}`);
    expect(err.trimEnd().split('\n')).toHaveLength(1);
    expect(out).toContain('unreadable: 1 file or folder');
  });

  it('another wire format in a folder is checked like the rest', async () => {
    add('other.sse', 'event: message_start\ndata: {"type":"message_start"}\n\n');
    add('good.sse', good);
    const { code, out } = await cst(['check', dir]);
    expect(code).toBe(0);
    expect(out).toContain('2 streams in 3 readings');
  });

  it('a filter that no path contains is a wrong option', async () => {
    add('good.sse', good);
    expect(await cst(['check', dir, '--filter', 'absent'])).toMatchObject({
      code: 2,
      err: "no stream's path contains absent\n",
    });
  });
});

describe('verify', () => {
  it('finds the recordings of this package to be as their manifests say', async () => {
    const { code, out, err } = await cst(['verify', join(root, 'recordings')]);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/: [\d,]+ recordings, all as their manifests say\n$/);
  });

  it('lists every problem', async () => {
    manifest([
      { file: 'a.ctl.sse', content: good },
      { file: 'b.ctl.sse', content: good },
    ]);
    add('b.ctl.sse', `${good} `);
    add('stray.sse', good);
    const { code, err } = await cst(['verify', dir]);
    expect(code).toBe(1);
    expect(err.trimEnd().split('\n')).toHaveLength(3);
  });

  it('has nothing to say without a manifest, of a file or of nothing', async () => {
    const path = add('a.sse', good);
    expect(await cst(['verify', dir])).toMatchObject({ code: 3, err: expect.stringContaining('no manifest.json') });
    expect(await cst(['verify', path])).toMatchObject({ code: 3, err: `${path}: is a file, a folder is wanted\n` });
    expect(await cst(['verify', join(dir, 'none')])).toMatchObject({
      code: 3,
      err: expect.stringContaining('no such'),
    });
    writeFileSync(join(dir, 'manifest.json'), '{');
    expect(await cst(['verify', dir])).toMatchObject({ code: 1, err: expect.stringContaining('not JSON') });
  });
});

describe('a path in a command', () => {
  it.each([
    ['a/b-c.sse', 'a/b-c.sse'],
    ['-x', './-x'],
    ['a b', "'a b'"],
    ["it's", "'it'\\''s'"],
  ])('%s is one word of a shell: %s', (path, word) => {
    expect(shellWord(path)).toBe(word);
  });
});

const corpus = join(root, '../shared/corpus/openai-chat');
describe.skipIf(!existsSync(corpus))('streams of real models', () => {
  it('hold everything', { timeout: 120_000 }, async () => {
    const { code, out } = await cst(['check', corpus, '--filter', 'mistral']);
    expect(out).toContain('21 streams');
    expect(out).toContain('Everything holds.');
    expect(code).toBe(0);
  });
});
