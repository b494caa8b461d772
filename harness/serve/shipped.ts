/** The recordings that a clone of the repository has; the package comes without. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadSuites } from '../replay/load.ts';
import type { Recording } from '../replay/recording.ts';
import { reframedSuite } from '../replay/reframe.ts';
import { ServeError } from './serve-error.ts';

/** Two folders up in the sources and in the package. */
const SHIPPED = fileURLToPath(new URL('../../recordings', import.meta.url));

/** The stored suites, and `reframed`, which is made from them. Throws `ServeError` where there are none. */
export async function shippedRecordings(seed: number, dir = SHIPPED): Promise<readonly Recording[]> {
  if (!existsSync(join(dir, 'replies'))) {
    throw new ServeError(
      'option',
      'there are no recordings in this package: name a folder of your own with --recordings DIR',
    );
  }
  const stored = await loadSuites(dir);
  const replies = stored.filter(({ suite }) => suite === 'replies');
  return [...stored, ...(await reframedSuite(replies, String(seed)))];
}
