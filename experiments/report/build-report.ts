/** The report page as one text. */
import { shippedSuites } from '../../harness/replay/shipped.ts';
import { bundlePage } from './bundle.ts';
import { reportDocument } from './document.ts';
import { readResults } from './results.ts';
import { scrubberData } from './scrubber-data.ts';

/**
 * @param root the folder that holds `results/`. `seed`: of the suite `reframed`, as in the results.
 * Throws `InputError` where results are missing, `RecordingError` where a recording is.
 */
export async function buildReport(root: string, seed: number): Promise<string> {
  const [c, d, e] = await Promise.all([readResults(root, 'c'), readResults(root, 'd'), readResults(root, 'e')]);
  const recordings = await shippedSuites(seed);
  const [scrubber, bundle] = await Promise.all([scrubberData(recordings), bundlePage()]);
  return reportDocument({ results: { c, d, e }, recordings, scrubber, ...bundle });
}
