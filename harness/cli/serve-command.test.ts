import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { request } from 'undici';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { CommandProcesses } from './test-process.ts';
import { cst, TestFolder, textStream } from './test-terminal.ts';

const folder = new TestFolder();
mkdirSync(`${folder.path}/my`);
folder.file('my/hello.sse', textStream('hello'));
const OWN = ['--recordings', `${folder.path}/my`];
const commands = new CommandProcesses();
afterEach(() => {
  commands.kill();
});
afterAll(() => folder.remove());

/** A server in a process of its own; `lines` are those of its standard output, in order. */
function serve(...argv: readonly string[]) {
  return commands.start('serve', ...OWN, '--speed', '0', ...argv);
}

function ask(baseUrl: string, model: string) {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }], stream: true });
  const headers = { authorization: 'Bearer very-secret' };
  return request(`${baseUrl}/chat/completions`, { method: 'POST', body, headers });
}

describe('cst serve in a process of its own', () => {
  it('says where it listens and what it answered, as JSON, and ends open streams at SIGINT', async () => {
    const server = serve('--json', '--fault', 'stall@20', '--default', 'my/hello');
    const { url, baseUrl, recordings } = JSON.parse(await server.line());
    expect([baseUrl, recordings]).toEqual([`${url}/v1`, 1]);
    const { body } = await ask(baseUrl, 'any');
    const reading = body[Symbol.asyncIterator]();
    const first: Buffer = (await reading.next()).value;
    expect(first.toString()).toBe(textStream('hello').slice(0, 20));
    const rest = reading.next().then(
      () => 'went on',
      (error) => error.code,
    );
    expect(await server.stop('SIGINT')).toEqual({ code: 0, err: '' });
    expect(await rest).toBe('UND_ERR_SOCKET');
    expect(JSON.parse(await server.line())).toEqual({
      method: 'POST',
      path: '/v1/chat/completions',
      model: 'any',
      turn: 1,
      attempt: 1,
      recording: 'my/hello',
      faults: ['stall@20'],
      status: 200,
      bytes: 20,
      refusals: 0,
      end: 'stopped',
      missed: [],
      problem: null,
    });
  });

  it('prints a line for each request, control characters and keys left out, and stops at SIGTERM', async () => {
    const server = serve('--fault', 'status:429', '--fault-times', '1');
    const start = await server.line();
    expect(start).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1 answers from 1 recording; Ctrl-C stops it$/);
    const baseUrl = start.split(' ')[0]!;
    for (const model of ['my/hello', 'my/hello', 'no\u001b[31m']) await (await ask(baseUrl, model)).body.text();
    const size = textStream('hello').length;
    expect([await server.line(), await server.line(), await server.line()]).toEqual([
      expect.stringMatching(
        /^POST \/v1\/chat\/completions my\/hello, turn 1: my\/hello with status:429, 429, \d+ bytes, complete, Rate limit/,
      ),
      `POST /v1/chat/completions my/hello, turn 1 (attempt 2): my/hello, 200, ${size} bytes, complete`,
      expect.stringMatching(/ no\\u001b\[31m, 404, \d+ bytes, complete, The model does not exist: /),
    ]);
    expect(await server.stop('SIGTERM')).toEqual({ code: 0, err: '' });
  });
});

describe('a mistake', () => {
  const script = folder.file('bad.json', '{"turns":[{"recording":"my/hello"},{"say":"x"}]}');
  const lost = folder.file('lost.json', '{"turns":[{"recording":"my/other"}]}');

  it.each([
    [['--port', '70000'], 2, '--port takes a whole number up to 65535, not 70000'],
    [['--port', 'x'], 2, '--port takes a whole number from 0, not "x"'],
    [
      ['--host', '0.0.0.0'],
      2,
      '0.0.0.0 is not loopback: other machines could read the recordings; allow it with --allow-remote',
    ],
    [['--fault', 'boom'], 2, 'there is no fault "boom"; there are cut@N, reset@N, '],
    [['--fault-times', '2'], 2, '--fault-times needs a --fault'],
    [['--speed', '-1'], 2, '--speed takes a number from 0 (1 as recorded, 10 ten times faster), not "-1"'],
    [['--after', 'x'], 2, '--after takes done, error, repeat, not x'],
    [['--framing', 'json'], 2, '--framing takes ctl, ctl-heredoc, xml, native, hermes, '],
    [['--default', 'my/other'], 2, 'there is no recording my/other; there are the recordings my/hello'],
    [['--default', 'my/hello', '--script', lost], 2, '--default and --script exclude each other'],
    [['--script', lost], 2, 'there is no recording my/other; there are the recordings my/hello (turn 1)'],
    [['--script', script], 3, 'bad.json, turns[1]: expected {"recording": "SUITE/FILE"'],
    [['--script', '/nowhere/s.json'], 3, '/nowhere/s.json: no such file or folder'],
    [['more'], 2, 'unknown option or argument: more'],
  ])('%j is said in a line or two', async (argv, code, words) => {
    const answer = await cst(['serve', ...OWN, ...argv]);
    expect([answer.code, answer.out]).toEqual([code, '']);
    expect(answer.err).toContain(words);
    expect(answer.err.trimEnd().split('\n').length).toBeLessThanOrEqual(2);
  });

  it('a port that is in use is one', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    expect(await cst(['serve', ...OWN, '--port', String(port)])).toEqual({
      code: 2,
      out: '',
      err: `port ${port} of 127.0.0.1 is in use: choose another, or 0 for any free one\n`,
    });
    taken.close();
  });

  it('a folder of recordings that is none is one', async () => {
    expect(await cst(['serve', '--recordings', `${folder.path}/none`])).toMatchObject({
      code: 3,
      err: expect.stringContaining('there is no such folder'),
    });
  });
});
