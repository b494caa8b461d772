/**
 * Calls that a native stream without any tool delta holds in its text (spec: streams.md "The two JSON protocols";
 * where it is silent: docs/decisions/0002 "Calls in text").
 */
import { closingOf, hasRepeatedKey, isObject, memberSource, parseObject } from './json-source.ts';
import type { OracleCall, OracleReading } from './oracle.ts';
import { afterThinking, type Departure, type Gathered, gatherText, type Readable, skipBlanks } from './readable.ts';

/** An element of the message: a call; or why it is none, and where that shows. */
type Element =
  | { readonly is: 'call'; readonly last: number; readonly name: string; readonly source: string }
  | { readonly is: 'repeating' | 'other'; readonly last: number }
  | { readonly is: 'open' };

interface Reading {
  readonly stream: Readable;
  readonly text: Gathered;
  readonly calls: OracleCall[];
}

/** Every element that is a call and precedes the error, in order. */
export function readTextCalls(stream: Readable): OracleReading {
  const text = gatherText(stream);
  const reading: Reading = { stream, text, calls: [] };
  const start = skipBlanks(text.latin1, afterThinking(text.latin1));
  const array = text.latin1[start] === '[';
  const first = array ? skipBlanks(text.latin1, start + 1) : start;
  const element = elementAt(text.latin1, first);
  // Only with its first element does a message become one of calls: else it is text, and cannot be wrong.
  if (element.is === 'open' || element.is === 'other') return { calls: [], error: null };
  const error = array ? readArray(reading, first) : readSingle(reading, first);
  return { calls: reading.calls, error };
}

function readSingle(reading: Reading, at: number): Departure | null {
  const next = readElement(reading, at);
  return typeof next === 'number' ? expectEnd(reading, next) : next;
}

function readArray(reading: Reading, first: number): Departure | null {
  const { latin1 } = reading.text;
  for (let at = first; ; ) {
    const next = readElement(reading, at);
    if (typeof next !== 'number') return next;
    const separator = skipBlanks(latin1, next);
    if (separator === latin1.length) return atEnd(reading);
    if (latin1[separator] === ']') return expectEnd(reading, separator + 1);
    if (latin1[separator] !== ',') return { kind: 'args_not_object', offset: reading.text.offsetAt(separator) };
    at = skipBlanks(latin1, separator + 1);
  }
}

/** Takes the call at `at`. Where it ends, or the error that it is, or null: it is unfinished in a cut. */
function readElement({ stream, text, calls }: Reading, at: number): number | Departure | null {
  const element = elementAt(text.latin1, at);
  if (element.is === 'open') return atEnd({ stream });
  const end = text.offsetAt(element.last);
  if (element.is !== 'call') return { kind: element.is === 'other' ? 'args_not_object' : 'duplicate_key', offset: end };
  const ordinal = calls.length;
  const args = {
    form: 'json',
    text: Buffer.from(element.source, 'latin1').toString('utf8'),
    object: parseObject(element.source)!,
  } as const;
  calls.push({ ordinal, id: `call_${ordinal}`, name: element.name, args, end });
  return element.last + 1;
}

function elementAt(text: string, at: number): Element {
  if (at === text.length) return { is: 'open' };
  if (text[at] !== '{') return { is: 'other', last: at };
  const closing = closingOf(text, at);
  if (closing.how === 'open') return { is: 'open' };
  const last = closing.at;
  if (closing.how === 'mismatched') return { is: 'other', last };
  const source = text.slice(at, last + 1);
  const object = parseObject(source);
  if (object === null || Object.keys(object).sort().join() !== 'arguments,name') return { is: 'other', last };
  const { name, arguments: args } = object;
  if (typeof name !== 'string' || name === '' || /\p{Surrogate}/u.test(name) || !isObject(args))
    return { is: 'other', last };
  if (hasRepeatedKey(source)) return { is: 'repeating', last };
  return { is: 'call', last, name, source: memberSource(source, 'arguments')! };
}

function expectEnd({ text }: Reading, from: number): Departure | null {
  const at = skipBlanks(text.latin1, from);
  return at === text.latin1.length ? null : { kind: 'args_not_object', offset: text.offsetAt(at) };
}

/** What is open at the end of a complete stream is an error; in a cut it is none. */
function atEnd({ stream }: Pick<Reading, 'stream'>): Departure | null {
  return stream.complete ? { kind: 'args_not_object', offset: stream.contentLength } : null;
}
