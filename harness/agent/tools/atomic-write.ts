/** Files that appear whole or not at all: a temporary file beside the target, flushed to the disk, then renamed. */
import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { mkdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Attributes, REAL_FILES } from '../../patch/file-operations.ts';

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
  const folder = dirname(target);
  const temporary = join(folder, `.cst-${randomUUID()}.tmp`);
  const outermostMade = await mkdir(folder, { recursive: true });
  try {
    await REAL_FILES.writeTemporary(temporary, content, old === null ? NEW_FILE : attributesOf(old));
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    if (outermostMade !== undefined) await removeFolders(folder, outermostMade);
    throw error;
  }
  // Else a crash could undo the rename. The file is there all the same, so a failure of this step is none of the write.
  await REAL_FILES.syncFolder(folder).catch(() => undefined);
}

function attributesOf({ mode, uid, gid }: Stats): Attributes {
  return { mode: mode & PERMISSIONS, isExact: true, owner: { uid, gid } };
}

/** Removes the folders that were made, from the innermost one; one that somebody has used by now stays. */
async function removeFolders(innermost: string, outermost: string): Promise<void> {
  for (let folder = innermost; folder.startsWith(outermost); folder = dirname(folder)) {
    try {
      await rmdir(folder);
    } catch {
      return;
    }
  }
}
