/** A parser that is not ours, opened for judgement: what the command line knows of it. */
import type { Oracle } from '../oracles/oracle.ts';
import type { ParserFactory } from '../parsers/parser.ts';
import type { Protocol } from '../parsers/protocols.ts';
import type { CheckScope, Reports } from '../properties/check.ts';
import type { CheckedRecording, Outcome } from '../properties/recording-check.ts';
import { type Counterexample, holds, violated } from '../properties/verdict.ts';

/** The parser cannot be put to the test at all. The message says why, and what to do. */
export class ParserUnusable extends Error {
  override readonly name = 'ParserUnusable';
}

/** Where a parser is judged: at every byte, every whole character, or every event as the provider cut it. */
export const GRANULARITIES = ['byte', 'char', 'delta'] as const;
export type Granularity = (typeof GRANULARITIES)[number];

/** What a check must hand on to `checkRecording`, to put the foreign parser in the place of our own. */
export interface ForeignParser {
  readonly parser: ParserFactory;
  /** What the oracle says, in the form in which the parser is judged. Absent: as it says it. */
  readonly ofOracle?: (oracle: Oracle) => Oracle;
  readonly reports: Reports;
  readonly scope: CheckScope;
}

export interface JudgedParser {
  /** As it calls itself, else its file or command. */
  readonly name: string;
  readonly protocol: Protocol;
  readonly reports: Reports;
  readonly granularity: Granularity;
  /**
   * Runs a check with this parser, maybe several times: `check` must do the same each time. The outcome has one property
   * more: `answers`.
   * @throws ParserUnusable if the parser failed so often that the rest need not be asked.
   */
  check<T extends CheckedRecording>(check: (foreign: ForeignParser) => T): Promise<Judged<T>>;
  /** Ends what was started. */
  close(): Promise<void>;
}

/** `judgedAt` is coarser than the parser's granularity on very long streams of a command. */
export type Judged<T> = T & { readonly judgedAt: Granularity };

/** Where a parser stopped being one. */
export interface Fault {
  readonly what: string;
  /** Content bytes that it had been fed. */
  readonly delivered: number;
}

/** The check with its verdict `answers`: `fault` is the first one, if there was any. */
export function withAnswers<T extends CheckedRecording>(
  checked: T,
  { fault, judgedAt }: { readonly fault: Fault | null; readonly judgedAt: Granularity },
): Judged<T> {
  const tried = checked.report.levels.reduce((sum, { prefixes }) => sum + prefixes, 0);
  const content = checked.report.levels.find(({ level }) => level === 'content')?.bytes ?? 0;
  const verdict = fault === null ? holds('answers', tried) : violated('answers', 1, counterexample(fault, content));
  const outcome: Outcome = { level: null, verdict, accepted: null };
  return { ...checked, outcomes: [...checked.outcomes, outcome], judgedAt };
}

function counterexample({ what, delivered }: Fault, contentBytes: number): Counterexample {
  return { level: 'content', prefix: Math.min(delivered, contentBytes), what };
}
