import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { writeCtl } from '../replay/frames.ts';
import { cst, TestFolder, textStream } from './test-terminal.ts';

const folder = new TestFolder();
const suite = join(folder.path, 'my');
mkdirSync(suite);
afterAll(() => folder.remove());

const saved = { ...process.env };
afterEach(() => {
  process.env = { ...saved };
});

const WRITE = writeCtl([
  {
    id: 'c1',
    name: 'write_file',
    args: [
      ['path', 'a.txt'],
      ['content', 'one\n'],
    ],
  },
]);
writeFileSync(join(suite, 'write.ctl.sse'), textStream(`Now:\n${WRITE}`));
writeFileSync(join(suite, 'bad.ctl.sse'), textStream('call c1 t\narg k 400\nhello\nend\n'));
const tasks = [{ id: 'write', user: 'Write a.txt.' }];
writeFileSync(join(suite, 'tasks.json'), JSON.stringify(tasks));

let serial = 0;
function project(): string {
  const path = join(folder.path, `project${++serial}`);
  mkdirSync(path);
  return path;
}

function agent(...argv: readonly string[]) {
  return cst(['agent', '--protocol', 'ctl', '--recordings', suite, ...argv]);
}

describe('cst agent --replay', () => {
  it('runs the calls of a recording, and then hears that it is done', async () => {
    const cwd = project();
    const { code, out, err } = await agent('--replay', 'my/write', '--cwd', cwd, '--permission', 'allow');
    expect([code, err]).toEqual([0, '']);
    expect(out).toBe(
      'Now:\ncall c1 write_file  path "a.txt"  content "one\\n"\n  exit 0: created a.txt: 4 bytes\nDone.\n',
    );
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('one\n');
  });

  it('writes nothing where nobody can be asked', async () => {
    const cwd = project();
    const { code, out } = await agent('--replay', 'my/write', '--cwd', cwd);
    expect([code, existsSync(join(cwd, 'a.txt'))]).toEqual([0, false]);
    expect(out).toContain('refused: write_file was not run: permission is read-only');
  });

  it('gives one JSON line an event', async () => {
    const { out } = await agent('--replay', 'my/write', '--cwd', project(), '--json');
    const events = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events[0]).toEqual({ type: 'request', answer: 1 });
    expect(events).toContainEqual({
      type: 'call',
      id: 'c1',
      name: 'write_file',
      arguments: '{"path":"a.txt","content":"one\\n"}',
    });
    expect(events.at(-1)).toEqual({ type: 'done', outcome: { type: 'finished' } });
  });

  it('finds recordings of the repository, and their tasks', async () => {
    const session = join(folder.path, 'shipped.jsonl');
    const { code } = await cst(['agent', '--replay', 'reframed/t02', '--cwd', project(), '--session', session]);
    expect(code).toBe(0);
    expect(readFileSync(session, 'utf8')).toContain('List the folder config, and read package.json, in one message.');
  });

  it('gives up on answers that cannot be read', async () => {
    const script = ['--replay', 'my/bad', '--cwd', project(), '--retries', '0'];
    const { code, err } = await agent(...script);
    expect(code).toBe(1);
    expect(err).toContain('declared 400 bytes but only 10 arrived');
    expect(err).toContain('gave up after 1 answer in a row that could not be used');
  });
});

describe('a session', () => {
  it('is kept in a file, gone on with, and takes a new task', async () => {
    const session = join(folder.path, 'kept.jsonl');
    const run = ['--replay', 'my/write', '--cwd', project(), '--session', session];
    expect((await agent(...run)).code).toBe(0);
    const first = readFileSync(session, 'utf8');
    expect(JSON.parse(first.split('\n')[1] ?? '')).toEqual({ type: 'user', text: 'Write a.txt.' });
    const again = await agent(...run);
    expect([again.code, again.err]).toEqual([
      2,
      `${session}: there is such a file already; go on with it by --resume, or name another\n`,
    ]);
    const finished = await agent(...run, '--resume');
    expect([finished.code, finished.err]).toEqual([
      2,
      expect.stringContaining('is finished; give a task to go on with'),
    ]);
    expect((await agent(...run, '--resume', 'And', 'now?')).code).toBe(0);
    const records = readFileSync(session, 'utf8');
    expect(records.startsWith(first)).toBe(true);
    expect(records.slice(first.length)).toContain('{"type":"user","text":"And now?"}');
    expect(existsSync(`${session}.lock`)).toBe(false);
  });

  it('is refused under another protocol or model', async () => {
    const session = join(folder.path, 'other.jsonl');
    await agent('--replay', 'my/write', '--cwd', project(), '--session', session);
    const resumed = ['--session', session, '--resume', 'more'];
    const other = await agent('--replay', 'my/bad', ...resumed);
    expect([other.code, other.err]).toEqual([2, expect.stringContaining('with model my/write.ctl, not my/bad.ctl')]);
  });

  it('is refused in another folder, unless its own is no more', async () => {
    const session = join(folder.path, 'moved.jsonl');
    const run = ['--replay', 'my/write', '--session', session];
    const [first, second] = [project(), project()];
    await agent(...run, '--cwd', first);
    const other = await agent(...run, '--cwd', second, '--resume', 'more');
    expect([other.code, other.err]).toEqual([
      2,
      `${session}: is a session in the folder ${first}, not ${second}; resume it with --cwd ${first}\n`,
    ]);
    rmSync(first, { recursive: true });
    const moved = await agent(...run, '--cwd', second, '--resume', 'more');
    expect([moved.code, moved.err]).toEqual([
      0,
      expect.stringContaining(`it was begun in the folder ${first}, which is no more\n`),
    ]);
  });

  it('in the project folder is touched by no tool', async () => {
    const cwd = project();
    const run = ['--replay', 'my/write', '--cwd', cwd, '--session', join(cwd, 'a.txt'), '--permission', 'allow'];
    const { code, out } = await agent(...run);
    expect([code, out]).toEqual([
      0,
      expect.stringContaining('"a.txt": is the session of this run, which no tool touches'),
    ]);
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8').split('\n').at(-2)).toContain('"reason":"complete"');
  });

  it('that a command takes away ends the run, and the events with it', async () => {
    const session = join(folder.path, 'removed.jsonl');
    const call = { id: 'c1', name: 'shell', args: [['command', `rm ${session}`]] as [string, string][] };
    writeFileSync(join(suite, 'remove.ctl.sse'), textStream(writeCtl([call])));
    const run = ['--replay', 'my/remove', '--session', session, '--cwd', project(), '--permission', 'allow', '--json'];
    const { code, out, err } = await agent(...run);
    const problem = `${session}: the session file was removed or replaced while the agent ran; nothing more is recorded`;
    expect([code, err]).toEqual([3, `${problem}\n`]);
    const last = out.trimEnd().split('\n').at(-1) ?? '';
    expect(JSON.parse(last)).toEqual({ type: 'done', outcome: { type: 'session-failed', problem } });
  });

  it('that cannot be read is an outcome, too', async () => {
    const session = folder.file('hello.jsonl', 'hello\n');
    const run = ['--replay', 'my/write', '--session', session, '--resume', '--json'];
    const { code, out, err } = await agent(...run);
    const problem = `${session}, line 1: is no JSON`;
    expect([code, JSON.parse(out), err]).toEqual([
      3,
      { type: 'done', outcome: { type: 'session-failed', problem } },
      `${problem}\n`,
    ]);
  });

  it('that is no session is refused with its line', async () => {
    const path = folder.file('broken.jsonl', 'hello\n');
    const { code, err } = await agent('--replay', 'my/write', '--session', path, '--resume');
    expect([code, err]).toEqual([3, `${path}, line 1: is no JSON\n`]);
  });
});

describe('a mistake on the command line', () => {
  const REPLAY = ['--replay', 'my/write'];

  it.each([
    [['do it'], 'a model is missing: give --base-url URL and --model NAME, or --replay SUITE/TASK'],
    [['do it', '--base-url', 'http://127.0.0.1:1'], 'a model is missing'],
    [['do it', '--base-url', 'ftp://h', '--model', 'm'], '--base-url ftp://h: must begin with http'],
    [['--base-url', 'http://127.0.0.1:1', '--model', 'm'], 'a task is missing: say what is to be done'],
    [['--replay', 'nonsense'], '--replay takes SUITE/TASK'],
    [['--replay', 'my/none'], '--replay my/none: there is no recording my/none.ctl; there are'],
    [['--replay', 'my/write.xml'], 'is no ctl recording, and --protocol wants one'],
    [[...REPLAY, '--model', 'm'], '--replay names the model'],
    [[...REPLAY, '--protocol', 'json'], '--protocol was given twice'],
    [[...REPLAY, '--permission', 'maybe'], '--permission takes ask, read-only, allow, not maybe'],
    [[...REPLAY, '--permission', 'ask'], '--permission ask needs a terminal'],
    [[...REPLAY, '--resume'], '--resume needs the --session FILE'],
    [[...REPLAY, '--max-turns', '0'], '--max-turns takes a whole number from 1'],
    [[...REPLAY, '--idle-limit', '100000'], '--idle-limit takes at most 86400 seconds'],
    [[...REPLAY, '--output-cap', 'much'], '--output-cap: "much" is no output cap'],
    [[...REPLAY, '--speed', '1'], 'unknown option or argument: speed'],
  ])('%j is told', async (argv, message) => {
    const { code, err, out } = await agent(...argv);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(message);
  });

  it('in a variable is told, without its value', async () => {
    process.env['CST_API_KEY'] = 'sk secret';
    const key = await agent(...REPLAY);
    expect([key.code, key.err]).toEqual([2, expect.stringMatching(/^CST_API_KEY holds characters(?!.*secret)/)]);
    delete process.env['CST_API_KEY'];
    process.env['CST_TOOL_OUT_CAP'] = '1';
    expect((await agent(...REPLAY)).err).toContain('CST_TOOL_OUT_CAP: "1" is no output cap');
  });

  it('is to hand a key down to commands, whatever its name', async () => {
    process.env['CST_API_KEY'] = 'sk-0123456789';
    process.env['MY_HEADER'] = 'Bearer sk-0123456789';
    const [named, other] = await Promise.all(
      ['CST_API_KEY', 'MY_HEADER'].map((name) => agent(...REPLAY, '--pass-env', name)),
    );
    expect([named?.code, named?.err]).toEqual([
      2,
      '--pass-env CST_API_KEY: keys of models are handed down to no command\n',
    ]);
    expect([other?.code, other?.err]).toEqual([
      2,
      '--pass-env MY_HEADER: it holds the key of a model, and keys of models are handed down to no command\n',
    ]);
  });

  it('in a folder is told with exit code 3', async () => {
    const { code, err } = await agent(...REPLAY, '--cwd', join(folder.path, 'nowhere'));
    expect([code, err]).toEqual([3, expect.stringContaining('nowhere: no such file or directory')]);
  });
});

describe('a server that is not there', () => {
  it('is told with what to do', async () => {
    const { code, err } = await cst([
      ...['agent', 'do it', '--base-url', 'http://127.0.0.1:1', '--model', 'm', '--retries', '0'],
    ]);
    expect([code, err]).toEqual([1, 'no answer: http://127.0.0.1:1: nothing listens there (is the server running?)\n']);
  });
});
