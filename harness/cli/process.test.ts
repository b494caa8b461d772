import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { CST } from './test-process.ts';
import { TestFolder, textStream } from './test-terminal.ts';

/** The sources as they stand: the built package has its own check (`npm run check:package`). */
const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = new TestFolder();
afterAll(() => folder.remove());

describe('the command in a process of its own', () => {
  it('reads standard input from any folder', () => {
    const input = textStream('call c1 t\nend\n');
    const run = spawnSync(process.execPath, [...CST, 'parse', '-', '--json'], {
      cwd: folder.path,
      input,
      encoding: 'utf8',
    });
    expect([run.status, run.stderr]).toEqual([0, '']);
    expect(JSON.parse(run.stdout)).toMatchObject({ file: '-', protocol: 'ctl', calls: [{ id: 'c1' }] });
  });

  it('ends without a stack trace where a file is missing', () => {
    const run = spawnSync(process.execPath, [...CST, 'check', 'nowhere'], { cwd: folder.path, encoding: 'utf8' });
    expect([run.status, run.stderr]).toEqual([3, 'nowhere: no such file or folder\n']);
  });

  it('ends quietly when nobody reads its output', async () => {
    const path = folder.file('long.sse', textStream('line\n'.repeat(40_000)));
    const run = spawn(process.execPath, [...CST, 'timeline', path, '--rows', '0'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let err = '';
    run.stderr.on('data', (piece) => {
      err += piece;
    });
    run.stdout.once('data', () => run.stdout.destroy());
    const code = await new Promise((resolve) => run.once('close', resolve));
    expect([code, err]).toEqual([0, '']);
  });

  it('takes paths from where npm run was called', () => {
    const inner = join(folder.path, 'inner');
    mkdirSync(inner);
    folder.file('inner/a.sse', textStream('call c1 t\nend\n'));
    const env = { ...process.env, npm_lifecycle_event: 'cst', npm_package_name: 'cst-eval', INIT_CWD: inner };
    const run = spawnSync(process.execPath, [...CST, 'parse', 'a.sse'], { cwd: root, env, encoding: 'utf8' });
    expect([run.status, run.stderr]).toEqual([0, '']);
    expect(run.stdout).toContain('a.sse: ctl (guessed), complete stream, 1 executable call');
  });
});
