import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { READ_LIMIT, readFile } from './read-file.ts';
import { TestProject, told } from './test-project.ts';

const project = new TestProject();
afterAll(() => project.remove());
const read = async (path: string) => told(await readFile.run({ path }, project.context));

describe('read_file', () => {
  it('gives every byte of a file', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    project.file('bytes', bytes);
    expect(await readFile.run({ path: 'bytes' }, project.context)).toEqual({ exit: 0, output: bytes });
    project.file('src/empty', '');
    expect(await read('src/empty')).toEqual([0, '']);
  });

  it('follows a link inside the project, and none that leads out', async () => {
    project.file('a.txt', 'content\n');
    writeFileSync(join(project.around, 'secret'), 'secret');
    symlinkSync('a.txt', project.path('link'));
    symlinkSync('../secret', project.path('out'));
    symlinkSync('nowhere', project.path('dangling'));
    expect(await read('link')).toEqual([0, 'content\n']);
    expect(await read('out')).toEqual([1, '"out": leads out of the project folder\n']);
    expect(await read('dangling')).toEqual([1, '"dangling": no such file\n']);
  });

  it('says what is no file', async () => {
    mkdirSync(project.path('folder'));
    symlinkSync('/dev/zero', project.path('zero'));
    expect(await read('no.txt')).toEqual([1, '"no.txt": no such file\n']);
    expect(await read('folder')).toEqual([1, '"folder": is a folder (list_dir lists it)\n']);
    expect(await read('zero')).toEqual([1, '"zero": leads out of the project folder\n']);
    expect(await read('')).toEqual([1, 'the path is empty ("." is the project folder)\n']);
  });

  it('does not wait for a FIFO or a socket', async () => {
    project.fifo('fifo');
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(project.path('socket'), resolve));
    const problem = 'is no regular file but a FIFO, a socket or a device';
    expect(await read('fifo')).toEqual([1, `"fifo": ${problem}\n`]);
    expect(await read('socket')).toEqual([1, `"socket": ${problem}\n`]);
    await new Promise((resolve) => server.close(resolve));
  });

  it('reads up to a limit, and says how to see a part of more', async () => {
    const path = project.file('big', '');
    truncateSync(path, READ_LIMIT);
    const { exit, output } = await readFile.run({ path: 'big' }, project.context);
    expect([exit, Buffer.alloc(READ_LIMIT).equals(output)]).toEqual([0, true]);
    truncateSync(path, READ_LIMIT + 1);
    expect(await read('big')).toEqual([
      1,
      '"big": 1048577 bytes, and read_file reads at most 1048576 (look at a part of it with shell: head, tail, sed -n)\n',
    ]);
  });

  it('does nothing after a cancel', async () => {
    const context = { ...project.context, signal: AbortSignal.abort() };
    expect(told(await readFile.run({ path: 'a.txt' }, context))).toEqual([130, '[cancelled before it began]\n']);
  });
});
