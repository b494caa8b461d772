/** The name of a task, from where its recording was found. */
import { createHash } from 'node:crypto';

/** Endings that tell the format and nothing else. */
const ENDINGS = /(?:\.chunks\.txt|\.[a-z0-9]{1,6})$/i;
const LONGEST = 90;

/**
 * `sub/dir/test_x.yaml` is `sub-dir-test_x`, and the second exchange of several in it `sub-dir-test_x-2`.
 * @param file relative to the folder that was imported, with `/`
 * @param number of the exchange in its file, from 1; null if it is the only one
 */
export function taskName(file: string, number: number | null): string {
  const words = file
    .replace(ENDINGS, '')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '');
  const base = words === '' ? 'stream' : words;
  // A short hash keeps apart what only differs in what is cut off.
  const hash = createHash('sha256').update(file).digest('hex').slice(0, 8);
  const name = base.length <= LONGEST ? base : `${base.slice(0, LONGEST - 9)}-${hash}`;
  return number === null ? name : `${name}-${number}`;
}
