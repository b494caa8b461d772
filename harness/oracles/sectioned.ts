/**
 * What the oracles of DeepSeek and Kimi share: special tokens found by search over the whole text, headers by the form,
 * arguments by `JSON.parse`.
 */
import type { ParserOptions } from '../parsers/parser.ts';
import type { StreamEnd, StreamEvent } from '../stream/event.ts';
import { argumentObject } from './argument-object.ts';
import {
  type DialectReading,
  type FoundToken,
  firstToken,
  type Next,
  readEach,
  startReading,
  stop,
  stopAtEnd,
  tokenAfterBlanks,
} from './dialect-reading.ts';
import type { OracleReading } from './oracle.ts';

/** Where the header of a call stands in the text (indices), and where the call ends: the length of an open one. */
export interface HeaderPlace {
  readonly start: number;
  readonly separator: number;
  readonly argumentsFrom: number;
  readonly callEnd: number;
}

/** What a header says, and where the arguments are; or where it is wrong. */
export type Header =
  | { readonly id?: string; readonly name: string; readonly argumentsFrom: number; readonly closing?: RegExp }
  | { readonly wrongAt: number };

export interface Form {
  /** Special tokens, one character a byte. */
  readonly tokens: Readonly<Record<'section' | 'endSection' | 'call' | 'endCall' | 'separator', string>>;
  /** The opener of a section ends a leading think block. */
  readonly endsThinking?: true;
  header(text: string, place: HeaderPlace): Header;
}

interface Stream {
  readonly events: readonly StreamEvent[];
  readonly end: StreamEnd;
  readonly options: ParserOptions;
}

export function readSectioned(form: Form, { events, end, options }: Stream): OracleReading {
  const { section } = form.tokens;
  const reading = startReading(events, end, options);
  return readEach(reading, { opener: section, endsThinking: form.endsThinking ?? false }, (start) =>
    readSection(reading, form, start + section.length),
  );
}

function readSection(reading: DialectReading, form: Form, from: number): Next {
  const { call, endSection } = form.tokens;
  let at = from;
  for (let count = 0; ; count++) {
    const found = tokenAfterBlanks(reading, at, [call, endSection]);
    if (found === null) return null;
    if (found.token === endSection) {
      return count === 0 ? stop(reading, 'xml_unexpected_text', found.start) : found.next;
    }
    const next = readCall(reading, form, found);
    if (next === null) return null;
    at = next;
  }
}

function readCall(reading: DialectReading, { tokens, header }: Form, opener: FoundToken<string>): Next {
  const { text, calls, options } = reading;
  const ordinal = calls.length;
  if (ordinal === options.callsPerMessage) return stop(reading, 'limit', opener.start);
  const { token, start: separator } = firstToken(text.latin1, opener.next, Object.values(tokens));
  if (token === null) return stopAtEnd(reading);
  if (token !== tokens.separator) return stop(reading, 'bad_call', separator);
  const argumentsFrom = separator + token.length;
  const closer = text.latin1.indexOf(tokens.endCall, argumentsFrom);
  const callEnd = closer < 0 ? text.latin1.length : closer;
  const read = header(text.latin1, { start: opener.next, separator, argumentsFrom, callEnd });
  if ('wrongAt' in read) return stop(reading, 'bad_call', read.wrongAt);
  if (closer < 0) return stopAtEnd(reading);
  const { id = `call_${ordinal}`, name, closing = /$/ } = read;
  const body = text.latin1.slice(read.argumentsFrom, callEnd);
  const closed = closing.exec(body);
  const args = closed === null ? 'args_not_object' : argumentObject(body.slice(0, closed.index));
  if (typeof args === 'string') return stop(reading, args, callEnd);
  const next = callEnd + tokens.endCall.length;
  calls.push({ ordinal, id, name, args, end: text.offsetAt(next - 1) });
  return next;
}
