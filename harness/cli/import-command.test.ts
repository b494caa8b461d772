import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chunk, cst, TestFolder, textStream } from './test-terminal.ts';

/** Put together here, so that no scanner takes the test for a leak. */
const SECRET = `sk-${'q7Zt4Lw9Xb2Vn6Kd3Rf8Hs5Jc1Gm0P'}`;

let folder: TestFolder;
beforeEach(() => {
  folder = new TestFolder();
  mkdirSync(join(folder.path, 'in', 'deep', 'node_modules'), { recursive: true });
});
afterEach(() => folder.remove());

interface Answered {
  readonly body: string;
  readonly asked?: object;
  readonly status?: number;
}

function archive(...answers: readonly Answered[]): string {
  const entries = answers.map(({ body, asked = { messages: [] }, status = 200 }) => ({
    request: { url: 'https://api.openai.com/v1/chat/completions', postData: { text: JSON.stringify(asked) } },
    response: { status, content: { text: body, mimeType: 'text/event-stream; charset=utf-8' } },
  }));
  return JSON.stringify({ log: { entries } });
}

function put(name: string, content: string): string {
  const path = join(folder.path, 'in', name);
  writeFileSync(path, content);
  return path;
}

function importing(...args: readonly string[]) {
  return cst(['import', ...args, '--out', join(folder.path, 'out'), '--suite', 'got']);
}

function stored(name: string): string {
  return readFileSync(join(folder.path, 'out', 'got', name), 'utf8');
}

function entries(): { file: string; note: string; request: object | null }[] {
  return (JSON.parse(stored('manifest.json')) as { recordings: ReturnType<typeof entries> }).recordings;
}

describe('cst import', () => {
  it('makes a suite of a folder that verify accepts, and lists the rest with reasons', async () => {
    put('two.har', archive({ body: textStream('one') }, { body: textStream('two') }, { body: 'busy', status: 429 }));
    put('deep/same.har', archive({ body: textStream('one') }));
    put('deep/chunks.jsonl', `${chunk({ content: 'x' }).slice(6).trim()}\n`);
    put('deep/other.json', '{"name": "no cassette"}');
    put('deep/notes.txt', 'not looked at');
    put('deep/node_modules/x.har', archive({ body: textStream('not looked at') }));
    const { code, out, err } = await importing(join(folder.path, 'in'));
    expect([code, err]).toEqual([0, '']);
    const lines = out.replaceAll(folder.path, '').split('\n');
    expect(lines).toEqual([
      'deep-chunks.native.sse: 78 bytes from /in/deep/chunks.jsonl, line 1',
      'deep-same.native.sse: 161 bytes from /in/deep/same.har, entry 1',
      'two-2.native.sse: 161 bytes from /in/two.har, entry 2',
      'not imported:',
      '  1  is of no known format: /in/deep/other.json',
      '  1  the bytes are there already: /in/two.har, entry 1',
      '  1  status 429: /in/two.har, entry 3',
      '3 recordings imported into /out/got, 3 not imported',
      '',
    ]);
    expect(stored('two-2.native.sse')).toBe(textStream('two'));
    const verified = await cst(['verify', join(folder.path, 'out')]);
    expect([verified.code, verified.out]).toEqual([0, expect.stringContaining('3 recordings, all as')]);
    const checked = await cst(['check', join(folder.path, 'out')]);
    expect([checked.code, checked.err]).toEqual([0, '']);
  });

  it('can be run again: what is there is not written twice', async () => {
    const path = put('a.har', archive({ body: textStream('one') }));
    await importing(path);
    const before = stored('manifest.json');
    const { code, out } = await importing(path);
    expect([code, out]).toEqual([0, expect.stringContaining('0 recordings imported')]);
    expect(stored('manifest.json')).toBe(before);
  });

  it('writes nothing with --dry-run, and says the same', async () => {
    const path = put('a.har', archive({ body: textStream('one') }, { body: textStream('one') }));
    const { code, out } = await cst(['import', path, '--dry-run']);
    expect([code, out]).toEqual([0, expect.stringContaining('1 recording to import, 1 not imported\n')]);
    expect((await importing(path, '--dry-run')).out).toBe(out);
    expect(existsSync(join(folder.path, 'out'))).toBe(false);
  });

  it('says one JSON line for each exchange, then the counts', async () => {
    const path = put('a.har', archive({ body: textStream('one') }, { body: 'no', status: 500 }));
    const { out } = await importing(path, '--json');
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      ...[
        {
          outcome: 'imported',
          recording: 'a-1.native.sse',
          bytes: textStream('one').length,
          masked: 0,
          file: path,
          place: 'entry 1',
          format: 'har',
        },
      ],
      ...[{ outcome: 'other', reason: 'status 500', file: path, place: 'entry 2', format: 'har' }],
      { imported: 1, notImported: 1, masked: 0 },
    ]);
  });

  it('masks what looks like a key, in the answer and in the request, and counts it', async () => {
    const asked = { model: 'm', messages: [{ role: 'user', content: `use ${SECRET}` }] };
    const path = put('a.har', archive({ body: textStream(`the key ${SECRET}!`), asked }));
    const { code, out } = await importing(path);
    expect([code, out]).toEqual([0, expect.stringContaining('1 recording imported')]);
    expect(out).toContain('2 secrets masked');
    expect(stored('a.native.sse')).toBe(textStream(`the key ${'*'.repeat(SECRET.length)}!`));
    expect(entries()[0]?.request).toEqual({
      ...{ messages: [{ role: 'user', content: `use ${'*'.repeat(SECRET.length)}` }], parameters: {} },
    });
    expect(entries()[0]?.note).toContain('2 secrets were masked.');
  });

  it('refuses what holds a key with --no-redact, and writes the rest', async () => {
    const path = put('a.har', archive({ body: textStream(`the key ${SECRET}!`) }, { body: textStream('none') }));
    const { code, err } = await importing(path, '--no-redact');
    expect([code, err]).toEqual([1, expect.stringMatching(/a\.har, entry 1: .*OpenAI key.*: not imported\n$/)]);
    expect(err).not.toContain(SECRET);
    expect(entries().map(({ file }) => file)).toEqual(['a-2.native.sse']);
  });

  it('refuses a key that is cut over several deltas: it cannot be masked in place', async () => {
    const cut = [SECRET.slice(0, 9), SECRET.slice(9)].map((content) => chunk({ content })).join('');
    const { code, err } = await importing(put('a.har', archive({ body: cut })));
    expect([code, err]).toEqual([1, expect.stringContaining('entry 1: ')]);
    expect(existsSync(join(folder.path, 'out', 'got', 'manifest.json'))).toBe(false);
  });

  it('goes on behind a broken file, and says which line', async () => {
    put('a.har', '{"log": {"entries": [');
    put('b.har', archive({ body: textStream('one') }));
    put('c.yaml', 'interactions:\n- request: "x\n');
    const { code, out, err } = await importing(join(folder.path, 'in'));
    expect([code, out]).toEqual([1, expect.stringContaining('1 recording imported')]);
    expect(err).toMatch(/a\.har, line 1, column 22: not JSON .*\n.*c\.yaml, line 3, column 1: not YAML .*\n$/);
    expect(err).not.toContain('    at ');
  });

  it('ends with 3 where nothing can be read', async () => {
    const broken = await importing(put('a.har', '{"log"'));
    expect(broken.code).toBe(3);
    const missing = await importing(join(folder.path, 'nowhere.har'));
    expect([missing.code, missing.err]).toEqual([
      3,
      `${join(folder.path, 'nowhere.har')}: no such file or folder. Nothing was imported\n`,
    ]);
    const program = await importing(put('recorded.js', 'nock("x")'));
    expect([program.code, program.err]).toEqual([3, expect.stringContaining('is a program, and programs are not run')]);
    const empty = await importing(join(folder.path, 'in', 'deep'));
    expect([empty.code, empty.err]).toEqual([3, expect.stringContaining('holds no file that could be imported')]);
    expect(existsSync(join(folder.path, 'out', 'got'))).toBe(false);
  });

  it.each<[readonly string[], string]>([
    [['import'], 'a file or folder is missing'],
    [['import', '-', '--dry-run'], 'standard input cannot be imported'],
    [['import', 'x', '--suite', 's'], '--out DIR is missing: where to write (or --dry-run)'],
    [['import', 'x', '--out', 'o'], '--suite NAME is missing'],
    [['import', 'x', '--dry-run', '--format', 'cassette'], '--format takes auto, vcrpy, ruby-vcr'],
    [['import', 'x', '--dry-run', '--wire', 'sse'], '--wire takes auto, openai-chat'],
  ])('refuses %j', async (args, message) => {
    const { code, err } = await cst(args[1] === undefined ? [...args, '--out', 'o', '--suite', 's'] : args);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });

  it('refuses a file that is not of the format that was named', async () => {
    const { code, err } = await importing(put('a.har', archive({ body: textStream('one') })), '--format', 'nock');
    expect([code, err]).toEqual([
      3,
      expect.stringContaining("a.har: is not a recording of nock's. Leave --format away"),
    ]);
  });

  it('masks a key in names: of the model, of the file; with --no-redact it is not imported', async () => {
    const asked = { model: SECRET, messages: [] };
    const path = put(`log ${SECRET}.har`, archive({ body: textStream('one'), asked }));
    const refused = await importing(path, '--no-redact');
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringContaining('a secret (OpenAI key) in its field task'),
    ]);
    const { code, out } = await importing(path);
    expect([code, out]).toEqual([0, expect.stringContaining('secrets masked')]);
    const files = readdirSync(join(folder.path, 'out', 'got'));
    expect(files).toEqual([`log-${'x'.repeat(SECRET.length)}.native.sse`, 'manifest.json']);
    expect(stored('manifest.json')).not.toContain(SECRET.slice(3));
    expect(JSON.parse(stored('manifest.json')).recordings[0].model).toBe('*'.repeat(SECRET.length));
    expect((await cst(['verify', join(folder.path, 'out')])).code).toBe(0);
  });

  it('leaves headers and keys out of a request, however deep they stand', async () => {
    const tools = [{ type: 'mcp', server_label: 'x', headers: { 'X-Own': 'short' }, authorization: 'word' }];
    const servers = [{ name: 'y', authorization_token: 'word' }];
    const asked = { model: 'm', messages: [], tools, mcp_servers: servers, extra_headers: { a: 'b' } };
    await importing(put('a.har', archive({ body: textStream('one'), asked })));
    expect(entries()[0]?.request).toEqual({
      messages: [],
      parameters: { tools: [{ type: 'mcp', server_label: 'x' }], mcp_servers: [{ name: 'y' }] },
    });
    expect(entries()[0]?.note).toContain('Left out of the request, for headers or keys by their names: 4.');
  });

  it('refuses what --wire calls by another name than the content', async () => {
    const path = put('a.har', archive({ body: textStream('one') }));
    const { code, err } = await importing(path, '--wire', 'gemini');
    expect([code, err]).toEqual([1, `${path}, entry 1: its content is openai-chat, and not gemini: not imported\n`]);
    expect((await importing(path, '--wire', 'openai-chat')).code).toBe(0);
  });

  it('leaves out a time of no year that can be written, and says so', async () => {
    const har = JSON.parse(archive({ body: textStream('one') })) as { log: { entries: object[] } };
    har.log.entries = har.log.entries.map((entry) => ({ ...entry, startedDateTime: '+012026-01-01T00:00:00Z' }));
    const { code } = await importing(put('a.har', JSON.stringify(har)));
    expect(code).toBe(0);
    expect(entries()[0]).toMatchObject({
      recordedAt: null,
      note: expect.stringContaining('Its time (+012026-01-01T00:00:00Z) is none, and is left out.'),
    });
  });

  it('goes on behind what is nested thousands of levels deep', async () => {
    const deep = `${'['.repeat(30_000)}1${']'.repeat(30_000)}`;
    const inBody = `data: {"choices":[{"index":0,"delta":{"content":"a"},"x":${deep}}]}\n\n`;
    const asked = { model: 'm', messages: [] };
    const har = archive({ body: inBody }, { body: textStream('asked'), asked }, { body: textStream('one') });
    put('a.har', har.replace('\\"messages\\":[]', `\\"messages\\":[],\\"x\\":${deep}`));
    put('b.json', deep);
    put('c.yaml', deep);
    put('d.jsonl', `{"request":{},"chunks":${deep}}\n`);
    put('e.har', archive({ body: textStream('last') }));
    const { code, out, err } = await importing(join(folder.path, 'in'));
    expect([code, out]).toEqual([1, expect.stringContaining('e.native.sse: ')]);
    expect(err).not.toContain('    at ');
    expect(err).toContain('is nested too deeply, or too long, to be read');
    expect((await cst(['verify', join(folder.path, 'out')])).code).toBe(0);
  });

  it('names tasks by their place, also where names are long or odd', async () => {
    const long = `${'very-'.repeat(30)}long`;
    for (const [at, name] of [`${long}1`, `${long}2`, 'Ünï [x] (é)', '..', 'a b'].entries()) {
      put(`${name}.har`, archive({ body: textStream(`answer ${at}`) }));
    }
    const { code } = await importing(join(folder.path, 'in'));
    expect(code).toBe(0);
    const names = readdirSync(join(folder.path, 'out', 'got')).filter((name) => name.endsWith('.sse'));
    expect(names.filter((name) => name.startsWith('very-'))).toHaveLength(2);
    expect(names.map((name) => name.length).every((length) => length < 120)).toBe(true);
    expect(names).toEqual(expect.arrayContaining(['n-x.native.sse', 'stream.native.sse', 'a-b.native.sse']));
  });
});
