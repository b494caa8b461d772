/** The report page as one text. */
import { shippedSuites } from '../../harness/replay/shipped.ts';
import { bundlePage } from './bundle.ts';
import { reportDocument } from './document.ts';
import { type Letter, readResults } from './results.ts';
import { scrubberData } from './scrubber-data.ts';

/**
 * @param root the folder that holds `results/`. `seed`: of the suite `reframed`, as in the results.
 * Throws `InputError` where results are missing, `RecordingError` where a recording is.
 */
export async function buildReport(root: string, seed: number): Promise<string> {
  const read = (letter: Letter) => readResults(root, letter);
  const [c, peers, d, e] = await Promise.all([read('c'), read('peers'), read('d'), read('e')]);
  const recordings = await shippedSuites(seed);
  const [scrubber, bundle] = await Promise.all([scrubberData(recordings), bundlePage()]);
  return reportDocument({ results: { c, peers, d, e }, recordings, scrubber, ...bundle });
}
