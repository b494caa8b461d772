import { expect, it } from 'vitest';
import { checkSuite } from './suite-check.ts';

const PATIENCE = 170_000;

it('every property holds on a part of suite replies', { timeout: PATIENCE }, async () => {
  expect(await checkSuite('replies')).toEqual({ unlisted: [], unexpected: [] });
});
