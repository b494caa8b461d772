/** Folders that are made one by one: Node's recursive `mkdir` never ends where none can be made (`/proc/x`, nodejs/node). */
import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { RecordingError } from './recording-error.ts';
import { systemCode } from './system-code.ts';

/** Makes the folder and those above it. @throws RecordingError naming the first that cannot be made, and why. */
export async function makeFolder(folder: string): Promise<void> {
  const path = resolve(folder);
  const missing: string[] = [];
  for (let at = path; !(await isFolder(at, folder)); at = dirname(at)) missing.unshift(at);
  for (const at of missing) {
    try {
      await mkdir(at);
    } catch (error) {
      if (systemCode(error) === 'EEXIST') continue;
      throw refusal(folder, at, error);
    }
  }
}

async function isFolder(path: string, asked: string): Promise<boolean> {
  try {
    if ((await stat(path)).isDirectory()) return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT' && dirname(path) !== path) return false;
    if (systemCode(error) !== 'ENOTDIR') throw refusal(asked, path, error);
    return false;
  }
  const what =
    path === resolve(asked) ? 'is a file, a folder is wanted' : `${path} is a file, and no folder can be in it`;
  throw new RecordingError({ file: asked, what, advice: 'Choose another folder' });
}

const WHY: { readonly [code: string]: string } = {
  EACCES: 'no permission',
  EPERM: 'no permission',
  EROFS: 'it would be on a read-only file system',
  ENOSPC: 'no space left on the device',
  ENOENT: 'its file system takes no folders',
  ENAMETOOLONG: 'the name is too long',
};

function refusal(asked: string, at: string, error: unknown): RecordingError {
  const code = systemCode(error) ?? '';
  const why = WHY[code] ?? (error instanceof Error ? error.message : String(error));
  const where = at === resolve(asked) ? '' : ` (at ${at})`;
  return new RecordingError({
    file: asked,
    what: `the folder cannot be made${where}: ${why}`,
    advice: 'Choose another',
  });
}
