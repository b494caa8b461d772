/** Where suites lie on disk: which folders are suites, and which files stand in them. */
import type { Dirent } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import { basename, join, resolve, sep } from 'node:path';
import { compareNames, MANIFEST_FILE, STREAM_SUFFIX, TIMES_SUFFIX } from './manifest.ts';
import { RecordingError } from './recording-error.ts';

export interface SuiteFolder {
  readonly dir: string;
  /** The folder's own name. */
  readonly name: string;
  readonly hasManifest: boolean;
  /** The folder was asked for itself, and so may have another name than its manifest says. */
  readonly alone: boolean;
}

/** Files of a suite that this reader knows, relative to it, with `/`, in code unit order. */
export interface SuiteFiles {
  readonly streams: readonly string[];
  readonly times: ReadonlySet<string>;
}

/**
 * A folder with a manifest is one suite; one whose subfolders have manifests is several (and a subfolder of streams
 * without one is a bare suite among them); any other is one bare suite, nested or flat.
 */
export async function findSuites(dir: string): Promise<readonly SuiteFolder[]> {
  const entries = await readFolder(dir);
  const name = basename(resolve(dir));
  const names = new Set(entries.map((entry) => entry.name));
  if (names.has(MANIFEST_FILE)) return [{ dir, name, hasManifest: true, alone: true }];
  const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  const inner: SuiteFolder[] = [];
  for (const folder of folders.sort(compareNames)) inner.push(...(await innerSuite(join(dir, folder), folder)));
  if (!inner.some((suite) => suite.hasManifest)) return [{ dir, name, hasManifest: false, alone: true }];
  const stray = entries.map((entry) => entry.name).find((file) => file.endsWith(STREAM_SUFFIX));
  if (stray === undefined) return inner;
  throw new RecordingError({
    file: join(dir, stray),
    what: 'a stream beside suites belongs to none of them',
    advice: 'Move it into a suite and list it in its manifest, or into a folder of its own',
  });
}

/** Every stream and every file of arrival times below `dir`; folders behind symbolic links are not entered. */
export async function listSuiteFiles(dir: string): Promise<SuiteFiles> {
  const files = await walk(dir, '');
  return {
    streams: files.filter((file) => file.endsWith(STREAM_SUFFIX)),
    times: new Set(files.filter((file) => file.endsWith(TIMES_SUFFIX))),
  };
}

/** Whether `file` of the suite `dir`, symbolic links followed, lies in it; null if there is no such file. */
export async function liesInside(dir: string, file: string): Promise<boolean | null> {
  try {
    const [root, target] = await Promise.all([realpath(dir), realpath(join(dir, file))]);
    return target.startsWith(root.endsWith(sep) ? root : root + sep);
  } catch {
    return null;
  }
}

async function innerSuite(dir: string, name: string): Promise<readonly SuiteFolder[]> {
  const hasManifest = (await readFolder(dir)).some((entry) => entry.name === MANIFEST_FILE);
  if (!hasManifest && (await listSuiteFiles(dir)).streams.length === 0) return [];
  return [{ dir, name, hasManifest, alone: false }];
}

async function walk(dir: string, prefix: string): Promise<readonly string[]> {
  const files: string[] = [];
  for (const entry of await readFolder(dir)) {
    const path = `${prefix}${entry.name}`;
    if (entry.isDirectory()) files.push(...(await walk(join(dir, entry.name), `${path}/`)));
    else files.push(path);
  }
  return files.sort(compareNames);
}

async function readFolder(dir: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(dir, { withFileTypes: true });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') throw folderError(dir, 'there is no such folder', 'Check the path of the recordings');
    if (code === 'ENOTDIR') throw folderError(dir, 'not a folder', 'Name the folder that holds the recordings');
    throw folderError(dir, `the folder cannot be read (${String(code)})`, 'Check its permissions');
  }
}

function folderError(file: string, what: string, advice: string): RecordingError {
  return new RecordingError({ file, what, advice });
}
