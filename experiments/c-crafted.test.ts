import { expect, it } from 'vitest';
import { loadSuites } from '../harness/replay/load.ts';
import { runExperiment } from './c-run.ts';
import { passingControls } from './control-probes.ts';
import { checkSuite, OPTIONS, SHIPPED } from './suite-check.ts';

const PATIENCE = 170_000;

it('every property holds on a part of suite crafted, but for what is listed by name', {
  timeout: PATIENCE,
}, async () => {
  expect(await checkSuite('crafted', /^case-02|^text-call-delta-after/)).toEqual({
    unlisted: [],
    unexpected: [
      'case-02-empty-object-then-arguments-parallel.native.sse',
      'text-call-delta-after-text-call.native.sse',
      'text-call-delta-after-wrong-text.native.sse',
    ],
  });
});

it('every control is caught on the crafted suite alone', { timeout: PATIENCE }, async () => {
  const recordings = await loadSuites(SHIPPED, { suites: ['crafted'] });
  const smallest = recordings.filter(({ file }) => /case-(01|07|57|75)|endless/.test(file));
  const { findings } = await runExperiment(smallest, OPTIONS);
  expect(passingControls(findings)).toEqual([]);
});
