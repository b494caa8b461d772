/** What the results rest on: which streams, where they come from, which models wrote them. */
import type { Recording } from '../../harness/replay/recording.ts';
import type { Results } from './results.ts';

export interface SuiteEvidence {
  readonly suite: string;
  readonly streams: number;
  readonly sources: readonly string[];
  readonly models: readonly string[];
}

/** @param recordings the shipped suites, as the loader gives them; counted are those that experiment C names. */
export function evidenceOf(results: Results, recordings: readonly Recording[]): SuiteEvidence[] {
  const suites = [...new Set(results.recordings.map(({ suite }) => suite))];
  return suites.map((suite) => {
    const own = recordings.filter((recording) => recording.suite === suite);
    return {
      suite,
      streams: results.recordings.filter((recording) => recording.suite === suite).length,
      sources: [...new Set(own.map(({ source }) => source))].sort(),
      models: [...new Set(own.flatMap(({ model }) => model ?? []))].sort(),
    };
  });
}
