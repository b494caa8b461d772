/**
 * Test support: experiment C on a part of a shipped suite, under a seed that is not that of the results; all of it is
 * what `npm run exp:c` does.
 */
import { fileURLToPath } from 'node:url';
import { PROTOCOLS } from '../harness/parsers/protocols.ts';
import { loadSuites } from '../harness/replay/load.ts';
import type { Finding } from './c-recording.ts';
import { runExperiment } from './c-run.ts';
import { expectedUnder, readExpectedFindings } from './expected-findings.ts';

export const SHIPPED = fileURLToPath(new URL('../recordings', import.meta.url));
export const OPTIONS = {
  lineLimit: 4096,
  seed: 7,
  concurrency: 1,
  expected: readExpectedFindings(),
  onProgress: () => {},
};

export interface SuiteCheck {
  /** Findings of protocols that are not listed by name. */
  readonly unlisted: readonly Finding[];
  /** Recordings that are not read as their manifest expects. */
  readonly unexpected: readonly string[];
}

/** Every eighth recording, and those that `always` names. */
export async function checkSuite(suite: string, always = /^$/): Promise<SuiteCheck> {
  const all = await loadSuites(SHIPPED, { suites: [suite] });
  const rows = await runExperiment(
    all.filter(({ file }, at) => at % 8 === 0 || always.test(file)),
    OPTIONS,
  );
  return {
    unlisted: rows.findings.filter(
      (finding) =>
        PROTOCOLS.some((protocol) => protocol === finding.parser) && expectedUnder(finding, OPTIONS.expected) === null,
    ),
    unexpected: rows.safety.filter(({ expected }) => expected === 'no').map(({ recording }) => recording),
  };
}
