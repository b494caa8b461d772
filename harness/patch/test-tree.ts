/** A folder on disk for the tests of this folder: files in, a picture of all of it out. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type ApplyOptions, applyPatch, type PatchAnswer } from './apply-patch.ts';

/** Latin-1 contents by path; of a link `-> target`. */
export interface Contents {
  readonly [path: string]: string;
}

export class TestTree {
  readonly base = mkdtempSync(join(tmpdir(), 'cst-patch-'));
  readonly root = join(this.base, 'project');

  constructor(contents: Contents = {}) {
    mkdirSync(this.root);
    this.write(contents);
  }

  write(contents: Contents, below = this.root): void {
    for (const [path, content] of Object.entries(contents)) {
      const full = join(below, path);
      mkdirSync(dirname(full), { recursive: true });
      if (content.startsWith('-> ')) symlinkSync(content.slice(3), full);
      else writeFileSync(full, content, 'latin1');
    }
  }

  /** Removes all files, to begin anew. */
  reset(contents: Contents): void {
    for (const name of readdirSync(this.root)) rmSync(join(this.root, name), { recursive: true });
    this.write(contents);
  }

  chmod(path: string, mode: number): void {
    chmodSync(join(this.root, path), mode);
  }

  mode(path: string): number {
    return lstatSync(join(this.root, path)).mode & 0o7777;
  }

  files(): Contents {
    return Object.fromEntries(Object.entries(this.picture()).map(([path, { content }]) => [path, content]));
  }

  /** All there is below the root: contents, permission bits, and folders that are empty. */
  picture(): { readonly [path: string]: { readonly content: string; readonly mode: number } } {
    const found: { [path: string]: { content: string; mode: number } } = {};
    const visit = (folder: string): void => {
      const names = readdirSync(join(this.root, folder)).sort();
      if (names.length === 0 && folder !== '') found[`${folder}/`] = { content: '', mode: this.mode(folder) };
      for (const name of names) {
        const path = folder === '' ? name : `${folder}/${name}`;
        const full = join(this.root, path);
        const stats = lstatSync(full);
        if (stats.isDirectory()) visit(path);
        else if (stats.isSymbolicLink()) found[path] = { content: `-> ${readlinkSync(full)}`, mode: 0 };
        else found[path] = { content: readFileSync(full, 'latin1'), mode: this.mode(path) };
      }
    };
    visit('');
    return found;
  }

  /** @param patch Latin-1 */
  apply(patch: string, options: Partial<ApplyOptions> = {}): Promise<PatchAnswer> {
    return applyPatch(Buffer.from(patch, 'latin1'), { root: this.root, ...options });
  }

  remove(): void {
    rmSync(this.base, { recursive: true, force: true });
  }
}

/** The output of a diff program, Latin-1 (exit code 1 says that there are differences). Null where it is not installed. */
export function diffOutput(command: 'git' | 'diff', args: readonly string[], cwd: string): string | null {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C' };
  try {
    return execFileSync(command, args, { cwd, env, encoding: 'latin1', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    const { code, status, stdout } = error as { code?: string; status?: number | null; stdout?: string };
    if (code === 'ENOENT') return null;
    if (status === 1) return stdout ?? '';
    throw error;
  }
}
