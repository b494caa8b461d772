/** The recordings that a clone of the repository has; the package comes without. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Recording } from '../replay/recording.ts';
import { SHIPPED_FOLDER, shippedSuites } from '../replay/shipped.ts';
import { ServeError } from './serve-error.ts';

/** Throws `ServeError` where there are none. */
export async function shippedRecordings(seed: number, dir = SHIPPED_FOLDER): Promise<readonly Recording[]> {
  if (!existsSync(join(dir, 'replies'))) {
    throw new ServeError(
      'option',
      'there are no recordings in this package: name a folder of your own with --recordings DIR',
    );
  }
  return shippedSuites(seed, dir);
}
