/**
 * What the oracles of the text dialects share: the whole text, one character a byte, and searching in it. All positions
 * are indices into the text.
 */
import type { ContractErrorKind } from '../parsers/contract-error.ts';
import type { ParserOptions } from '../parsers/parser.ts';
import type { StreamEnd, StreamEvent } from '../stream/event.ts';
import type { OracleCall, OracleReading } from './oracle.ts';
import {
  afterThinking,
  type Departure,
  type Gathered,
  gatherText,
  type Readable,
  readable,
  skipBlanks,
} from './readable.ts';

export interface DialectReading {
  readonly stream: Readable;
  readonly options: ParserOptions;
  readonly text: Gathered;
  readonly calls: OracleCall[];
  error: Departure | null;
}

/** Where the next part begins, or null: the reading has stopped. */
export type Next = number | null;

export interface FoundToken<Token extends string> {
  readonly token: Token;
  readonly start: number;
  readonly next: number;
}

export function startReading(events: readonly StreamEvent[], end: StreamEnd, options: ParserOptions): DialectReading {
  const stream = readable(events, end);
  return { stream, options, text: gatherText(stream), calls: [], error: null };
}

/**
 * Reads what begins at each `opener` outside of what has been read; `read` is given the place of the opener.
 * `endsThinking`: an opener ends a leading think block that is still open.
 */
export function readEach(
  reading: DialectReading,
  { opener, endsThinking = false }: { readonly opener: string; readonly endsThinking?: boolean },
  read: (start: number) => Next,
): OracleReading {
  const { latin1 } = reading.text;
  for (let at: Next = afterThinking(latin1, endsThinking ? opener : undefined); at !== null; ) {
    const start = latin1.indexOf(opener, at);
    at = start < 0 ? null : read(start);
  }
  return conclude(reading);
}

export function conclude({ calls, error, stream }: DialectReading): OracleReading {
  return { calls, error: error ?? stream.failure };
}

/** The message left the language at index `at`. */
export function stop(reading: DialectReading, kind: ContractErrorKind, at: number): null {
  reading.error = { kind, offset: reading.text.offsetAt(at) };
  return null;
}

/** The message ended inside a call: wrong if it is complete, nothing in a cut. */
export function stopAtEnd(reading: DialectReading): null {
  if (reading.stream.complete) reading.error = { kind: 'call_eof', offset: reading.stream.contentLength };
  return null;
}

/** The token after blanks; null: none of `allowed` stands there, or it is unfinished. */
export function tokenAfterBlanks<Token extends string>(
  reading: DialectReading,
  from: number,
  allowed: readonly Token[],
): FoundToken<Token> | null {
  const { latin1 } = reading.text;
  const start = skipBlanks(latin1, from);
  const token = allowed.find((candidate) => latin1.startsWith(candidate, start));
  if (token !== undefined) return { token, start, next: start + token.length };
  const rest = latin1.slice(start);
  const unfinished = allowed.some((candidate) => candidate.startsWith(rest));
  return unfinished ? stopAtEnd(reading) : stop(reading, 'xml_unexpected_text', start);
}

/**
 * The first of `tokens` at or after `from`; without one, `token` is null and `start` the least index from which the rest of
 * the text is a beginning of one.
 */
export function firstToken<Token extends string>(
  text: string,
  from: number,
  tokens: readonly Token[],
): { readonly token: Token | null; readonly start: number } {
  const found = tokens
    .map((token) => ({ token, start: text.indexOf(token, from) }))
    .filter(({ start }) => start >= 0)
    .sort((a, b) => a.start - b.start);
  if (found[0] !== undefined) return found[0];
  const longest = Math.max(...tokens.map((token) => token.length));
  for (let at = Math.max(from, text.length - longest + 1); at < text.length; at++) {
    const rest = text.slice(at);
    if (tokens.some((token) => token.startsWith(rest))) return { token: null, start: at };
  }
  return { token: null, start: text.length };
}

export function utf8(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('utf8');
}

/** The text of these bytes, or null if they are no UTF-8. */
export function strictUtf8(latin1: string): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(latin1, 'latin1'));
  } catch {
    return null;
  }
}

/** The name of a tool that `source` (one character a byte) is, or null. */
export function nameIn(source: string): string | null {
  const isWrong = [...source].some((character) => character <= ' ' || '<>{}"\\\x7f'.includes(character));
  return source === '' || isWrong ? null : strictUtf8(source);
}
