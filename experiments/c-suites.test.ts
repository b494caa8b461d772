import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { PROTOCOLS } from '../harness/parsers/protocols.ts';
import { loadSuites } from '../harness/replay/load.ts';
import { runExperiment } from './c-run.ts';
import { passingControls } from './control-probes.ts';
import { expectedUnder, readExpectedFindings } from './expected-findings.ts';

const PATIENCE = 170_000;
const EXPECTED = readExpectedFindings();
const CORPUS = fileURLToPath(new URL('../../shared/corpus/openai-chat', import.meta.url));
const SHIPPED = fileURLToPath(new URL('../recordings', import.meta.url));

async function check(dir: string, suites?: readonly string[]) {
  const recordings = await loadSuites(dir, suites === undefined ? {} : { suites });
  const options = { lineLimit: 4096, seed: 7, concurrency: 1, expected: EXPECTED, onProgress: () => {} };
  const rows = await runExperiment(recordings, options);
  const unlisted = rows.findings.filter(
    (finding) => PROTOCOLS.some((protocol) => protocol === finding.parser) && expectedUnder(finding, EXPECTED) === null,
  );
  return { rows, unlisted, count: recordings.length };
}

describe('every prefix, every split, at both levels, under a seed that is not that of the results', () => {
  it.each(['crafted', 'replies'])(
    'holds on suite %s, but for what is listed by name',
    { timeout: PATIENCE },
    async (suite) => {
      const { unlisted, rows } = await check(SHIPPED, [suite]);
      expect(unlisted).toEqual([]);
      expect(rows.safety.filter(({ expected }) => expected === 'no').map(({ recording }) => recording)).toEqual(
        suite === 'crafted'
          ? [
              'case-02-empty-object-then-arguments-parallel.native.sse',
              'text-call-delta-after-text-call.native.sse',
              'text-call-delta-after-wrong-text.native.sse',
            ]
          : [],
      );
    },
  );

  it('catches every control on the crafted suite alone', { timeout: PATIENCE }, async () => {
    const recordings = await loadSuites(SHIPPED, { suites: ['crafted'] });
    const smallest = recordings.filter(({ file }) => /case-(01|07|57|75)|endless/.test(file));
    const options = { lineLimit: 4096, seed: 7, concurrency: 1, expected: EXPECTED, onProgress: () => {} };
    const { findings } = await runExperiment(smallest, options);
    expect(passingControls(findings)).toEqual([]);
  });

  it.skipIf(!existsSync(CORPUS))('holds on the streams recorded by others', { timeout: PATIENCE }, async () => {
    const { unlisted, count, rows } = await check(CORPUS);
    expect(unlisted).toEqual([]);
    expect(count).toBe(193);
    expect(new Set(rows.errorCases.map(({ kind }) => kind))).toEqual(new Set(['stream_error']));
  });
});
