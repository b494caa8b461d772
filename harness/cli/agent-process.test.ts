import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { writeCtl } from '../replay/frames.ts';
import { loadSuites } from '../replay/load.ts';
import { type RunningServer, startServer } from '../serve/server.ts';
import { CST } from './test-process.ts';
import { TestFolder, textStream } from './test-terminal.ts';

const KEY = 'sk-in-the-environment-0123456789';
const folder = new TestFolder();
const suite = join(folder.path, 'my');
mkdirSync(suite);
let server: RunningServer;

function recording(name: string, ...commands: readonly string[]): void {
  const calls = commands.map((command, at) => ({
    id: `c${at}`,
    name: 'shell',
    args: [['command', command]] as [string, string][],
  }));
  writeFileSync(join(suite, `${name}.ctl.sse`), textStream(`Now:\n${writeCtl(calls)}`));
}

recording('count', ...['0', '1', '2'].map((n) => `echo ${n} >> ran; sleep 0.03`));
/** The shell of a command is the child of one that waits for it, and that is the agent's. */
const AGENT = '$(ps -o ppid= -p $PPID | tr -d " ")';
recording('suicide', 'echo 0 >> ran', `echo 1 >> ran; kill -9 ${AGENT}; sleep 0.2`, 'echo 2 >> ran');
recording('sleep', 'echo $$ > pid; exec sleep 100', 'echo never > never');
recording('leak', `env; tr "\\0" "\\n" < /proc/${AGENT}/environ; echo done`);

beforeAll(async () => {
  server = await startServer({ recordings: await loadSuites(suite), speed: 0 });
});
afterAll(async () => {
  await server.close();
  folder.remove();
});

interface Run {
  readonly process: ChildProcess;
  readonly cwd: string;
  readonly session: string;
  readonly ended: Promise<{ readonly code: number | null; readonly out: string }>;
}

let serial = 0;
function project(): string {
  const cwd = join(folder.path, `p${++serial}`);
  mkdirSync(cwd);
  return cwd;
}

function agent(name: string, cwd: string, ...more: readonly string[]): Run {
  const session = join(cwd, 's.jsonl');
  const argv = ['agent', '--protocol', 'ctl', '--base-url', server.url, '--replay', `my/${name}`, '--cwd', cwd];
  const options = ['--permission', 'allow', '--session', session, ...more];
  const env = { ...process.env, CST_API_KEY: KEY };
  const child = spawn(process.execPath, [...CST, ...argv, ...options], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (out += bytes));
  const ended = new Promise<{ code: number | null; out: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, out })),
  );
  return { process: child, cwd, session, ended };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 1));
}

function linesOf(path: string): readonly string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
}

interface CallEnd {
  readonly id: string;
  readonly exit: unknown;
}

/** Calls with how they ended; a call without an end is left with `undefined`. */
function callsOf(session: string): readonly CallEnd[] {
  const records = linesOf(session).map((line) => JSON.parse(line));
  const ends = new Map(records.filter(({ type }) => type === 'result').map(({ id, exit }) => [id, exit]));
  return records.filter(({ type }) => type === 'call').map(({ id }) => ({ id, exit: ends.get(id) }));
}

/** Lines of a session of `count`: `session, user, (assistant, call, result) × 3, stop, assistant, stop`. */
const SESSION_LINES = 14;
/**
 * Behind the task, a call, a result. A process takes a second to start: here are a few points, with `CST_EVERY_KILL=1`
 * (as in CI) all of them; `agent/crash.test.ts` has every point, without a process.
 */
const KILL_BEHIND =
  process.env['CST_EVERY_KILL'] === '1' ? Array.from({ length: SESSION_LINES }, (_, i) => i + 1) : [4, 5, 11];
/** Agents at once. */
const FEW = 4;

// Each run starts a process, which takes a second, and many seconds where much else runs.
vi.setConfig({ testTimeout: 180_000 });

async function killedAt(lines: number): Promise<void> {
  const cwd = project();
  const first = agent('count', cwd);
  let over = false;
  void first.ended.then(() => {
    over = true;
  });
  await until(() => over || linesOf(first.session).length >= lines);
  first.process.kill('SIGKILL');
  await first.ended;
  // What was running then is no part of the agent any more, and ends by itself.
  await new Promise((resolve) => setTimeout(resolve, 60));
  const before = readFileSync(first.session, 'utf8');
  const resumed = await agent('count', cwd, '--resume', 'Go on.').ended;
  expect([resumed.code, resumed.out]).toEqual([0, expect.stringContaining('resumed a session')]);
  const ran = linesOf(join(cwd, 'ran'));
  const calls = callsOf(first.session);
  expect(new Set(ran).size, `killed behind line ${lines}`).toBe(ran.length);
  expect(calls.map(({ id }) => id)).toEqual(expect.arrayContaining(ran.map((n) => `c${n}`)));
  expect(calls.every(({ exit }) => exit === 0 || exit === 'unknown')).toBe(true);
  const whole = before.slice(0, before.lastIndexOf('\n') + 1);
  expect(readFileSync(first.session, 'utf8').startsWith(whole)).toBe(true);
}

describe('an agent that is killed', () => {
  it('is resumed: no call runs twice, none is lost silently', async () => {
    const limit = pLimit(FEW);
    await Promise.all(KILL_BEHIND.map((lines) => limit(killedAt, lines)));
  });

  it('by a call of its own knows afterwards that it does not know', async () => {
    const first = agent('suicide', project());
    expect((await first.ended).code).toBeNull();
    expect(callsOf(first.session)).toEqual([
      { id: 'c0', exit: 0 },
      { id: 'c1', exit: undefined },
    ]);
    const { out, code } = await agent('suicide', first.cwd, '--resume').ended;
    expect(out).toContain('call c1 has no result: what it did is unknown, and it is not run again');
    expect([code, linesOf(join(first.cwd, 'ran'))]).toEqual([0, ['0', '1']]);
    expect(callsOf(first.session).map(({ exit }) => exit)).toEqual([0, 'unknown']);
  });
});

describe('an agent that is interrupted', () => {
  it('leaves no process, records exit 130, and can be resumed', async () => {
    const run = agent('sleep', project());
    const pidFile = join(run.cwd, 'pid');
    await until(() => linesOf(pidFile).length === 1);
    run.process.kill('SIGINT');
    expect((await run.ended).code).toBe(130);
    const pid = Number(linesOf(pidFile)[0]);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect(callsOf(run.session)).toEqual([{ id: 'c0', exit: 130 }]);
    expect(linesOf(run.session).at(-1)).toContain('"reason":"cancelled"');
    const { code } = await agent('sleep', run.cwd, '--resume').ended;
    expect([code, existsSync(join(run.cwd, 'never'))]).toEqual([0, false]);
  });
});

describe('an agent whose output nobody reads any more', () => {
  it('is cancelled, in order, and has not finished', async () => {
    const run = agent('sleep', project());
    await until(() => linesOf(join(run.cwd, 'pid')).length === 1);
    run.process.stdout?.destroy();
    run.process.stderr?.destroy();
    // It notices when it writes: the result of the call that a signal ends.
    process.kill(Number(linesOf(join(run.cwd, 'pid'))[0]), 'SIGTERM');
    expect((await run.ended).code).toBe(130);
    expect(callsOf(run.session)[0]).toEqual({ id: 'c0', exit: 143 });
    expect(linesOf(run.session).at(-1)).toContain('"reason":"cancelled"');
    expect(existsSync(`${run.session}.lock`)).toBe(false);
  });
});

describe('the key in the environment', () => {
  it('is in no file and no output, even if a command looks for it', async () => {
    const run = agent('leak', project(), '--json');
    const { code, out } = await run.ended;
    expect([code, out]).toEqual([0, expect.stringContaining('CST_API_KEY=[key]')]);
    const files = readdirSync(run.cwd).map((name) => readFileSync(join(run.cwd, name), 'utf8'));
    expect(files.length).toBeGreaterThan(0);
    expect([out, ...files].join('\n')).not.toContain(KEY);
  });
});
