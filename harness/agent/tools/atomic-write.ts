/** Files that appear whole or not at all: a temporary file beside the target, flushed to the disk, then renamed. */
import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { mkdir, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { type Attributes, REAL_FILES } from '../../patch/file-operations.ts';
import { systemCode } from '../../replay/system-code.ts';
import { HeldFolder } from './held-folder.ts';

const PERMISSIONS = 0o7777;
const NEW_FILE: Attributes = { mode: 0o666, isExact: false, owner: null };

/**
 * Gives the file at `target` this content. An existing file keeps its mode and, where the process may, its owner (a hard
 * link to it keeps the old content); missing parent folders are made. On failure the old file stands, and neither a
 * temporary file nor a new folder is left.
 * @param target absolute, without links; not a folder
 * @param old what is there, or null
 * @throws system errors
 */
export async function replaceFile(target: string, content: Uint8Array, old: Stats | null): Promise<void> {
  const way = new HeldWay();
  try {
    const folder = await way.to(dirname(target));
    const temporary = folder.at(`.cst-${randomUUID()}.tmp`);
    try {
      await REAL_FILES.writeTemporary(temporary, content, old === null ? NEW_FILE : attributesOf(old));
      await rename(temporary, folder.at(basename(target)));
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    // Else a crash could undo the rename. The file is there all the same, so a failure of this step is none of the write.
    await REAL_FILES.syncFolder(folder.at('.')).catch(() => undefined);
  } catch (error) {
    await way.removeMade();
    throw error;
  } finally {
    await way.close();
  }
}

function attributesOf({ mode, uid, gid }: Stats): Attributes {
  return { mode: mode & PERMISSIONS, isExact: true, owner: { uid, gid } };
}

/** The way from a folder that was there to one that is made, all held: nothing on it can be put elsewhere meanwhile. */
class HeldWay {
  readonly #held: HeldFolder[] = [];
  /** From the outermost one. */
  readonly #made: { readonly parent: HeldFolder; readonly name: string }[] = [];

  async to(path: string): Promise<HeldFolder> {
    const missing: string[] = [];
    let folder = await this.#begin(path, missing);
    for (const name of missing) {
      if (await makeFolder(folder.at(name))) this.#made.push({ parent: folder, name });
      folder = this.#hold(await folder.inner(name));
    }
    return folder;
  }

  /** Removes the folders that were made, from the innermost one; one that somebody has used by now stays. */
  async removeMade(): Promise<void> {
    for (const { parent, name } of this.#made.reverse()) {
      try {
        await rmdir(parent.at(name));
      } catch {
        return;
      }
    }
  }

  async close(): Promise<void> {
    for (const folder of this.#held) await folder.close();
  }

  async #begin(path: string, missing: string[]): Promise<HeldFolder> {
    try {
      return this.#hold(await HeldFolder.open(path));
    } catch (error) {
      if (systemCode(error) !== 'ENOENT' || path === dirname(path)) throw error;
      missing.unshift(basename(path));
      return this.#begin(dirname(path), missing);
    }
  }

  #hold(folder: HeldFolder): HeldFolder {
    this.#held.push(folder);
    return folder;
  }
}

/** False if there is one. */
async function makeFolder(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}
