/**
 * The oracle of a framing: a second implementation that reads the whole stream at once, by other means than the
 * parsers, and shares no parsing code with them (properties.md "The oracle is a second implementation").
 */
import type { ContractErrorKind } from '../parsers/contract-error.ts';
import type { CallArguments, ParserOptions } from '../parsers/parser.ts';
import type { StreamEnd, StreamEvent } from '../stream/event.ts';

export interface OracleCall {
  /** Position among the calls opened in the message, from 0. */
  readonly ordinal: number;
  readonly id: string;
  readonly name: string;
  readonly args: CallArguments;
  /**
   * Content offset of the last byte of its frame: the LF of `end`, the `>` of `</invoke>`, the `}` of the arguments;
   * the content length where the end of the stream stands for that byte (a last `end` without LF, no arguments).
   */
  readonly end: number;
}

export interface OracleReading {
  /** The calls of the message that may run, in order of `ordinal`. */
  readonly calls: readonly OracleCall[];
  /** The first contract error, as a parser must report it. */
  readonly error: { readonly kind: ContractErrorKind; readonly offset: number } | null;
}

export type Oracle = (events: readonly StreamEvent[], end: StreamEnd, options: ParserOptions) => OracleReading;
