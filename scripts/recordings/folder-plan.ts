/** The files that a folder should hold, compared with those that it does, and made so. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { compareNames } from '../../harness/replay/manifest.ts';

/** File contents by path within the folder, with `/`. */
export type FolderPlan = ReadonlyMap<string, Uint8Array>;

export interface FolderChange {
  readonly what: 'new' | 'changed' | 'orphan';
  readonly file: string;
}

/**
 * How `dir` differs from the plan. Files that the plan does not name are orphans if `owns` claims them; all others are
 * left alone.
 */
export async function compareFolder(
  dir: string,
  plan: FolderPlan,
  owns: (path: string) => boolean,
): Promise<readonly FolderChange[]> {
  const changes: FolderChange[] = [];
  const present = new Set(await listFiles(dir));
  for (const [path, bytes] of plan) {
    const file = join(dir, path);
    if (!present.has(path)) changes.push({ what: 'new', file });
    else if (!(await readFile(file)).equals(bytes)) changes.push({ what: 'changed', file });
  }
  for (const path of present)
    if (!plan.has(path) && owns(path)) changes.push({ what: 'orphan', file: join(dir, path) });
  return changes.sort((a, b) => compareNames(a.file, b.file));
}

/** Writes what is new or changed and removes the orphans; a file that is right is not touched. */
export async function applyChanges(dir: string, plan: FolderPlan, changes: readonly FolderChange[]): Promise<void> {
  const wanted = new Map([...plan].map(([path, bytes]) => [join(dir, path), bytes]));
  for (const { what, file } of changes) {
    if (what === 'orphan') await rm(file);
    else {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, wanted.get(file) ?? new Uint8Array());
    }
  }
}

/** Paths of all files below `dir`, with `/`, in code unit order; none if there is no such folder. */
export async function listFiles(dir: string, prefix = ''): Promise<readonly string[]> {
  const files: string[] = [];
  for (const entry of await entriesOf(join(dir, prefix))) {
    const path = `${prefix}${entry.name}`;
    if (entry.isDirectory()) files.push(...(await listFiles(dir, `${path}/`)));
    else files.push(path);
  }
  return files.sort(compareNames);
}

async function entriesOf(dir: string): Promise<readonly { readonly name: string; isDirectory(): boolean }[]> {
  try {
    return await readdir(dir, { withFileTypes: true });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
