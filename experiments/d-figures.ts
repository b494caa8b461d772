/** The figures of experiment D, a model at a time: what its arguments and calls come to, with intervals. */
import { SIZE_BUCKETS, sizeBucketOf } from './d-counts.ts';
import type { ArgumentFacts, RecordingFacts } from './d-recording.ts';
import {
  ALL_SIZES,
  type CounterfactualRow,
  type DigitRow,
  EFFECTS,
  type Effect,
  RECOVERY_RULES,
  REGRESSION_SETS,
  type RegressionRow,
  SEPARATOR_RULES,
  type SensitivityRow,
  type SeparatorRow,
  type SummaryRow,
  TEXT_KINDS,
  type TextKind,
} from './d-rows.ts';
import { clusterBootstrap, clustersOf, lineThrough, meanOf, quantileOf, wilson } from './statistics.ts';

/** The answers of one model, in an order that is theirs alone. */
export interface ModelAnswers {
  readonly model: string;
  readonly recordings: readonly RecordingFacts[];
  readonly seed: number;
}

/** An argument whose meant length is known. */
export interface MeasuredArgument extends ArgumentFacts {
  readonly declared: number;
  readonly meant: number;
  readonly error: number;
  readonly value: Uint8Array;
  /** The answer that it stands in: the cluster. */
  readonly answer: string;
}

export function measuredArguments({ recordings }: ModelAnswers): readonly MeasuredArgument[] {
  return recordings
    .flatMap(({ args }) => args)
    .flatMap((facts) => {
      const { value, row } = facts;
      if (value === null) return [];
      const [declared, meant] = [row.declared, value.length];
      return [{ ...facts, value, declared, meant, error: declared - meant, answer: answerOf(row) }];
    });
}

export function isOfKind({ row }: ArgumentFacts, kind: TextKind): boolean {
  return kind === 'all' || (kind === 'ASCII') === (row.nonAsciiBytes === 0);
}

function answerOf({ suite, recording }: { readonly suite: string; readonly recording: string }): string {
  return `${suite}/${recording}`;
}

/** Rows without an argument are left out: a share of nothing is no figure. */
export function summaryRows(answers: ModelAnswers): SummaryRow[] {
  const measured = measuredArguments(answers);
  const effects = new Map(answers.recordings.flatMap(({ calls }) => calls.map((call) => [callName(call), call.ctl])));
  return TEXT_KINDS.flatMap((text) =>
    [ALL_SIZES, ...SIZE_BUCKETS.map(({ name }) => name)].flatMap((size) => {
      const own = measured.filter(
        (argument) => isOfKind(argument, text) && (size === ALL_SIZES || sizeBucketOf(argument.meant) === size),
      );
      return own.length === 0 ? [] : [summaryRow(answers, { text, size, own, effects })];
    }),
  );
}

function summaryRow(
  { model, seed }: ModelAnswers,
  {
    text,
    size,
    own,
    effects,
  }: {
    text: TextKind;
    size: string;
    own: readonly MeasuredArgument[];
    effects: ReadonlyMap<string, CounterfactualRow['ctl']>;
  },
): SummaryRow {
  const errors = own.map(({ error }) => error);
  const absolute = errors.map(Math.abs);
  const clusters = clustersOf(own, ({ answer }) => answer).map((cluster) => cluster.map(({ error }) => error));
  const mean = clusterBootstrap(clusters, meanOf, `${seed}/${model}/mean error`);
  const exact = errors.filter((error) => error === 0).length;
  const exactInterval = wilson(exact, own.length)!;
  const calls = [...new Set(own.map(({ row }) => callName(row)))]
    .map((name) => effects.get(name))
    .filter((effect) => effect !== 'undecided');
  const callsLost = calls.filter((effect) => effect === 'lost').length;
  const lost = wilson(callsLost, calls.length);
  return {
    model,
    text,
    size,
    streams: clusters.length,
    n: own.length,
    exact,
    exactShare: exact / own.length,
    exactLow: exactInterval.low,
    exactHigh: exactInterval.high,
    short: errors.filter((error) => error < 0).length,
    long: errors.filter((error) => error > 0).length,
    medianAbsError: quantileOf(absolute, 0.5)!,
    p95AbsError: quantileOf(absolute, 0.95)!,
    meanError: meanOf(errors)!,
    meanErrorLow: mean?.low ?? null,
    meanErrorHigh: mean?.high ?? null,
    calls: calls.length,
    callsAltered: calls.filter((effect) => effect === 'altered').length,
    callsLost,
    lostShare: lost === null ? null : callsLost / calls.length,
    lostLow: lost?.low ?? null,
    lostHigh: lost?.high ?? null,
  };
}

function callName(row: { readonly suite: string; readonly recording: string; readonly call: number }): string {
  return `${answerOf(row)}#${row.call}`;
}

export function regressionRows(answers: ModelAnswers): RegressionRow[] {
  const points = measuredArguments(answers).filter(({ declared, meant }) => declared > 0 && meant > 0);
  return REGRESSION_SETS.flatMap((set) =>
    TEXT_KINDS.map((text) => {
      const own = points.filter(
        (argument) => isOfKind(argument, text) && (set === 'all lengths' || argument.error !== 0),
      );
      return regressionRow(answers, { set, text, own });
    }),
  );
}

function regressionRow(
  { model, seed }: ModelAnswers,
  { set, text, own }: Pick<RegressionRow, 'set' | 'text'> & { own: readonly MeasuredArgument[] },
): RegressionRow {
  const clusters = clustersOf(own, ({ answer }) => answer).map((cluster) => cluster.map(logarithms));
  const line = lineThrough(clusters.flat());
  // One label for all sets and kinds of text: the same answers give the same interval under each name.
  const label = `${seed}/${model}/regression`;
  const slope = clusterBootstrap(clusters, (drawn) => lineThrough(drawn)?.slope ?? null, label);
  const intercept = clusterBootstrap(clusters, (drawn) => lineThrough(drawn)?.intercept ?? null, label);
  return {
    model,
    set,
    text,
    n: own.length,
    streams: clusters.length,
    slope: line?.slope ?? null,
    slopeLow: slope?.low ?? null,
    slopeHigh: slope?.high ?? null,
    intercept: line?.intercept ?? null,
    interceptLow: intercept?.low ?? null,
    interceptHigh: intercept?.high ?? null,
  };
}

function logarithms({ declared, meant }: MeasuredArgument): readonly [x: number, y: number] {
  return [Math.log10(meant), Math.log10(declared)];
}

/** The last digits of the wrong lengths; none without a wrong length. */
export function digitRows(answers: ModelAnswers): DigitRow[] {
  const wrong = measuredArguments(answers).filter(({ error }) => error !== 0);
  if (wrong.length === 0) return [];
  return Array.from({ length: 10 }, (_, digit) => {
    const declared = wrong.filter((argument) => argument.declared % 10 === digit).length;
    const interval = wilson(declared, wrong.length)!;
    return {
      model: answers.model,
      digit,
      declared,
      meant: wrong.filter((argument) => argument.meant % 10 === digit).length,
      share: declared / wrong.length,
      low: interval.low,
      high: interval.high,
    };
  });
}

export function separatorRows(answers: ModelAnswers): SeparatorRow[] {
  const args = measuredArguments(answers);
  const calls = answers.recordings.flatMap((recording) => recording.calls);
  return SEPARATOR_RULES.flatMap((separator) => {
    const isOptional = separator === 'optional';
    const ofArguments = args.map(({ row, mandatory }) => (isOptional ? row.effect : mandatory));
    const ofCalls = calls.map(({ ctl, ctlMandatory }) => (isOptional ? ctl : ctlMandatory));
    return [
      ...separatorRow({ model: answers.model, separator, of: 'arguments' }, ofArguments),
      ...separatorRow({ model: answers.model, separator, of: 'calls' }, ofCalls),
    ];
  });
}

function separatorRow(
  of: Pick<SeparatorRow, 'model' | 'separator' | 'of'>,
  effects: readonly (Effect | '' | 'undecided')[],
): SeparatorRow[] {
  const known = effects.filter((effect): effect is Effect => EFFECTS.some((name) => name === effect));
  const count = (name: Effect): number => known.filter((effect) => effect === name).length;
  const interval = wilson(count('altered'), known.length);
  if (interval === null) return [];
  return [
    {
      ...of,
      n: known.length,
      asMeant: count('as_meant'),
      altered: count('altered'),
      lost: count('lost'),
      alteredShare: count('altered') / known.length,
      alteredLow: interval.low,
      alteredHigh: interval.high,
    },
  ];
}

/** The same arguments under three rules of what was meant; nothing for a model without length-prefixed arguments. */
export function sensitivityRows({ model, recordings }: ModelAnswers): SensitivityRow[] {
  const rows = recordings.flatMap(({ args }) => args.map(({ row }) => row));
  if (rows.length === 0) return [];
  return RECOVERY_RULES.map((rule): SensitivityRow => {
    const meantBy = { specified: 'meant', shortest: 'shortestMeant', naive: 'naiveMeant' } as const;
    const errors = rows.flatMap((row) => {
      const meant = row[meantBy[rule]];
      return meant === null ? [] : [row.declared - meant];
    });
    const exact = errors.filter((error) => error === 0).length;
    const interval = wilson(exact, errors.length);
    const ambiguous = rule === 'specified' ? rows.filter(({ outcome }) => outcome === 'ambiguous').length : 0;
    return {
      model,
      rule,
      decided: errors.length,
      ambiguous,
      unrecoverable: rows.length - errors.length - ambiguous,
      exact,
      exactShare: interval === null ? null : exact / errors.length,
      exactLow: interval?.low ?? null,
      exactHigh: interval?.high ?? null,
      short: errors.filter((error) => error < 0).length,
      long: errors.filter((error) => error > 0).length,
      medianAbsError: quantileOf(errors.map(Math.abs), 0.5),
      meanError: meanOf(errors),
    };
  });
}
