/** What failed, by the code of the system, and the one failure that is often an answer: there is no such file. */
import { readFile } from 'node:fs/promises';

/** The code of a system error, such as `ENOENT`; null for anything else. */
export function systemCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

/** The text of a file as UTF-8; null if there is none. */
export async function readIfPresent(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}
