import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { armedFault } from '../serve/faults.ts';
import { inMemory, TestServers, textBytes } from '../serve/test-server.ts';
import { CST } from './test-process.ts';
import { cst, TestFolder } from './test-terminal.ts';

const BODY = textBytes('call c1 t\nend\n', 'x'.repeat(5000));
const folder = new TestFolder();
const servers = new TestServers();
const children: ChildProcess[] = [];
const TASKS = folder.file(
  'tasks.jsonl',
  Array.from({ length: 6 }, (_, n) => `{"task":"t${n}","prompt":"do ${n}"}\n`).join(''),
);
const OUT = join(folder.path, 'out');

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await servers.stop();
});
afterAll(() => folder.remove());

async function serve(...faults: readonly string[]): Promise<string> {
  const armed = faults.map((text) => armedFault(text));
  return (await servers.start({ recordings: [inMemory('t01', BODY)], faults: armed })).baseUrl;
}

function argv(baseUrl: string, suite: string, ...more: readonly string[]): readonly string[] {
  const where = ['--base-url', baseUrl, '--model', 's/t01', '--out', OUT, '--suite', suite, '--tasks', TASKS];
  return ['record', ...where, '--protocol', 'ctl', ...more];
}

/** The command in a process of its own; waits until `lines` lines of its output have come. */
async function start(args: readonly string[], lines: number) {
  const child = spawn(process.execPath, [...CST, ...args]);
  children.push(child);
  let out = '';
  const closed = once(child, 'close');
  const seen = new Promise<void>((resolve) => {
    child.stdout.on('data', (piece) => {
      out += piece;
      if (out.split('\n').length > lines) resolve();
    });
  });
  await Promise.race([seen, closed]);
  return { child, end: async () => ({ code: (await closed)[0] as number | null, out }) };
}

async function recorded(suite: string): Promise<number> {
  const { code, out, err } = await cst(['verify', join(OUT, suite)]);
  expect([code, err]).toEqual([0, '']);
  return Number(/: (\d+) recordings?, all as/.exec(out)?.[1]);
}

describe('cst record', () => {
  it('records, and the same command says that there is nothing left', async () => {
    const baseUrl = await serve();
    const first = await cst(argv(baseUrl, 'whole', '--concurrency', '3', '--provider', 'p'));
    expect([first.code, first.err]).toEqual([0, '']);
    expect(first.out.split('\n').slice(0, -2).sort()).toEqual(
      [0, 1, 2, 3, 4, 5].map((n) => `t${n}.ctl.sse: ${BODY.length.toLocaleString('en')} bytes`),
    );
    expect(first.out).toMatch(/whole: 6 answers recorded\n$/);
    expect(await cst(argv(baseUrl, 'whole'))).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^6 answers in the suite already: skipped\n.*: 0 answers recorded\n$/),
    });
    expect(await recorded('whole')).toBe(6);
  });

  it('says what it would ask, and asks nothing', async () => {
    const { code, out } = await cst(argv('https://nowhere.invalid', 'dry', '--dry-run', '--task', 't2', '--runs', '2'));
    expect([code, out]).toEqual([
      0,
      't2.ctl.sse: s/t01, run1\nt2.ctl.2.sse: s/t01, run2\n2 answers to record, 0 there already\n',
    ]);
    expect(existsSync(join(OUT, 'dry'))).toBe(false);
  });

  it('asks no more than it is allowed to, and goes on later', async () => {
    const baseUrl = await serve();
    const { code, out } = await cst(argv(baseUrl, 'limited', '--limit', '2'));
    expect([code, out.split('\n').at(-2)]).toEqual([
      0,
      `${OUT}/limited: 2 answers recorded, 4 not asked for; the same command goes on`,
    ]);
    expect((await cst(argv(baseUrl, 'limited'))).out).toMatch(/4 answers recorded\n$/);
  });

  it('lists what failed, and leaves no folder where nothing was stored', async () => {
    const { code, out, err } = await cst(argv(await serve('status:404'), 'none', '--retries', '0', '--task', 't1'));
    expect([code, out.split('\n').at(-2)]).toEqual([
      1,
      `${OUT}/none: 0 answers recorded, 1 failed; the same command goes on`,
    ]);
    expect(err).toMatch(/^t1\.ctl\.sse: the server answered 404: /);
    expect(existsSync(join(OUT, 'none'))).toBe(false);
  });

  it('that is killed leaves whole recordings, and the same command does the rest', async () => {
    const baseUrl = await serve('trickle:900:15');
    const args = argv(baseUrl, 'killed', '--concurrency', '2', '--runs', '2');
    const { child, end } = await start(args, 3);
    child.kill('SIGKILL');
    await end();
    const whole = await recorded('killed');
    expect(whole).toBeGreaterThanOrEqual(3);
    expect(whole).toBeLessThan(12);
    const rest = await cst(args);
    expect([rest.code, rest.err]).toEqual([0, '']);
    expect(rest.out).toContain(`${12 - whole} answers recorded`);
    expect(await recorded('killed')).toBe(12);
    expect(readdirSync(join(OUT, 'killed')).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('that is interrupted ends at once with 130, and stores nothing of what was running', async () => {
    let asked = (): void => {};
    const wasAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const recordings = [inMemory('t01', BODY)];
    const server = await servers.start({
      recordings,
      faults: [armedFault('stall@300')],
      observer: { chosen: () => asked() },
    });
    const child = spawn(process.execPath, [...CST, ...argv(server.baseUrl, 'stopped', '--timeout', '600')]);
    children.push(child);
    let out = '';
    child.stdout.on('data', (piece) => {
      out += piece;
    });
    await wasAsked;
    const closed = once(child, 'close');
    child.kill('SIGINT');
    const [code] = await closed;
    expect([code, out.split('\n').at(-2)]).toEqual([
      130,
      `${OUT}/stopped: 0 answers recorded, 6 not asked for; the same command goes on`,
    ]);
    expect(existsSync(join(OUT, 'stopped'))).toBe(false);
  });

  it('that is interrupted when the last answer is stored has everything, and says so', async () => {
    const baseUrl = await serve('trickle:2000:5');
    const child = spawn(process.execPath, [...CST, ...argv(baseUrl, 'late')]);
    children.push(child);
    let out = '';
    child.stdout.on('data', (piece) => {
      out += piece;
      if (out.split('\n').length > 6) child.kill('SIGINT');
    });
    const [code] = await once(child, 'close');
    expect([code, out.split('\n').at(-2)]).toEqual([0, `${OUT}/late: 6 answers recorded`]);
    expect(await recorded('late')).toBe(6);
    expect(readdirSync(join(OUT, 'late')).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('sends numbers as they were written', async () => {
    const bodies: string[] = [];
    const server = createServer(async (req, res) => {
      bodies.push(Buffer.concat(await req.toArray()).toString());
      res.setHeader('content-type', 'text/event-stream').end(BODY);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const numbers = folder.file(
      'numbers.jsonl',
      '{"task":"n","prompt":"p","body":{"seed":12345678901234567890,"t":1.0}}\n',
    );
    const { port } = server.address() as AddressInfo;
    const where = ['--base-url', `http://127.0.0.1:${port}`, '--model', 'm', '--out', OUT, '--suite', 'numbers'];
    const args = ['record', ...where, '--protocol', 'ctl', '--tasks', numbers, '--param', 'big=9007199254740993'];
    expect((await cst(args)).code).toBe(0);
    expect(bodies[0]).toMatch(/"stream":true,"seed":12345678901234567890,"t":1\.0,"big":9007199254740993\}$/);
    expect((await cst(args)).out).toContain('1 answer in the suite already: skipped');
    server.close();
  });

  it('refuses a suite that another writes to', async () => {
    const baseUrl = await serve('trickle:100:10');
    const { child, end } = await start(argv(baseUrl, 'taken', '--runs', '9'), 1);
    const { code, err } = await cst(argv(baseUrl, 'taken'));
    child.kill('SIGKILL');
    await end();
    expect([code, err]).toEqual([
      3,
      `${OUT}/taken: process ${child.pid} is writing to this suite. Wait for it to end, or remove ${OUT}/taken/.lock if that is no writer\n`,
    ]);
  });
});

describe('a key', () => {
  it('is read from the environment, sent, and stored nowhere', async () => {
    process.env['CST_TEST_KEY'] = 'key-of-this-test-only';
    const { code } = await cst(argv(await serve(), 'keyed', '--key-env', 'CST_TEST_KEY', '--task', 't0'));
    delete process.env['CST_TEST_KEY'];
    expect(code).toBe(0);
    const text = readdirSync(join(OUT, 'keyed'))
      .map((name) => readFileSync(join(OUT, 'keyed', name), 'utf8'))
      .join('');
    expect(text).not.toMatch(/key-of-this-test/);
  });

  it.each([
    ['https://nowhere.invalid', undefined, 'CST_TEST_KEY is not set: put the key there, or name its variable'],
    ['http://nowhere.invalid', 'secret-key', 'is plain http: the key in CST_TEST_KEY could be read on the way'],
    ['https://nowhere.invalid', 'two words', 'CST_TEST_KEY holds characters that cannot be sent'],
  ])('for %s that is %s is refused', async (url, key, words) => {
    if (key !== undefined) process.env['CST_TEST_KEY'] = key;
    const { code, err } = await cst(argv(url, 'keyless', '--key-env', 'CST_TEST_KEY'));
    delete process.env['CST_TEST_KEY'];
    expect(code).toBe(2);
    expect(err).toContain(words);
    expect(err).not.toMatch(/secret-key|two words/);
  });
});

describe('a mistake', () => {
  const object = folder.file('list.json', '[1]');
  const own = folder.file('own.jsonl', '{"task":"a","messages":[{"role":"system","content":"s"}]}\n');
  const secret = folder.file(
    'secret.jsonl',
    `{"task":"a","prompt":"use sk-${'proj-'}aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5"}\n`,
  );
  const latin1 = folder.file('latin1.jsonl', Buffer.from('{"task":"a","prompt":"caf\xe9"}\n', 'latin1'));
  const url = 'http://127.0.0.1:9';

  it.each(['https://me:hunter2@host', 'me:hunter2@host', 'https://me:hun/ter2@host'])(
    'in an address with a password is told without it: %s',
    async (base) => {
      const answer = await cst(['record', '--base-url', base]);
      expect([answer.code, /hun|ter2/.test(answer.err), answer.err.startsWith('--base-url …@host: ')]).toEqual([
        2,
        false,
        true,
      ]);
    },
  );

  it.each([
    [['--base-url', 'x'], 2, '--base-url was given twice'],
    [['--wire', 'x'], 2, '--wire takes openai-chat, anthropic, not x'],
    [['--protocol', 'json'], 2, '--protocol takes ctl, '],
    [['--protocol', 'ctl'], 2, '--protocol ctl was given twice'],
    [['--task', 'x'], 2, 'there is no task x; there are t0, t1, t2, t3, t4, t5'],
    [['--runs', '0'], 2, '--runs takes a whole number from 1, not "0"'],
    [['--concurrency', '1000'], 2, '--concurrency takes at most 256'],
    [['--timeout', '100000'], 2, '--timeout takes at most 86400 seconds'],
    [['--temperature', 'hot'], 2, '--temperature takes a number from 0, not "hot"'],
    [['--param', 'top_p'], 2, '--param takes NAME=JSON'],
    [['--param', 'stop=x'], 2, '--param takes NAME=JSON'],
    [['--param', 'stream=false'], 2, 'stream cannot be given as a field: the recorder sets it itself'],
    [['--param', 'api_key="x"'], 3, 'a request is kept without headers and keys'],
    [['--body', object], 3, 'list.json: expected a JSON object with fields of the request body'],
    [['--body', TASKS], 3, 'tasks.jsonl: not JSON ('],
    [['--system', '/nowhere/s.txt'], 3, '/nowhere/s.txt: no such file or folder'],
    [['--run-label', ''], 2, '--run-label wants a value'],
    [['--wire', 'anthropic', '--seed', '1'], 2, '--seed: Anthropic takes none; leave it out'],
    [['more'], 2, 'unknown option or argument: more'],
  ])('%j is said in a line or two', async (more, code, words) => {
    const answer = await cst(argv(url, 'mistake', ...more));
    expect([answer.code, answer.out]).toEqual([code, '']);
    expect(answer.err).toContain(words);
    expect(answer.err.trimEnd().split('\n').length).toBeLessThanOrEqual(2);
    expect(existsSync(join(OUT, 'mistake'))).toBe(false);
  });

  it.each([
    [['--tasks', own, '--system', own], 2, 'the task a has a system message of its own: leave --system out'],
    [['--tasks', secret], 3, 'a.ctl.sse: a secret ('],
    [['--tasks', '/nowhere/t.json'], 3, '/nowhere/t.json: no such file or folder'],
    [
      ['--tasks', folder.path],
      3,
      `${folder.path}: is a folder. Name a file: a file of tasks, JSON or JSON Lines, is wanted`,
    ],
    [['--tasks', latin1], 3, 'latin1.jsonl: byte 25 (line 1) is no UTF-8 (0xe9). Save it as UTF-8'],
  ])('in the tasks (%j) as well', async (more, code, words) => {
    const where = ['--base-url', url, '--model', 'm', '--out', OUT, '--suite', 'mistake', '--protocol', 'ctl'];
    const answer = await cst(['record', ...where, ...more]);
    expect([answer.code, answer.out]).toEqual([code, '']);
    expect(answer.err).toContain(words);
    expect(answer.err).not.toContain('aB3dE5');
  });

  it('is an option that is missing', async () => {
    expect((await cst(['record'])).err).toBe('--base-url is missing\n');
    expect((await cst(['record', '--base-url', url])).err).toBe('--model is missing\n');
    const asked = ['--base-url', url, '--model', 'm', '--protocol', 'ctl', '--tasks', TASKS];
    expect((await cst(['record', ...asked, '--out', OUT])).err).toBe('--suite is missing\n');
    expect((await cst(['record', ...asked, '--out', OUT, '--suite', '../x'])).err).toMatch(/^--suite takes letters, /);
  });
});
