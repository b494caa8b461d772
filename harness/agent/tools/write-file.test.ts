import { execFileSync } from 'node:child_process';
import { chmodSync, linkSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { TestProject, told } from './test-project.ts';
import { writeFile } from './write-file.ts';

const project = new TestProject();
afterAll(() => project.remove());
const write = async (path: string, content: string) => told(await writeFile.run({ path, content }, project.context));
const modeOf = (name: string) => statSync(project.path(name)).mode & 0o7777;

describe('write_file', () => {
  it('writes exactly the content', async () => {
    const content = '\ufeffno newline at the end, \r\n, \0, é, 𝄞';
    expect(await write('a.txt', content)).toEqual([0, 'created a.txt: 41 bytes\n']);
    expect(project.read('a.txt')).toBe(content);
    expect(await write('a.txt', '')).toEqual([0, 'replaced a.txt: 0 bytes\n']);
    expect(project.read('a.txt')).toBe('');
  });

  it('makes the folders that are missing', async () => {
    expect(await write('deep/er/x.txt', 'x')).toEqual([0, 'created deep/er/x.txt: 1 byte\n']);
    expect(project.read('deep/er/x.txt')).toBe('x');
  });

  it('keeps the mode of what it replaces', async () => {
    project.file('run.sh', 'old');
    chmodSync(project.path('run.sh'), 0o4751);
    await write('run.sh', 'new');
    expect(modeOf('run.sh')).toBe(0o4751);
  });

  it('gives a new file the mode that any new file gets here', async () => {
    await write('new.txt', 'x');
    project.file('reference.txt', 'x');
    expect(modeOf('new.txt')).toBe(modeOf('reference.txt'));
  });

  it('replaces a file by another one and never writes into it', async () => {
    project.file('linked', 'old');
    linkSync(project.path('linked'), project.path('other name'));
    await write('linked', 'new');
    expect([project.read('linked'), project.read('other name')]).toEqual(['new', 'old']);
  });

  it('writes through a link, which stays a link', async () => {
    project.file('target.txt', 'old');
    symlinkSync('target.txt', project.path('to-target'));
    symlinkSync('not/yet.txt', project.path('to-nothing'));
    expect(await write('to-target', 'new')).toEqual([0, 'replaced target.txt: 3 bytes\n']);
    expect(await write('to-nothing', 'new')).toEqual([0, 'created not/yet.txt: 3 bytes\n']);
    const links = readdirSync(project.root, { withFileTypes: true }).filter((entry) => entry.isSymbolicLink());
    expect(links.map(({ name }) => name).sort()).toEqual(['to-nothing', 'to-target']);
    expect([project.read('target.txt'), project.read('not/yet.txt')]).toEqual(['new', 'new']);
  });

  it('never writes outside of the project', async () => {
    mkdirSync(join(project.around, 'outside'));
    symlinkSync('../outside', project.path('out'));
    symlinkSync('../outside/new.txt', project.path('out-new'));
    for (const path of ['../x', 'out/x', 'out/new/x', 'out-new', join(project.around, 'outside/x')]) {
      expect(await write(path, 'x')).toEqual([1, `${JSON.stringify(path)}: leads out of the project folder\n`]);
    }
    expect(readdirSync(join(project.around, 'outside'))).toEqual([]);
    expect(readdirSync(project.around).sort()).toEqual(['outside', 'project']);
  });

  it('refuses what is no file, or may not be written', async () => {
    mkdirSync(project.path('folder'));
    project.fifo('fifo');
    project.file('fixed', 'old');
    chmodSync(project.path('fixed'), 0o444);
    expect(await write('folder', 'x')).toEqual([1, '"folder": is a folder, and stays one\n']);
    expect(await write('.', 'x')).toEqual([1, '".": is a folder, and stays one\n']);
    expect(await write('new/', 'x')).toEqual([1, '"new/": no such file or directory\n']);
    expect(await write('fifo', 'x')).toEqual([1, '"fifo": is no regular file, and stays as it is\n']);
    expect(await write('fixed', 'x')).toEqual([1, '"fixed": is read-only\n']);
    expect(await write('fixed/x', 'x')).toEqual([1, '"fixed/x": a part of it is a file, no folder\n']);
    expect(project.read('fixed')).toBe('old');
  });

  it('leaves nothing behind but the file', async () => {
    await write('alone/a', 'x');
    await write('alone/a', 'y');
    expect(readdirSync(project.path('alone'))).toEqual(['a']);
  });

  it('writes at once what comes at once', async () => {
    const contents = Array.from({ length: 20 }, (_, i) => String(i).repeat(10_000));
    await Promise.all(contents.map((content) => write('busy/x', content)));
    expect(contents).toContain(project.read('busy/x'));
    expect(readdirSync(project.path('busy'))).toEqual(['x']);
  });
});

it.skipIf(process.platform !== 'linux')('says that the disk is full, and keeps the old file', async () => {
  project.file('bounded', 'old');
  const script = `
    import { writeFile } from ${JSON.stringify(new URL('./write-file.ts', import.meta.url).href)};
    const context = { root: ${JSON.stringify(project.root)}, signal: new AbortController().signal };
    for (const path of ['bounded', 'new/folder/x']) {
      const { exit, output } = await writeFile.run({ path, content: 'x'.repeat(100_000) }, context);
      console.log(exit, Buffer.from(output).toString().trim());
    }`;
  const limited = ['-c', 'ulimit -f 8; trap "" XFSZ; exec "$@"', 'sh', process.execPath, '--import', 'tsx'];
  const said = execFileSync('/bin/sh', [...limited, '--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(said).toBe('1 "bounded": file too large\n1 "new/folder/x": file too large\n');
  expect(project.read('bounded')).toBe('old');
  expect(readdirSync(project.root)).not.toContain('new');
  expect(readdirSync(project.root).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});
