/**
 * How hard the random tests try. `npm test` is quick and always the same; `TEST_HARDER=1` runs more cases and
 * `TEST_SEED=<n>` runs others.
 */
import { DEFAULT_SEED } from '../replay/seeded.ts';

export const HARDER = process.env['TEST_HARDER'] === '1';

/** Printed by fast-check with every counterexample. */
export const SEED = Number(process.env['TEST_SEED'] ?? DEFAULT_SEED);

/** Parameters of one `fc.assert`. */
export interface Runs {
  readonly seed: number;
  readonly numRuns: number;
}

/**
 * @param quick cases in `npm test`
 * @param harder cases with `TEST_HARDER=1`
 * @param variation added to the seed: two tests with the same generator shall not try the same cases
 */
export function runs(quick: number, harder: number, variation = 0): Runs {
  return { seed: SEED + variation, numRuns: HARDER ? harder : quick };
}

/** Milliseconds that a test of random cases may take. */
export const PATIENCE = HARDER ? 900_000 : 60_000;
