import { afterAll, describe, expect, it } from 'vitest';
import { chunk, cst, TestFolder, textStream, toolDelta } from './test-terminal.ts';

const folder = new TestFolder();
afterAll(() => folder.remove());

async function parse(file: string, ...options: readonly string[]) {
  const { code, out, err } = await cst(['parse', file, '--json', ...options]);
  expect(err).toBe('');
  expect(code).toBe(0);
  return JSON.parse(out);
}

const call = (args: object, end: number, id = 'c1') => ({ id, name: 't', args, end });

describe('the worked cases of ctl.md', () => {
  it.each([
    ['call c1 t\narg k 5\nhello\nend\n', 'complete', [call({ k: 'hello' }, 27)], null],
    ['call c1 t\narg k 6\nhello\nend\n', 'complete', [call({ k: 'hello\n' }, 27)], null],
    ['call c1 t\narg k 4\nhello\nend\n', 'complete', [], { kind: 'unexpected_line', offset: 22, line: 3 }],
    ['call c1 t\narg k 400\nhello\nend\n', 'complete', [], { kind: 'body_eof', declared: 400, arrived: 10 }],
    ['call c1 t\narg k 400\nhello\nend\n', 'cut', [], null],
    ['call c1 t\narg k 5\nhello\nend', 'complete', [call({ k: 'hello' }, 27)], null],
    ['call c1 t\narg k 5\nhello\nend', 'cut', [], null],
    ['call c1 t\narg k <<E\n\n E\nend\nE\nend\n', 'complete', [call({ k: '\n E\nend\n' }, 33)], null],
    ["call c1 t\narg k <<'E'\nE", 'complete', [], { kind: 'call_eof' }],
    ['call c1 t\narg k 12a\nend\n', 'complete', [call({ k: '12a' }, 23)], null],
    ['call c1 t\nend\nResult: ok\n', 'complete', [call({}, 13)], null],
    ['call me maybe later\n', 'complete', [], { kind: 'bad_call', offset: 0, line: 1 }],
    ['I call that\n', 'complete', [], null],
    ['call c1 t\narg k 3\né!\nend\n', 'complete', [call({ k: 'é!' }, 25)], null],
  ])('%j, %s', async (text, end, calls, error) => {
    const path = folder.file('case.txt', text);
    const answer = await parse(path, '--protocol', 'ctl', '--input', 'content', '--end', end);
    expect(answer).toMatchObject({ file: path, protocol: 'ctl', end, calls, error });
    const wire = folder.file('case.sse', textStream(text));
    expect(await parse(wire, '--protocol', 'ctl', '--end', end)).toEqual({ ...answer, file: wire });
  });
});

describe('the answer', () => {
  it('says what had arrived of a call that was cut', async () => {
    const path = folder.file('cut.sse', textStream('call c1 t\narg k 400\nhello', null));
    const answer = await parse(path, '--protocol', 'ctl');
    expect(answer).toMatchObject({ end: 'cut', incomplete: true });
    expect(answer.unfinished).toEqual({ id: 'c1', name: 't', key: 'k', declared: 400, arrived: 5 });
    expect((await cst(['parse', path])).out).toContain('call c1 t, argument k: 5 of 400 bytes had arrived');
  });

  it('shows values that are no UTF-8 as Base64', async () => {
    const path = folder.file('bytes.txt', Buffer.from('call c1 t\narg k 2\n\xff\x00\nend\n', 'latin1'));
    const { calls } = await parse(path, '--protocol', 'ctl', '--input', 'content');
    expect(calls[0].args).toEqual({ k: { base64: '/wA=' } });
  });

  it('gives the argument text of JSON, a suffix where an id repeats, and what the reader passed over', async () => {
    const first = chunk(toolDelta(0, { id: 'a', name: 't', arguments: '{"n": 12345678901234567890}' }));
    const second = chunk(toolDelta(1, { id: 'a', name: 't', arguments: '{}' }), 'tool_calls');
    const path = folder.file('ids.sse', `${first}${second}data: [DONE]\n\n: late`);
    const answer = await parse(path);
    expect(answer).toMatchObject({ protocol: 'json-whole', guessed: true, notes: { repeatedIds: 1, unreadBytes: 6 } });
    expect(answer.calls[0]).toMatchObject({ id: 'a', argsText: '{"n": 12345678901234567890}' });
    expect(answer.calls[0]).not.toHaveProperty('replyId');
    expect(answer.calls[1]).toMatchObject({ id: 'a', replyId: 'a_2' });
  });

  it('names the canonical protocol of an alias', async () => {
    const path = folder.file('alias.sse', chunk(toolDelta(0, { id: 'a', name: 't', arguments: '{}' }), 'tool_calls'));
    expect(await parse(path, '--protocol', 'native-inc')).toMatchObject({
      protocol: 'json-object',
      calls: [{ end: 2 }],
    });
    expect(await parse(path, '--protocol', 'native-eos')).toMatchObject({ protocol: 'json-whole' });
  });

  it('keeps to the limits that were asked for', async () => {
    const path = folder.file('limits.txt', 'call c1 t\narg k 50\n');
    const answer = await parse(path, '--protocol', 'ctl', '--input', 'content', '--max-arg', '49');
    expect(answer.error).toMatchObject({
      kind: 'limit',
      offset: 10,
      line: 2,
      limit: 49,
      actual: 50,
      call: 'c1',
      key: 'k',
    });
    const long = await parse(folder.file('long.sse', textStream('x'.repeat(100))), '--event-limit', '50');
    expect(long).toMatchObject({ end: 'cut', error: { kind: 'event_too_long' } });
  });

  it.each([
    [0, [], false],
    [14, [], true],
    [27, [], true],
    [28, ['c1'], false],
  ])('of the first %i content bytes is that of a cut stream', async (length, ids, incomplete) => {
    const text = 'call c1 t\narg k 5\nhello\nend\nand more';
    for (const path of [folder.file('p.sse', textStream(text)), folder.file('p.txt', text)]) {
      const input = path.endsWith('.txt') ? ['--input', 'content'] : [];
      const options = ['--protocol', 'ctl', '--prefix', String(length), '--level', 'content', ...input];
      const answer = await parse(path, ...options);
      expect(answer).toMatchObject({ end: 'cut', prefix: length, level: 'content', incomplete });
      expect(answer.calls.map(({ id }: { id: string }) => id)).toEqual(ids);
    }
  });

  it('of a wire prefix is that of the same bytes on standard input', async () => {
    const stream = textStream('call c1 t\nend\n');
    const path = folder.file('wire.sse', stream);
    for (const length of [30, 90, stream.length]) {
      const {
        file: _file,
        prefix: _prefix,
        level: _level,
        ...fromFile
      } = await parse(path, '--protocol', 'ctl', '--prefix', String(length));
      const { code, out } = await cst(['parse', '-', '--json', '--protocol', 'ctl'], stream.slice(0, length));
      expect({ code, ...JSON.parse(out) }).toEqual({ code: 0, file: '-', ...fromFile });
    }
  });
});

describe('xml values', () => {
  const text = (n: string) =>
    `<minimax:tool_call>\n<invoke name="t">\n<parameter name="n">${n}</parameter>\n<parameter name="s"> x </parameter>\n</invoke>\n</minimax:tool_call>`;
  const tools = [{ type: 'function', function: { name: 't', parameters: { properties: { n: { type: 'integer' } } } } }];

  it('are typed by the tools, and a call with another type is refused', async () => {
    const file = folder.file('tools.json', JSON.stringify({ tools }));
    const options = ['--protocol', 'xml', '--input', 'content', '--tools', file];
    expect((await parse(folder.file('good.txt', text('5')), ...options)).calls[0].args).toEqual({ n: 5, s: ' x ' });
    const bad = text('five');
    const answer = await parse(folder.file('bad.txt', bad), ...options);
    const place = { offset: bad.length, line: 6, call: 'call_0', key: 'n', text: 'five' };
    expect(answer).toMatchObject({ calls: [], error: { kind: 'bad_arg', reason: 'schema', ...place } });
  });

  it('are bytes by default, and coerced as in the guide on demand', async () => {
    const path = folder.file('values.txt', text('5'));
    const options = ['--protocol', 'xml', '--input', 'content'];
    expect((await parse(path, ...options)).calls[0].args).toEqual({ n: '5', s: ' x ' });
    expect((await parse(path, ...options, '--xml-values', 'minimax-guide')).calls[0].args).toEqual({ n: '5', s: 'x' });
  });

  it('of a file that is no list of tools are unreadable', async () => {
    const path = folder.file('t.txt', text('5'));
    for (const content of ['{', '{"a":1}']) {
      const tool = folder.file('no-tools.json', content);
      const { code, err } = await cst(['parse', path, '--protocol', 'xml', '--tools', tool]);
      expect([code, err.split('\n').length]).toEqual([3, 2]);
      expect(err).toContain(tool);
    }
  });
});

describe('what cannot be read', () => {
  it.each([
    ['missing', null, 'no such file or folder'],
    ['empty', '', 'is empty'],
    ['text', 'call c1 t\nend\n', 'use cst parse --input content'],
    ['junk', Uint8Array.from({ length: 4096 }, (_, i) => (i * 167) % 256), 'no line begins with "data:"'],
    ['array', '[{"candidates":[]}]', 'ask for SSE with alt=sse'],
  ])('%s is said in one line, and the other files are still answered', async (name, content, words) => {
    const path = content === null ? `${folder.path}/nowhere.sse` : folder.file(`${name}.bad`, content);
    const good = folder.file('good.sse', textStream('call c1 t\nend\n'));
    const { code, out, err } = await cst(['parse', path, good, '--json']);
    expect(code).toBe(3);
    expect(err.startsWith(`${path}: `)).toBe(true);
    expect(err).toContain(words);
    expect(err.trimEnd().split('\n')).toHaveLength(1);
    expect(JSON.parse(out)).toMatchObject({ file: good, calls: [{ id: 'c1' }] });
  });

  it('a folder is no stream', async () => {
    const { code, err } = await cst(['parse', folder.path]);
    expect([code, err]).toEqual([3, `${folder.path}: is a folder, a file is wanted (cst check reads folders)\n`]);
  });

  it('text whose control characters would command a terminal is escaped', async () => {
    const path = folder.file('esc.sse', textStream('call c1 t\narg k \u001b[2J\u202e\nend\n'));
    const { out } = await cst(['parse', path, '--protocol', 'ctl']);
    expect(out).toContain('"\\u001b[2J\\u202e"');
    expect(out).not.toContain('\u001b');
    expect(out).not.toContain('\u202e');
  });
});

describe('arguments are shown as they arrived', () => {
  const native = (args: string) => chunk(toolDelta(0, { id: 'c1', name: 't', arguments: args }));
  const file = (args: string) => folder.file('native.sse', `${native(args)}${chunk({}, 'tool_calls')}data: [DONE]\n\n`);

  it('at any depth', async () => {
    const args = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    const { code, out } = await cst(['parse', file(args), '--json', '--protocol', 'json-object']);
    expect(code).toBe(0);
    expect(out).toContain(`"args":${args}`);
    const check = await cst(['check', file(args)]);
    expect(check.code).toBe(0);
  });

  it('without rounding, in their order, on one line', async () => {
    const { out } = await cst([
      'parse',
      file('{"b":1e400,\n"1":9007199254740993}'),
      '--json',
      '--protocol',
      'json-whole',
    ]);
    expect(out).toContain('"args":{"b":1e400,"1":9007199254740993},"argsText":');
    expect(out.trimEnd().split('\n')).toHaveLength(1);
    const ctl = folder.file('order.txt', 'call c1 t\narg 2 b\narg 1 a\nend\n');
    const answer = await cst(['parse', ctl, '--json', '--input', 'content', '--protocol', 'ctl']);
    expect(answer.out).toContain('"args":{"2":"b","1":"a"}');
  });

  it('and bytes that are no UTF-8 are never repaired into a call', async () => {
    const raw = folder.file('raw.txt', Buffer.from('{"name":"a","arguments":{"k":"\xff"}}', 'latin1'));
    const answer = await parse(raw, '--input', 'content', '--protocol', 'json-object');
    expect(answer).toMatchObject({ calls: [], error: null });
  });
});

describe('what is under way at a cut', () => {
  it('is nothing any more once the contract was left', async () => {
    const path = folder.file('left.txt', 'call c1 t\narg k \n');
    const answer = await parse(path, '--protocol', 'ctl', '--input', 'content', '--end', 'cut');
    expect(answer).toMatchObject({ error: { kind: 'bad_arg' }, incomplete: false });
  });

  it('stays so where the stream has failed', async () => {
    const failed = `${chunk({ content: 'call c1 t\n' })}data: {"error":{"message":"overloaded"}}\n\n`;
    const answer = await parse(folder.file('failed.sse', failed), '--protocol', 'ctl');
    expect(answer).toMatchObject({ error: { kind: 'stream_error' }, incomplete: true, unfinished: { id: 'c1' } });
  });
});
