/** What patching needs of a file system: small, so that a test can let each step of it fail. */
import type { BigIntStats } from 'node:fs';
import { link, lstat, mkdir, open, readFile, realpath, rename, rm, rmdir } from 'node:fs/promises';

export interface FileInfo {
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  /** Permission bits. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** The same for two names of one file. */
  readonly identity: string;
  /** Changes with the file's content: identity, size in bytes, time of change. */
  readonly stamp: string;
}

/** Paths are absolute. Errors are Node's, with a `code`. */
export interface FileOperations {
  /** What stands at a path, links not followed; null for nothing. */
  look(path: string): Promise<FileInfo | null>;
  /** Links followed. */
  realpath(path: string): Promise<string>;
  read(path: string): Promise<Uint8Array>;
  /** Writes a new file, on the disk when it returns; refuses a name that is taken. */
  writeTemporary(path: string, bytes: Uint8Array, attributes: Attributes): Promise<void>;
  /** Replaces what is at `to`. */
  rename(from: string, to: string): Promise<void>;
  /** A second name for a file; refuses a name that is taken. */
  link(from: string, to: string): Promise<void>;
  /** A file or link; nothing there is no error. */
  remove(path: string): Promise<void>;
  makeFolder(path: string): Promise<void>;
  /** Refuses a folder that is not empty. */
  removeFolder(path: string): Promise<void>;
  /** What was renamed in a folder is on the disk when it returns. */
  syncFolder(path: string): Promise<void>;
}

export interface Attributes {
  /** Permission bits. */
  readonly mode: number;
  /** `mode` is exact; else the process's umask is taken off, as for any new file. */
  readonly isExact: boolean;
  /** Whose the file shall be; null for the process's own. */
  readonly owner: { readonly uid: number; readonly gid: number } | null;
}

export const REAL_FILES: FileOperations = {
  look: async (path) => {
    try {
      return infoOf(await lstat(path, { bigint: true }));
    } catch (error) {
      if (hasCode(error, ['ENOENT', 'ENOTDIR'])) return null;
      throw error;
    }
  },
  realpath: (path) => realpath(path),
  read: (path) => readFile(path),
  writeTemporary,
  rename,
  link,
  remove: (path) => rm(path, { force: true }),
  makeFolder: async (path) => {
    await mkdir(path);
  },
  removeFolder: (path) => rmdir(path),
  syncFolder,
};

async function writeTemporary(path: string, bytes: Uint8Array, { mode, isExact, owner }: Attributes): Promise<void> {
  const file = await open(path, 'wx', mode);
  try {
    await file.writeFile(bytes);
    // Only a privileged process can give a file away; others keep it as their own, as every editor does.
    if (owner !== null) await file.chown(owner.uid, owner.gid).catch(() => undefined);
    if (isExact) await file.chmod(mode);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  // Windows cannot open a folder, and needs no such step.
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } catch (error) {
    // Some file systems know no such step.
    if (!hasCode(error, ['EINVAL', 'ENOTSUP', 'EBADF'])) throw error;
  } finally {
    await folder.close();
  }
}

function infoOf(stats: BigIntStats): FileInfo {
  const kind = stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : stats.isSymbolicLink() ? 'link' : 'other';
  const identity = `${stats.dev}:${stats.ino}`;
  return {
    kind,
    mode: Number(stats.mode & 0o7777n),
    uid: Number(stats.uid),
    gid: Number(stats.gid),
    identity,
    stamp: `${identity}:${stats.size}:${stats.mtimeNs}`,
  };
}

/** Is it an error of the file system, with one of these codes if any are given? */
export function hasCode(error: unknown, codes?: readonly string[]): error is NodeJS.ErrnoException & { code: string } {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false;
  return codes === undefined ? 'syscall' in error : codes.includes(error.code);
}

const WORDS: { readonly [code: string]: string } = {
  ENOSPC: 'no space is left on the device',
  EDQUOT: 'the disk quota is used up',
  EACCES: 'there is no permission',
  EPERM: 'there is no permission',
  EROFS: 'the file system is read-only',
};

/** What an error's code means. */
export function inWords(code: string): string {
  return `${WORDS[code] ?? 'the file system refused'} (${code})`;
}
