import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { chatBody, inMemory, TestServers, textBytes } from '../serve/test-server.ts';
import { CommandProcesses } from './test-process.ts';
import { cst, TestFolder } from './test-terminal.ts';

const BODY = textBytes('call c1 t\nend\n');
const KEY = 'key-of-this-test-only';
const folder = new TestFolder();
const OUT = join(folder.path, 'out');
const servers = new TestServers();
const commands = new CommandProcesses();
afterEach(async () => {
  commands.kill();
  await servers.stop();
});
afterAll(() => folder.remove());

/** The proxy in a process of its own; `line` gives those of its standard output, in order. */
function start(target: string, ...argv: readonly string[]) {
  return commands.start('proxy', '--target', target, '--out', OUT, ...argv);
}

function ask(url: string, task: string) {
  const headers = { authorization: `Bearer ${KEY}`, 'x-cst-task': task };
  return request(`${url}/v1/chat/completions`, { method: 'POST', body: chatBody('s/t01'), headers });
}

describe('cst proxy in a process of its own', () => {
  it('says where it listens and what it stored, and stops at SIGTERM', async () => {
    const { url } = await servers.start({ recordings: [inMemory('t01', BODY)] });
    const proxy = start(url, '--suite', 'plain');
    const first = await proxy.line();
    expect(first).toBe(`${first.split(' ')[0]} passes on to ${url}/ and records into ${OUT}/plain; Ctrl-C stops it`);
    const address = first.split(' ')[0]!;
    expect(await (await ask(address, 'a')).body.text()).toBe(Buffer.from(BODY).toString());
    const bytes = BODY.length.toLocaleString('en');
    expect(await proxy.line()).toBe(`POST /v1/chat/completions, 200, ${bytes} bytes, complete, stored as a.ctl.sse`);
    await (await request(`${address}/v1/nope?key=${KEY}`)).body.text();
    expect(await proxy.line()).toMatch(/^GET \/v1\/nope, 404, \d+ bytes, complete$/);
    expect(await proxy.stop('SIGTERM')).toEqual({ code: 0, err: '' });
    expect(await proxy.line()).toBe(`${OUT}/plain: 1 answer recorded of 2 requests`);
    expect(await cst(['verify', join(OUT, 'plain')])).toMatchObject({ code: 0 });
  });

  it('ends with 1 if an answer could not be stored, and says why', async () => {
    const { url } = await servers.start({ recordings: [inMemory('t01', textBytes(`it is ${KEY}`))] });
    const proxy = start(url, '--suite', 'lost', '--json');
    const { url: address } = JSON.parse(await proxy.line());
    await (await ask(address, 'a')).body.text();
    await (await ask(address, '../a')).body.text();
    const { code, err } = await proxy.stop('SIGINT');
    expect(code).toBe(1);
    const problems = err
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const said = problems.filter(({ warning }) => warning !== undefined);
    const lost = problems.filter(({ warning }) => warning === undefined);
    expect(said.map(({ warning }) => warning.slice(0, 35))).toEqual(['a task that cannot name a file (4 c']);
    expect(lost.map((exchange) => [exchange.file, exchange.lost])).toEqual([
      [null, true],
      [null, true],
    ]);
    expect(lost[0].problem).toMatch(/^a secret \(/);
    expect(err).not.toContain(KEY);
    expect(existsSync(join(OUT, 'lost'))).toBe(false);
  });
});

describe('a folder', () => {
  it.skipIf(!existsSync('/proc/self'))('in which nothing can be made is refused at once', async () => {
    const answer = await cst(['proxy', '--target', 'http://127.0.0.1:9', '--out', '/proc/x', '--suite', 's']);
    expect(answer).toEqual({
      code: 3,
      out: '',
      err: '/proc/x/s: the folder cannot be made (at /proc/x): its file system takes no folders. Choose another\n',
    });
  });

  it('that is a file is refused', async () => {
    const file = folder.file('file', '');
    const { code, err } = await cst(['proxy', '--target', 'http://127.0.0.1:9', '--out', file, '--suite', 's']);
    expect([code, err]).toEqual([
      3,
      `${file}/s: ${file} is a file, and no folder can be in it. Choose another folder\n`,
    ]);
  });
});

describe('a mistake', () => {
  it.each([
    [['--target', 'x'], 2, '--target x: expected a URL that begins with http:// or https://'],
    [['--target', 'ftp://me:secret@h'], 2, '--target …@h: expected a URL that begins with http:// or https://'],
    [['--target', 'http://a:b@h'], 2, '--target must hold no name, password or query'],
    [['--target', 'http://h', '--host', '0.0.0.0'], 2, '--host 0.0.0.0 is not loopback: other machines could use'],
    [['--target', 'http://h', '--port', '70000'], 2, '--port takes a whole number up to 65535, not 70000'],
    [['--target', 'http://h', '--protocol', 'x'], 2, '--protocol takes ctl, '],
    [['--target', 'http://h', '--task-from', 'x'], 2, '--task-from takes header, path, not x'],
    [[], 2, '--target is missing'],
  ])('%j is said in a line', async (argv, code, words) => {
    const answer = await cst(['proxy', '--out', OUT, '--suite', 'mistake', ...argv]);
    expect([answer.code, answer.out]).toEqual([code, '']);
    expect(answer.err).toContain(words);
    expect(existsSync(join(OUT, 'mistake'))).toBe(false);
  });
});
