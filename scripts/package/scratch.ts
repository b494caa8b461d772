/** A scratch folder outside of the repository, and programs that run in it as a newcomer's would. */
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { type Ran, run } from './run.ts';
import { expectCode } from './steps.ts';

/** Gives the work an empty folder, and removes it afterwards, whatever happens. */
export async function withScratch<T>(work: (dir: string) => Promise<T>): Promise<T> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'cst-package-')));
  try {
    return await work(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** What npm tells the scripts that it runs: a program started from one would take the repository's package for its own. */
const OF_NPM_RUN = /^(npm_(lifecycle|package)_.*|npm_(command|execpath|node_execpath|config_local_prefix)|INIT_CWD)$/;

/** The environment of a newcomer's shell, with the folder of a Node before all others. @param node its executable. */
export function cleanEnvironment(node: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !OF_NPM_RUN.test(name));
  const path = `${dirname(node)}${delimiter}${process.env['PATH'] ?? ''}`;
  return { ...Object.fromEntries(kept), PATH: path, NO_UPDATE_NOTIFIER: '1' };
}

const QUIET = ['--no-audit', '--no-fund', '--loglevel=error'];

/** `npm install` of packages into a folder; a package.json is made if there is none. */
export async function npmInstall(dir: string, packages: readonly string[]): Promise<Ran> {
  const env = cleanEnvironment(process.execPath);
  expectCode(await run('npm', ['init', '-y'], { cwd: dir, env }), 0);
  return expectCode(await run('npm', ['install', ...QUIET, ...packages], { cwd: dir, env }), 0);
}
