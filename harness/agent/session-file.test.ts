import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  linkSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { SessionFile } from './session-file.ts';
import { lockSession } from './session-lock.ts';
import type { SessionHeader, SessionRecord } from './session-record.ts';

const folder = mkdtempSync(join(tmpdir(), 'cst-session-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const HEADER: SessionHeader = { type: 'session', version: 1, protocol: 'ctl', model: 'm' };
const RECORDS: readonly SessionRecord[] = [
  { type: 'user', text: 'Zeile\n中' },
  { type: 'assistant', answer: 1, text: 'x', call: 'c1' },
  { type: 'call', answer: 1, id: 'c1', name: 't', values: [['k', { base64: '/w==' }]] },
  { type: 'result', answer: 1, id: 'c1', exit: 'unknown', output: '' },
  { type: 'tool_parse_error', answer: 1, error: { kind: 'body_eof', offset: 3, line: 1, declared: 9 }, feedback: 'f' },
];

let serial = 0;
function freshPath(): string {
  return join(folder, `s${++serial}.jsonl`);
}

async function written(records: readonly SessionRecord[]): Promise<string> {
  const path = freshPath();
  const file = await SessionFile.create(path, HEADER);
  for (const record of records) await file.append(record);
  await file.close();
  return path;
}

async function resumed(path: string) {
  const { file, ...rest } = await SessionFile.resume(path);
  await file.close();
  return rest;
}

describe('a session file', () => {
  it('gives back what was appended', async () => {
    expect(await resumed(await written(RECORDS))).toEqual({ header: HEADER, records: RECORDS, torn: 0 });
  });

  it('has a line in it as soon as append resolves', async () => {
    const path = freshPath();
    const file = await SessionFile.create(path, HEADER);
    await file.append(RECORDS[0]!);
    expect(readFileSync(path, 'utf8').split('\n')).toEqual([JSON.stringify(HEADER), JSON.stringify(RECORDS[0]), '']);
    await file.close();
  });

  it('is for its user alone', async () => {
    expect(statSync(await written([])).mode & 0o777).toBe(0o600);
  });

  it('never overwrites a file', async () => {
    const path = await written(RECORDS);
    await expect(SessionFile.create(path, HEADER)).rejects.toThrow(/there is such a file already; resume it/);
    expect((await resumed(path)).records).toEqual(RECORDS);
  });

  it('is readable up to its last whole line, wherever it was torn', async () => {
    const path = await written(RECORDS);
    const whole = readFileSync(path);
    const headerEnd = whole.indexOf('\n') + 1;
    for (let cut = headerEnd; cut <= whole.length; cut++) {
      writeFileSync(path, whole.subarray(0, cut));
      const { records, torn } = await resumed(path);
      const lines = whole.subarray(0, cut).toString('latin1').split('\n').length - 2;
      expect([records, torn]).toEqual([RECORDS.slice(0, lines), cut - whole.lastIndexOf('\n', cut - 1) - 1]);
      expect(statSync(path).size).toBe(cut - torn);
    }
  });

  it('is appended to behind its last whole line', async () => {
    const path = await written(RECORDS.slice(0, 1));
    appendFileSync(path, '{"type":"assis');
    const { file } = await SessionFile.resume(path);
    await file.append(RECORDS[1]!);
    await file.close();
    expect((await resumed(path)).records).toEqual(RECORDS.slice(0, 2));
  });

  it.each([
    ['no JSON', 'x', 'is no JSON'],
    ['an unknown type', '{"type":"tool"}', 'is no record of a session: type'],
    ['a misspelt field', '{"type":"user","txt":"a","text":"b"}', 'is no record of a session'],
  ])('is refused with the number of the line that is %s', async (_, line, problem) => {
    const path = await written([]);
    appendFileSync(path, `${JSON.stringify(RECORDS[0])}\n${line}\n${JSON.stringify(RECORDS[0])}\n`);
    await expect(resumed(path)).rejects.toThrow(`${path}, line 3: ${problem}`);
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  it.each([
    ['of another version', `${JSON.stringify({ ...HEADER, version: 2 })}\n`, 'line 1: is no record'],
    ['empty', '', 'holds no whole line'],
    ['torn in its first line', '{"type"', 'holds no whole line'],
    ['in no UTF-8', Buffer.from([0xff, 0x0a]), 'no UTF-8'],
  ])('is refused if it is %s', async (_, content, problem) => {
    const path = freshPath();
    writeFileSync(path, content);
    await expect(resumed(path)).rejects.toThrow(problem);
  });

  it('is refused in words if it is missing', async () => {
    const path = freshPath();
    await expect(resumed(path)).rejects.toThrow(`${path}: the session cannot be read or written (no such file`);
  });
});

describe('a session file that is another one now', () => {
  const another = (): string => {
    const path = freshPath();
    writeFileSync(path, 'mine');
    return path;
  };

  it.each([
    ['removed', (path: string) => rmSync(path)],
    ['replaced', (path: string) => renameSync(another(), path)],
  ])('is not written to when it was %s', async (_, change) => {
    const path = freshPath();
    const file = await SessionFile.create(path, HEADER);
    change(path);
    await expect(file.append(RECORDS[0]!)).rejects.toThrow('was removed or replaced while the agent ran');
    await file.close();
  });

  it.each([
    ['emptied', (path: string) => writeFileSync(path, '')],
    ['written to', (path: string) => appendFileSync(path, 'x')],
  ])('is not written to when it was %s', async (_, change) => {
    const path = freshPath();
    const file = await SessionFile.create(path, HEADER);
    await file.append(RECORDS[0]!);
    change(path);
    const content = readFileSync(path, 'utf8');
    await expect(file.append(RECORDS[1]!)).rejects.toThrow('was written to by somebody else while the agent ran');
    expect(readFileSync(path, 'utf8')).toBe(content);
    await file.close();
  });

  it('is not resumed where it has two names, or is no regular file', async () => {
    const path = await written(RECORDS);
    linkSync(path, `${path}.too`);
    await expect(SessionFile.resume(path)).rejects.toThrow('has 2 names (hard links): a session has one');
    await expect(SessionFile.resume(folder)).rejects.toThrow('is no regular file, and so no session');
    execFileSync('/usr/bin/env', ['mkfifo', `${path}.fifo`]);
    await expect(SessionFile.resume(`${path}.fifo`)).rejects.toThrow('is no regular file, and so no session');
  });

  it('is locked under every link to it', async () => {
    const path = await written(RECORDS);
    symlinkSync(path, `${path}.link`);
    const lock = await lockSession(path);
    await expect(lockSession(`${path}.link`)).rejects.toThrow(`process ${process.pid} is writing to this session`);
    await lock.release();
  });
});

describe('the lock of a session', () => {
  it('keeps a second agent out until it is released', async () => {
    const path = freshPath();
    const file = await SessionFile.create(path, HEADER);
    await expect(SessionFile.resume(path)).rejects.toThrow(`process ${process.pid} is writing to this session`);
    await file.close();
    expect((await resumed(path)).records).toEqual([]);
  });

  it('is kept by another process while that lives, and taken over when it is dead', async () => {
    const path = freshPath();
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000); process.stdout.write("up")'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    writeFileSync(`${path}.lock`, `${child.pid} -\n`);
    await expect(lockSession(path)).rejects.toThrow(`process ${child.pid} is writing`);
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
    await (await lockSession(path)).release();
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  it('of a dead process whose number is used again is taken over', async () => {
    const path = freshPath();
    writeFileSync(`${path}.lock`, `${process.ppid} 1\n`);
    await (await lockSession(path)).release();
    writeFileSync(`${path}.lock`, `${process.pid} 1\n`);
    await (await lockSession(path)).release();
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  it('takes away what a process has left that was killed while it took it', async () => {
    const path = freshPath();
    const dead = spawnSync(process.execPath, ['-e', '']).pid;
    const names = [`${path}.lock.${dead}.1`, `${path}.lock.${process.ppid}.1`, `${path}.lock.notes`];
    for (const name of names) writeFileSync(name, '');
    await (await lockSession(path)).release();
    expect(names.map((name) => existsSync(name))).toEqual([false, true, true]);
  });

  it('goes to one of many who want a dead one', async () => {
    const path = freshPath();
    writeFileSync(`${path}.lock`, 'rubbish');
    const attempts = await Promise.allSettled(Array.from({ length: 8 }, () => lockSession(path)));
    const won = attempts.filter((attempt) => attempt.status === 'fulfilled');
    expect(won).toHaveLength(1);
    await won[0]?.value.release();
  });
});
