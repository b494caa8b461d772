/** What the results rest on: which streams, where they come from, which models wrote them. */
import { stringify } from 'csv-stringify/sync';
import { InputError } from '../../harness/cli/run-command.ts';
import { FRAMINGS, type Recording } from '../../harness/replay/recording.ts';
import type { Results } from './results.ts';

export interface SuiteEvidence {
  readonly suite: string;
  readonly streams: number;
  readonly tasks: number;
  readonly framings: readonly string[];
  readonly sources: readonly Recording['source'][];
  readonly models: readonly string[];
  readonly runs: readonly string[];
  readonly wires: readonly string[];
}

/**
 * The recordings that results are about, suite by suite, as the loader gives them.
 * Throws {@link InputError} if one of them is not there any more, or has other bytes.
 */
export function evidenceOf(results: Results, recordings: readonly Recording[]): SuiteEvidence[] {
  const byName = new Map(recordings.map((recording) => [`${recording.suite}/${recording.file}`, recording]));
  const own = results.recordings.map(({ suite, file, sha256 }) => {
    const recording = byName.get(`${suite}/${file}`);
    if (recording?.sha256 === sha256) return recording;
    const { letter } = results;
    throw new InputError(
      `results/${letter} are about another ${suite}/${file} than recordings/ has: npm run exp:${letter} makes them anew`,
    );
  });
  return distinct(own.map(({ suite }) => suite)).map((suite) =>
    suiteEvidence(
      suite,
      own.filter((recording) => recording.suite === suite),
    ),
  );
}

function suiteEvidence(suite: string, own: readonly Recording[]): SuiteEvidence {
  return {
    suite,
    streams: own.length,
    tasks: distinct(own.map(({ task }) => task)).length,
    framings: FRAMINGS.filter((framing) => own.some((recording) => recording.framing === framing)),
    sources: distinct(own.map(({ source }) => source)),
    models: distinct(own.flatMap(({ model }) => model ?? [])),
    runs: distinct(own.flatMap(({ run }) => run ?? [])),
    wires: distinct(own.map(({ wire }) => wire)),
  };
}

/** Each once, in code unit order. */
export function distinct<Name extends string>(names: readonly Name[]): Name[] {
  return [...new Set(names)].sort();
}

/** CSV: suite, source, streams, tasks, framings, model, runs. */
export function evidenceCsv(suites: readonly SuiteEvidence[]): string {
  const rows = suites.map(({ suite, sources, streams, tasks, framings, models, runs }) => [
    suite,
    sources.join(', '),
    streams,
    tasks,
    framings.join(', '),
    models.join(', ') || 'none',
    runs.length,
  ]);
  const head = ['suite', 'source', 'streams', 'tasks', 'framings', 'model', 'runs'];
  return stringify([head, ...rows], { record_delimiter: '\n' });
}
