import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, watch } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { cappedOutput, resultFrame } from '../result-frame.ts';
import type { ToolContext } from '../tool.ts';
import { runShell, shell } from './shell.ts';
import { shellEnvironment } from './shell-environment.ts';
import { TestProject, told } from './test-project.ts';

const project = new TestProject();
afterAll(() => project.remove());
const GRACE = 100;
const ENDED = '[cancelled, and ended with its process group]\n';

async function run(command: string, changes: Partial<ToolContext> = {}) {
  return told(await runShell(command, { ...project.context, ...changes }, GRACE));
}

/** Ids of the running processes of a group; a zombie runs no more. */
function membersOf(group: number): number[] {
  return execFileSync('ps', ['-eo', 'pid=,pgid=,stat='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, pgid, state]) => Number(pgid) === group && !state?.startsWith('Z'))
    .map(([pid]) => Number(pid));
}

/** Resolves with the content of a file of the project when it has been written whole (with a line feed at its end). */
function written(name: string): Promise<string> {
  return new Promise((resolve) => {
    const look = () => {
      const text = existsSync(project.path(name)) ? project.read(name) : '';
      if (!text.endsWith('\n')) return;
      watcher.close();
      resolve(text);
    };
    const watcher = watch(project.root, look);
    look();
  });
}

describe('shell', () => {
  it('runs a command in the project folder and says how it ended', async () => {
    expect(await run('pwd; echo é; exit 3')).toEqual([3, `${project.root}\né\n`]);
    expect(await run('')).toEqual([0, '']);
  });

  it('gives both outputs in the order in which they were written', async () => {
    const command = 'for i in 1 2 3 4 5 6 7 8 9; do echo out $i; echo err $i >&2; done';
    const lines = Array.from({ length: 9 }, (_, i) => `out ${i + 1}\nerr ${i + 1}\n`);
    expect(await run(command)).toEqual([0, lines.join('')]);
  });

  it('takes the command as one text, whatever is in it', async () => {
    const command = `printf '%s|' "$0" "$#" 'a b' "\\$x" '"' ; printf "it's\n" # done`;
    expect(await run(command)).toEqual([0, `/bin/sh|0|a b|$x|"|it's\n`]);
  });

  it('has an empty standard input', async () => {
    expect(await run('cat; wc -c; read x || echo end')).toEqual([0, expect.stringMatching(/^\s*0\nend\n$/)]);
  });

  it('says what the shell says of a command that is none', async () => {
    expect(await run('no-such-command')).toEqual([127, expect.stringMatching(/no-such-command: .*not found\n$/)]);
    expect(await run('if')).toEqual([2, expect.stringContaining('yntax error')]);
  });

  it('gives 128 + n for death by signal n', async () => {
    expect(await run('kill -9 $$')).toEqual([137, '']);
    expect(await run('echo x; kill -TERM $$')).toEqual([143, 'x\n']);
  });

  it.skipIf(process.platform !== 'linux')('gives 128 + n for real-time signals too, which have no name', async () => {
    expect(await run('kill -34 $$')).toEqual([162, '']);
    expect(await run('echo x; kill -64 $$; echo y')).toEqual([192, 'x\n']);
    expect(await run('kill -40 0')).toEqual([168, '']);
  });

  it('says how a command ended that outlives a signal to its group', async () => {
    expect(await run("trap '' TERM; kill 0; exit 5")).toEqual([5, '']);
  });

  it('hands down the variables that it was given and no others', async () => {
    const key = 'sk-very-secret';
    const variables = { ...process.env, CST_API_KEY: key, NOTE: key, LANG: 'C' };
    const [exit, text] = await run('env; env > env.txt', {
      environment: shellEnvironment(variables, { secrets: [key] }),
    });
    expect([exit, text.includes('LANG=C\n'), text.includes(key)]).toEqual([0, true, false]);
    for (const name of readdirSync(project.root)) expect(readFileSync(project.path(name), 'utf8')).not.toContain(key);
  });
});

describe('a command that cannot be started', () => {
  it('is an outcome', async () => {
    expect(await run('echo', { root: project.path('nowhere') })).toEqual([
      127,
      '[not started: no such file or directory]\n',
    ]);
    expect(await run('echo a\0b')).toEqual([126, expect.stringMatching(/^\[not started: .*null bytes/)]);
    expect(await run(`echo ${'x'.repeat(4_000_000)}`)).toEqual([
      126,
      '[not started: the command is longer than the system takes; write it to a file with write_file and run that]\n',
    ]);
  });

  it('is not started after a cancel', async () => {
    expect(await run('touch started', { signal: AbortSignal.abort() })).toEqual([130, ENDED]);
    expect(existsSync(project.path('started'))).toBe(false);
  });
});

describe('cancelling', () => {
  it('ends the whole process group, and nothing of it is left', async () => {
    const cancel = new AbortController();
    const running = run(
      'echo begun; sleep 100 & (sleep 100; :) & pgid=$(ps -o pgid= -p $$); echo $pgid > group; sleep 100',
      {
        signal: cancel.signal,
      },
    );
    const group = Number(await written('group'));
    expect(membersOf(group).length).toBeGreaterThanOrEqual(4);
    cancel.abort();
    expect(await running).toEqual([130, `begun\n${ENDED}`]);
    expect(membersOf(group)).toEqual([]);
  });

  it('ends what ignores TERM by KILL', async () => {
    const cancel = new AbortController();
    const stubborn =
      'trap "" TERM; (while :; do sleep 1; done) & pgid=$(ps -o pgid= -p $$); echo $pgid > stubborn; while :; do sleep 1; done';
    const running = run(stubborn, { signal: cancel.signal });
    const group = Number(await written('stubborn'));
    cancel.abort();
    expect(await running).toEqual([130, ENDED]);
    expect(membersOf(group)).toEqual([]);
  });

  it.skipIf(process.platform !== 'linux')(
    'ends what has left the group, if it is marked or has its parent',
    async () => {
      const cancel = new AbortController();
      const say = "sh -c 'echo $$ >> gone; exec sleep 100'";
      const leave = `: > gone; setsid -f ${say}; env -i setsid ${say} &`;
      const running = run(`${leave} until [ $(wc -l < gone) = 2 ]; do sleep 0.01; done; echo up > up; sleep 100`, {
        signal: cancel.signal,
      });
      await written('up');
      const left = project.read('gone').trim().split('\n').map(Number);
      cancel.abort();
      expect(await running).toEqual([
        130,
        '[cancelled, and ended with its process group and 2 processes that had left it]\n',
      ]);
      for (const pid of left) expect(membersOf(pid)).toEqual([]);
    },
  );

  it('keeps what the command still says when it is told to end', async () => {
    const cancel = new AbortController();
    const polite = "trap 'echo bye; exit 0' TERM; echo $$ > polite; while :; do sleep 0.01; done";
    const running = run(polite, { signal: cancel.signal });
    await written('polite');
    cancel.abort();
    expect(await running).toEqual([130, expect.stringContaining(`bye\n${ENDED}`)]);
  });

  it('leaves no listener behind', async () => {
    const cancel = new AbortController();
    const before = process.listenerCount('exit');
    expect(await run('echo x', { signal: cancel.signal })).toEqual([0, 'x\n']);
    expect(process.listenerCount('exit')).toBe(before);
  });
});

describe('a runtime that exits', () => {
  it('takes the running group with it', async () => {
    const script = `
      import { statSync, watch } from 'node:fs';
      import { shell } from ${JSON.stringify(new URL('./shell.ts', import.meta.url).href)};
      const context = ${JSON.stringify({ ...project.context, signal: undefined })};
      watch(context.root, (_, name) => name === 'exiting' && statSync(context.root + '/exiting').size > 0 && process.exit(5));
      await shell.run({ command: 'pgid=$(ps -o pgid= -p $$); echo $pgid > exiting; sleep 100' }, { ...context, signal: new AbortController().signal });`;
    const runtime = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script]);
    const [code] = await once(runtime, 'exit');
    expect(code).toBe(5);
    await expect.poll(() => membersOf(Number(project.read('exiting')))).toEqual([]);
  });
});

describe('the time limit', () => {
  it('ends the group with exit 124', async () => {
    const [exit, text] = await run('echo $(ps -o pgid= -p $$); sleep 100 | sleep 100', { timeLimit: 200 });
    const group = Number(text.split('\n')[0]);
    expect([exit, text]).toEqual([124, `${group}\n[ended with its process group after 200 ms, the time limit]\n`]);
    expect(membersOf(group)).toEqual([]);
  });

  it('may be longer than any timer', async () => {
    expect(await run('echo x', { timeLimit: Number.MAX_SAFE_INTEGER })).toEqual([0, 'x\n']);
  });
});

describe('what a command leaves in the background', () => {
  it('ends with it, though it keeps the pipe open', async () => {
    const [exit, text] = await run('sleep 100 & echo $(ps -o pgid= -p $$)');
    const group = Number(text.split('\n')[0]);
    expect([exit, text]).toEqual([0, `${group}\n[processes that it left in the background were ended]\n`]);
    expect(membersOf(group)).toEqual([]);
  });

  it.skipIf(process.platform !== 'linux')('is not waited for if it has left the group', async () => {
    const leave = "setsid sh -c 'echo $$ > left; exec sleep 100' & until [ -s left ]; do sleep 0.01; done; cat left";
    const [exit, text] = await run(leave);
    expect([exit, text]).toEqual([0, expect.stringMatching(/^\d+\n$/)]);
    process.kill(Number(text), 'SIGKILL');
  });
});

describe('an output without end', () => {
  it('is kept in bounded memory, and counted', async () => {
    const outcome = await runShell('yes é | head -c 48000000; exit 7', project.context);
    expect(outcome.exit).toBe(7);
    expect(outcome.output.length).toBe(2 * project.context.outputCap);
    expect(outcome.omitted).toEqual({ at: project.context.outputCap, bytes: 48_000_000 - outcome.output.length });
    const text = cappedOutput(outcome, 300);
    expect(text).toBe(`${'é\n'.repeat(60)}[47,999,700 bytes left out]\n${'é\n'.repeat(40)}`);
    expect(resultFrame('c1', 7, text)).toMatch(/^result c1 exit=7 328\n/);
  });

  it('ends at the time limit', async () => {
    const outcome = await runShell('yes', { ...project.context, timeLimit: 300 }, GRACE);
    expect(outcome.exit).toBe(124);
    expect(outcome.omitted?.bytes).toBeGreaterThan(0);
    expect(Buffer.from(outcome.output).toString()).toMatch(
      /\ny?\n?\[ended with its process group after 300 ms, the time limit\]\n$/,
    );
  });

  it('may be a megabyte of é', async () => {
    const outcome = await shell.run({ command: 'yes é | tr -d "\\n" | head -c 1000000' }, project.context);
    const text = cappedOutput(outcome, project.context.outputCap);
    expect(text).toBe(`${'é'.repeat(4915)}\n[983,616 bytes left out]\n${'é'.repeat(3277)}`);
    expect(resultFrame('c1', 0, text).split('\n')[0]).toBe('result c1 exit=0 16410');
  });
});
