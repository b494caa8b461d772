/** The suites of a clone of this repository; the package comes without. */
import { fileURLToPath } from 'node:url';
import { loadSuites } from './load.ts';
import type { Recording } from './recording.ts';
import { reframedSuite } from './reframe.ts';

/** Two folders up in the sources and in the package. */
export const SHIPPED_FOLDER = fileURLToPath(new URL('../../recordings', import.meta.url));

/** The stored suites, and the reframed one that is made from them. Throws `RecordingError`. */
export async function shippedSuites(seed: number, dir = SHIPPED_FOLDER): Promise<readonly Recording[]> {
  const stored = await loadSuites(dir);
  const replies = stored.filter(({ suite }) => suite === 'replies');
  return [...stored, ...(await reframedSuite(replies, String(seed)))];
}
