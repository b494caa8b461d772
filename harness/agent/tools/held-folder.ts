/**
 * A folder that is held open while something is done in it. On Linux what is done by {@link HeldFolder.at} is done in that
 * very folder, whatever another process has put in its place since: Node has no `openat`, but a path that begins with
 * `/proc/self/fd/N` is taken from the open folder on (proc(5)). Elsewhere it is the path, and such a process is not noticed.
 */
import { constants as fsConstants } from 'node:fs';
import { type FileHandle, open, readlink, stat } from 'node:fs/promises';
import { constants as osConstants } from 'node:os';
import { join } from 'node:path';

/** Takes no permission to list the folder (open(2)). Node does not name it. */
const O_PATH = 0o10000000;
const HOLD = O_PATH | fsConstants.O_DIRECTORY | fsConstants.O_NOFOLLOW;

export class HeldFolder {
  readonly #base: string;
  readonly #handle: FileHandle | null;

  private constructor(base: string, handle: FileHandle | null) {
    this.#base = base;
    this.#handle = handle;
  }

  /**
   * @param path absolute, without links
   * @throws system errors: `ESTALE` if the path has come to lead elsewhere
   */
  static async open(path: string): Promise<HeldFolder> {
    if (process.platform !== 'linux') {
      await stat(path);
      return new HeldFolder(path, null);
    }
    const handle = await open(path, HOLD);
    const base = `/proc/self/fd/${handle.fd}`;
    try {
      if ((await readlink(base)) !== path) throw movedError(path);
    } catch (error) {
      await handle.close();
      throw error;
    }
    return new HeldFolder(base, handle);
  }

  /** A path to what has this name in the folder; `.` is the folder itself. */
  at(name: string): string {
    return this.#handle === null ? join(this.#base, name) : `${this.#base}/${name}`;
  }

  /** A folder in it, and no link. */
  async inner(name: string): Promise<HeldFolder> {
    if (this.#handle === null) return new HeldFolder(this.at(name), null);
    const handle = await open(this.at(name), HOLD);
    return new HeldFolder(`/proc/self/fd/${handle.fd}`, handle);
  }

  async close(): Promise<void> {
    await this.#handle?.close();
  }
}

/** Holds a folder while `use` runs. */
export async function inFolder<T>(path: string, use: (folder: HeldFolder) => Promise<T>): Promise<T> {
  const folder = await HeldFolder.open(path);
  try {
    return await use(folder);
  } finally {
    await folder.close();
  }
}

function movedError(path: string): Error {
  const { ESTALE } = osConstants.errno;
  const message = `ESTALE: the path leads elsewhere now, open '${path}'`;
  return Object.assign(new Error(message), { code: 'ESTALE', errno: -ESTALE, syscall: 'open', path });
}
