/**
 * The tables of experiment D (properties.md "Experiment D — byte miscounts"): the row of each, its columns, its order.
 * All sizes are bytes unless a column says otherwise; an interval holds the true figure in 95 % of samples.
 */
import type { ContractErrorKind } from '../harness/parsers/contract-error.ts';
import type { Table } from '../harness/report/table.ts';
import { SIZE_BUCKETS } from './d-counts.ts';

export const OUTCOMES = ['exact', 'short', 'long', 'ambiguous', 'unrecoverable'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** What became of a value: it ran as it was meant, as another one, or not at all. */
export const EFFECTS = ['as_meant', 'altered', 'lost'] as const;
export type Effect = (typeof EFFECTS)[number];

/** One length-prefixed argument of a complete `ctl` answer. */
export interface MiscountRow {
  readonly suite: string;
  readonly recording: string;
  readonly model: string;
  readonly task: string;
  readonly run: string;
  /** `no`: written by hand, so it is listed and counted in no figure. */
  readonly inFigures: 'yes' | 'no';
  /** Ordinal of the call in its message, from 0, and its id as the model wrote it. */
  readonly call: number;
  readonly id: string;
  /** Its place among the arguments of the call, from 0. */
  readonly argument: number;
  readonly key: string;
  readonly declared: number;
  /** `null` where the readings do not say. */
  readonly meant: number | null;
  /** declared − meant. */
  readonly error: number | null;
  /** error / meant; `null` for an empty value. */
  readonly relativeError: number | null;
  readonly codePoints: number | null;
  readonly utf16Units: number | null;
  readonly lines: number | null;
  readonly tokens: number | null;
  readonly nonAsciiBytes: number | null;
  readonly endsWithLf: 'yes' | 'no' | '';
  readonly outcome: Outcome;
  /** Which count the model seems to have made. */
  readonly counted: string;
  /** The contract error that this argument's length raised; empty if none. */
  readonly errorKind: ContractErrorKind | '';
  readonly effect: Effect | '';
  /** The naive rule's length: the body ends before the first line that could continue the frame. */
  readonly naiveMeant: number | null;
  /** The length in the shortest reading, where other readings make it ambiguous too. */
  readonly shortestMeant: number | null;
}

/** What a row says of where it comes from. */
export type Origin = Pick<MiscountRow, 'suite' | 'recording' | 'model' | 'task' | 'run' | 'inFigures'>;

export const MISCOUNT: Table<MiscountRow> = {
  columns: [
    { key: 'suite', format: 'text' },
    { key: 'recording', format: 'text' },
    { key: 'model', format: 'text' },
    { key: 'task', format: 'text' },
    { key: 'run', format: 'text' },
    { key: 'inFigures', name: 'in_figures', format: 'text' },
    { key: 'call', format: 'integer' },
    { key: 'id', format: 'text' },
    { key: 'argument', format: 'integer' },
    { key: 'key', format: 'text' },
    { key: 'declared', format: 'integer' },
    { key: 'meant', format: 'integer' },
    { key: 'error', format: 'integer' },
    { key: 'relativeError', name: 'relative_error', format: { decimals: 4 } },
    { key: 'codePoints', name: 'code_points', format: 'integer' },
    { key: 'utf16Units', name: 'utf16_units', format: 'integer' },
    { key: 'lines', format: 'integer' },
    { key: 'tokens', format: 'integer' },
    { key: 'nonAsciiBytes', name: 'non_ascii_bytes', format: 'integer' },
    { key: 'endsWithLf', name: 'ends_with_lf', format: 'text' },
    { key: 'outcome', format: 'text' },
    { key: 'counted', format: 'text' },
    { key: 'errorKind', name: 'error_kind', format: 'text' },
    { key: 'effect', format: 'text' },
    { key: 'naiveMeant', name: 'naive_meant', format: 'integer' },
    { key: 'shortestMeant', name: 'shortest_meant', format: 'integer' },
  ],
  sortBy: ['suite', 'recording', 'call', 'argument'],
};

export const TEXT_KINDS = ['all', 'ASCII', 'non-ASCII'] as const;
export type TextKind = (typeof TEXT_KINDS)[number];

export const ALL_SIZES = 'all';
const SIZES = [ALL_SIZES, ...SIZE_BUCKETS.map(({ name }) => name)];

/** The decided arguments of a model's answers, by kind of text and meant size. */
export interface SummaryRow {
  readonly model: string;
  readonly text: TextKind;
  readonly size: string;
  /** Answers that the arguments come from: the clusters of the bootstrap. */
  readonly streams: number;
  readonly n: number;
  readonly exact: number;
  readonly exactShare: number;
  /** Wilson's interval, as if the arguments were independent. */
  readonly exactLow: number;
  readonly exactHigh: number;
  readonly short: number;
  readonly long: number;
  readonly medianAbsError: number;
  readonly p95AbsError: number;
  readonly meanError: number;
  /** Bootstrap by answer; `null` with fewer than two answers. */
  readonly meanErrorLow: number | null;
  readonly meanErrorHigh: number | null;
  /** Calls that hold such an argument and of which all values are known, those of them that did not run or ran altered, and the share lost with Wilson's interval. */
  readonly calls: number;
  readonly callsAltered: number;
  readonly callsLost: number;
  readonly lostShare: number | null;
  readonly lostLow: number | null;
  readonly lostHigh: number | null;
}

export const SUMMARY: Table<SummaryRow> = {
  columns: [
    { key: 'model', format: 'text' },
    { key: 'text', format: 'text' },
    { key: 'size', format: 'text' },
    { key: 'streams', format: 'integer' },
    { key: 'n', format: 'integer' },
    { key: 'exact', format: 'integer' },
    { key: 'exactShare', name: 'exact_share', format: { decimals: 4 } },
    { key: 'exactLow', name: 'exact_low', format: { decimals: 4 } },
    { key: 'exactHigh', name: 'exact_high', format: { decimals: 4 } },
    { key: 'short', format: 'integer' },
    { key: 'long', format: 'integer' },
    { key: 'medianAbsError', name: 'median_abs_error', format: { decimals: 1 } },
    { key: 'p95AbsError', name: 'p95_abs_error', format: { decimals: 1 } },
    { key: 'meanError', name: 'mean_error', format: { decimals: 2 } },
    { key: 'meanErrorLow', name: 'mean_error_low', format: { decimals: 2 } },
    { key: 'meanErrorHigh', name: 'mean_error_high', format: { decimals: 2 } },
    { key: 'calls', format: 'integer' },
    { key: 'callsAltered', name: 'calls_altered', format: 'integer' },
    { key: 'callsLost', name: 'calls_lost', format: 'integer' },
    { key: 'lostShare', name: 'lost_share', format: { decimals: 4 } },
    { key: 'lostLow', name: 'lost_low', format: { decimals: 4 } },
    { key: 'lostHigh', name: 'lost_high', format: { decimals: 4 } },
  ],
  sortBy: ['model', { key: 'text', order: TEXT_KINDS }, { key: 'size', order: SIZES }],
};

/** What became of the same call as a heredoc frame; `with_final_lf`: it ran, and a value ends with an LF that it did not have. */
export const HEREDOC_EFFECTS = ['as_meant', 'with_final_lf', 'altered', 'lost', 'undecided'] as const;
export type HeredocEffect = (typeof HEREDOC_EFFECTS)[number];

/** One call of a `ctl` answer. `undecided`: what was meant is not known of one of its values. */
export interface CounterfactualRow {
  readonly suite: string;
  readonly recording: string;
  readonly model: string;
  readonly task: string;
  readonly inFigures: 'yes' | 'no';
  readonly call: number;
  readonly id: string;
  readonly name: string;
  /** Bytes of its meant values. */
  readonly bytes: number | null;
  readonly ctl: Effect | 'undecided';
  /** Had the separator after a body been mandatory. */
  readonly ctlMandatory: Effect | 'undecided';
  readonly heredoc: HeredocEffect;
}

export const COUNTERFACTUAL: Table<CounterfactualRow> = {
  columns: [
    { key: 'suite', format: 'text' },
    { key: 'recording', format: 'text' },
    { key: 'model', format: 'text' },
    { key: 'task', format: 'text' },
    { key: 'inFigures', name: 'in_figures', format: 'text' },
    { key: 'call', format: 'integer' },
    { key: 'id', format: 'text' },
    { key: 'name', format: 'text' },
    { key: 'bytes', format: 'integer' },
    { key: 'ctl', format: 'text' },
    { key: 'ctlMandatory', name: 'ctl_mandatory_separator', format: 'text' },
    { key: 'heredoc', format: 'text' },
  ],
  sortBy: ['suite', 'recording', 'call'],
};

/** A call that ran with another value than was meant, or that nobody meant: the dangerous outcome, one by one. */
export interface AlteredRow {
  readonly suite: string;
  readonly recording: string;
  readonly model: string;
  readonly task: string;
  readonly id: string;
  readonly name: string;
  /** Empty for a call that nobody meant. */
  readonly key: string;
  readonly declared: number | null;
  readonly meant: number | null;
  readonly ran: number | null;
  readonly difference: string;
}

export const ALTERED: Table<AlteredRow> = {
  columns: [
    { key: 'suite', format: 'text' },
    { key: 'recording', format: 'text' },
    { key: 'model', format: 'text' },
    { key: 'task', format: 'text' },
    { key: 'id', format: 'text' },
    { key: 'name', format: 'text' },
    { key: 'key', format: 'text' },
    { key: 'declared', format: 'integer' },
    { key: 'meant', format: 'integer' },
    { key: 'ran', format: 'integer' },
    { key: 'difference', format: 'text' },
  ],
  sortBy: ['suite', 'recording', 'id', 'key'],
};

/** One hypothesis about what was counted, tried on the wrong lengths where it is another number than the bytes. */
export interface HypothesisRow {
  readonly model: string;
  readonly text: TextKind;
  readonly hypothesis: string;
  readonly about: string;
  readonly tested: number;
  readonly fits: number;
  readonly share: number;
  readonly low: number;
  readonly high: number;
  /** Fits if each value had the relative error of another answer's value of its size bucket: what chance would give. */
  readonly byChance: number;
}

export const HYPOTHESIS_FITS: Table<HypothesisRow> = {
  columns: [
    { key: 'model', format: 'text' },
    { key: 'text', format: 'text' },
    { key: 'hypothesis', format: 'text' },
    { key: 'about', format: 'text' },
    { key: 'tested', format: 'integer' },
    { key: 'fits', format: 'integer' },
    { key: 'share', format: { decimals: 4 } },
    { key: 'low', format: { decimals: 4 } },
    { key: 'high', format: { decimals: 4 } },
    { key: 'byChance', name: 'by_chance', format: { decimals: 2 } },
  ],
  sortBy: ['model', { key: 'text', order: TEXT_KINDS }, 'hypothesis'],
};

export const REGRESSION_SETS = ['all lengths', 'wrong lengths'] as const;

/** log10(declared) on log10(meant): a slope of 1 and an intercept of 0 would be right on the average. */
export interface RegressionRow {
  readonly model: string;
  readonly set: (typeof REGRESSION_SETS)[number];
  readonly text: TextKind;
  /** Values of at least one byte, declared as at least one. */
  readonly n: number;
  readonly streams: number;
  readonly slope: number | null;
  readonly slopeLow: number | null;
  readonly slopeHigh: number | null;
  readonly intercept: number | null;
  readonly interceptLow: number | null;
  readonly interceptHigh: number | null;
}

export const REGRESSION: Table<RegressionRow> = {
  columns: [
    { key: 'model', format: 'text' },
    { key: 'set', format: 'text' },
    { key: 'text', format: 'text' },
    { key: 'n', format: 'integer' },
    { key: 'streams', format: 'integer' },
    { key: 'slope', format: { decimals: 4 } },
    { key: 'slopeLow', name: 'slope_low', format: { decimals: 4 } },
    { key: 'slopeHigh', name: 'slope_high', format: { decimals: 4 } },
    { key: 'intercept', format: { decimals: 4 } },
    { key: 'interceptLow', name: 'intercept_low', format: { decimals: 4 } },
    { key: 'interceptHigh', name: 'intercept_high', format: { decimals: 4 } },
  ],
  sortBy: ['model', { key: 'set', order: REGRESSION_SETS }, { key: 'text', order: TEXT_KINDS }],
};

/** Wrong lengths by their last digit, beside the last digits of what was meant. */
export interface DigitRow {
  readonly model: string;
  readonly digit: number;
  readonly declared: number;
  readonly meant: number;
  /** Share of the declared ones, with Wilson's interval. */
  readonly share: number;
  readonly low: number;
  readonly high: number;
}

export const DIGITS: Table<DigitRow> = {
  columns: [
    { key: 'model', format: 'text' },
    { key: 'digit', name: 'last_digit', format: 'integer' },
    { key: 'declared', format: 'integer' },
    { key: 'meant', format: 'integer' },
    { key: 'share', format: { decimals: 4 } },
    { key: 'low', format: { decimals: 4 } },
    { key: 'high', format: { decimals: 4 } },
  ],
  sortBy: ['model', 'digit'],
};

export const SEPARATOR_RULES = ['optional', 'mandatory'] as const;

/** The separator question: what became of arguments and of calls, under both rules. */
export interface SeparatorRow {
  readonly model: string;
  readonly separator: (typeof SEPARATOR_RULES)[number];
  readonly of: 'arguments' | 'calls';
  readonly n: number;
  readonly asMeant: number;
  readonly altered: number;
  readonly lost: number;
  /** Share altered, with Wilson's interval. */
  readonly alteredShare: number;
  readonly alteredLow: number;
  readonly alteredHigh: number;
}

export const SEPARATOR: Table<SeparatorRow> = {
  columns: [
    { key: 'model', format: 'text' },
    { key: 'separator', format: 'text' },
    { key: 'of', format: 'text' },
    { key: 'n', format: 'integer' },
    { key: 'asMeant', name: 'as_meant', format: 'integer' },
    { key: 'altered', format: 'integer' },
    { key: 'lost', format: 'integer' },
    { key: 'alteredShare', name: 'altered_share', format: { decimals: 4 } },
    { key: 'alteredLow', name: 'altered_low', format: { decimals: 4 } },
    { key: 'alteredHigh', name: 'altered_high', format: { decimals: 4 } },
  ],
  sortBy: ['model', { key: 'separator', order: SEPARATOR_RULES }, 'of'],
};

/** `specified`: properties.md. `shortest`: its shortest reading, even where another one makes it ambiguous. */
export const RECOVERY_RULES = ['specified', 'shortest', 'naive'] as const;

export interface SensitivityRow {
  readonly model: string;
  readonly rule: (typeof RECOVERY_RULES)[number];
  readonly decided: number;
  readonly ambiguous: number;
  readonly unrecoverable: number;
  readonly exact: number;
  readonly exactShare: number | null;
  readonly exactLow: number | null;
  readonly exactHigh: number | null;
  readonly short: number;
  readonly long: number;
  readonly medianAbsError: number | null;
  readonly meanError: number | null;
}

export const SENSITIVITY: Table<SensitivityRow> = {
  columns: [
    { key: 'model', format: 'text' },
    { key: 'rule', format: 'text' },
    { key: 'decided', format: 'integer' },
    { key: 'ambiguous', format: 'integer' },
    { key: 'unrecoverable', format: 'integer' },
    { key: 'exact', format: 'integer' },
    { key: 'exactShare', name: 'exact_share', format: { decimals: 4 } },
    { key: 'exactLow', name: 'exact_low', format: { decimals: 4 } },
    { key: 'exactHigh', name: 'exact_high', format: { decimals: 4 } },
    { key: 'short', format: 'integer' },
    { key: 'long', format: 'integer' },
    { key: 'medianAbsError', name: 'median_abs_error', format: { decimals: 1 } },
    { key: 'meanError', name: 'mean_error', format: { decimals: 2 } },
  ],
  sortBy: ['model', { key: 'rule', order: RECOVERY_RULES }],
};

/** What of the recordings the figures are about. */
export interface CoverageRow {
  readonly suite: string;
  readonly model: string;
  /** Recordings of the framing `ctl`. */
  readonly recordings: number;
  /** Left out: cut, or ended by a failure. */
  readonly cut: number;
  readonly complete: number;
  /** Complete ones that end in a contract error. */
  readonly withError: number;
  /** Complete ones without a length-prefixed argument. */
  readonly withoutLength: number;
  /** Complete ones without a reading. */
  readonly unreadable: number;
  readonly arguments: number;
  readonly decided: number;
  readonly ambiguous: number;
  readonly unrecoverable: number;
  /** `no`: written by hand, so they are listed and not counted in any figure. */
  readonly inFigures: 'yes' | 'no';
}

export const COVERAGE: Table<CoverageRow> = {
  columns: [
    { key: 'suite', format: 'text' },
    { key: 'model', format: 'text' },
    { key: 'recordings', format: 'integer' },
    { key: 'cut', format: 'integer' },
    { key: 'complete', format: 'integer' },
    { key: 'withError', name: 'with_error', format: 'integer' },
    { key: 'withoutLength', name: 'without_length', format: 'integer' },
    { key: 'unreadable', format: 'integer' },
    { key: 'arguments', format: 'integer' },
    { key: 'decided', format: 'integer' },
    { key: 'ambiguous', format: 'integer' },
    { key: 'unrecoverable', format: 'integer' },
    { key: 'inFigures', name: 'in_figures', format: 'text' },
  ],
  sortBy: ['suite', 'model', 'inFigures'],
};
