/** Experiment D over many recordings: recordings in, all rows out, in an order that is theirs alone. */
import pLimit from 'p-limit';
import { compareNames } from '../harness/replay/manifest.ts';
import type { Recording } from '../harness/replay/recording.ts';
import {
  digitRows,
  type ModelAnswers,
  regressionRows,
  sensitivityRows,
  separatorRows,
  summaryRows,
} from './d-figures.ts';
import { hypothesisRows } from './d-hypotheses.ts';
import { measureRecording, type RecordingFacts } from './d-recording.ts';
import type {
  AlteredRow,
  CounterfactualRow,
  CoverageRow,
  DigitRow,
  HypothesisRow,
  MiscountRow,
  RegressionRow,
  SensitivityRow,
  SeparatorRow,
  SummaryRow,
} from './d-rows.ts';

export interface MiscountOptions {
  readonly lineLimit: number;
  readonly seed: number;
  /** Recordings in memory at once; 0: a few. */
  readonly concurrency: number;
  /** Told after each recording of the framing `ctl`. */
  readonly onProgress: (done: number) => void;
}

export interface MiscountRows {
  readonly miscount: readonly MiscountRow[];
  readonly counterfactual: readonly CounterfactualRow[];
  readonly altered: readonly AlteredRow[];
  readonly coverage: readonly CoverageRow[];
  readonly summary: readonly SummaryRow[];
  readonly hypotheses: readonly HypothesisRow[];
  readonly regression: readonly RegressionRow[];
  readonly digits: readonly DigitRow[];
  readonly separator: readonly SeparatorRow[];
  readonly sensitivity: readonly SensitivityRow[];
}

const FEW = 4;

/** Recordings of other framings are passed over: they declare no lengths. */
export async function runMiscount(recordings: readonly Recording[], options: MiscountOptions): Promise<MiscountRows> {
  const limit = pLimit(options.concurrency || FEW);
  let done = 0;
  try {
    const measured = await Promise.all(
      recordings.filter(isMeasured).map((recording) =>
        limit(async () => {
          const facts = await measureRecording(recording, options.lineLimit);
          options.onProgress(++done);
          return facts;
        }),
      ),
    );
    return gather(measured.toSorted(byName), options.seed);
  } finally {
    limit.clearQueue();
  }
}

/** The reframed suite is written here, with lengths that are right by construction. */
export function isMeasured({ framing, source }: Recording): boolean {
  return framing === 'ctl' && source !== 'reframed';
}

function byName({ origin: a }: RecordingFacts, { origin: b }: RecordingFacts): number {
  return compareNames(a.suite, b.suite) || compareNames(a.recording, b.recording);
}

function gather(facts: readonly RecordingFacts[], seed: number): MiscountRows {
  const answers = modelsOf(facts.filter(({ origin }) => origin.inFigures === 'yes')).map(
    ([model, recordings]): ModelAnswers => ({ model, recordings, seed }),
  );
  return {
    miscount: facts.flatMap(({ args }) => args.map(({ row }) => row)),
    counterfactual: facts.flatMap(({ calls }) => calls),
    altered: facts.flatMap(({ altered }) => altered),
    coverage: coverageRows(facts),
    summary: answers.flatMap(summaryRows),
    hypotheses: answers.flatMap(hypothesisRows),
    regression: answers.flatMap(regressionRows),
    digits: answers.flatMap(digitRows),
    separator: answers.flatMap(separatorRows),
    sensitivity: answers.flatMap(sensitivityRows),
  };
}

function modelsOf(facts: readonly RecordingFacts[]): [model: string, recordings: RecordingFacts[]][] {
  const byModel = new Map<string, RecordingFacts[]>();
  for (const recording of facts) {
    const { model } = recording.origin;
    byModel.set(model, [...(byModel.get(model) ?? []), recording]);
  }
  return [...byModel];
}

function coverageRows(facts: readonly RecordingFacts[]): CoverageRow[] {
  const suites = [...new Set(facts.map(({ origin }) => origin.suite))];
  const groups = suites.flatMap((suite) =>
    (['yes', 'no'] as const).map((inFigures) => ({
      suite,
      inFigures,
      own: facts.filter(({ origin }) => origin.suite === suite && origin.inFigures === inFigures),
    })),
  );
  return groups.flatMap(({ suite, inFigures, own }) =>
    modelsOf(own).map(([model, recordings]): CoverageRow => {
      const complete = recordings.filter(({ isComplete }) => isComplete);
      const args = recordings.flatMap((recording) => recording.args);
      const count = (status: string): number => args.filter(({ row }) => row.outcome === status).length;
      const [ambiguous, unrecoverable] = [count('ambiguous'), count('unrecoverable')];
      return {
        suite,
        model,
        recordings: recordings.length,
        cut: recordings.length - complete.length,
        complete: complete.length,
        withError: complete.filter(({ endsInError }) => endsInError).length,
        withoutLength: complete.filter((recording) => recording.isReadable && recording.args.length === 0).length,
        unreadable: complete.filter((recording) => !recording.isReadable).length,
        arguments: args.length,
        decided: args.length - ambiguous - unrecoverable,
        ambiguous,
        unrecoverable,
        inFigures,
      };
    }),
  );
}
