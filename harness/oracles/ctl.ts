/**
 * The CTL oracle (spec: ctl.md; where it is silent: docs/decisions/0002): headers by regular expression over whole
 * lines, bodies by arithmetic and search over the whole text. Both modes are one language.
 *
 * All positions here are indices into the text, which holds one character a byte.
 */
import type { ContractErrorKind } from '../parsers/contract-error.ts';
import type { ArgumentValue, ParserOptions } from '../parsers/parser.ts';
import type { Oracle, OracleCall } from './oracle.ts';
import { afterThinking, type Departure, type Gathered, gatherText, type Readable, readable } from './readable.ts';

const CALL_LINE = /^call ([\w.:-]{1,64}) ([\w.-]{1,64})$/;
const ARG_LINE = /^arg ([\w.-]{1,64}) (.+)$/s;
const LENGTH = /^[0-9]+$/;
const HEREDOC = /^<<(?:(\w{1,32})|'(\w{1,32})'|"(\w{1,32})")$/;

/** A reading under way; `error` is set once, and then nothing more is read. */
interface Reading {
  readonly stream: Readable;
  readonly options: ParserOptions;
  readonly text: Gathered;
  readonly ids: Set<string>;
  readonly calls: OracleCall[];
  error: Departure | null;
}

/** The end of the part that was read, or null: the reading has stopped (an error, or the end of a cut stream). */
type Next = number | null;

interface Line {
  readonly start: number;
  readonly text: string;
  /** Where the next line starts; the text's length if the end of a complete stream stands for the LF. */
  readonly next: number;
}

export const readCtl: Oracle = (events, end, options) => {
  const stream = readable(events, end);
  const text = gatherText(stream);
  const reading: Reading = { stream, options, text, ids: new Set(), calls: [], error: null };
  let at: Next = afterThinking(text.latin1);
  while (at !== null) {
    const header = nextHeader(text.latin1, at);
    at = header < 0 ? null : readCall(reading, header);
  }
  return { calls: reading.calls, error: reading.error ?? stream.failure };
};

/** The first line at or after `from` (which starts a line) that begins with `call `, or -1. */
function nextHeader(text: string, from: number): number {
  if (text.startsWith('call ', from)) return from;
  const before = text.indexOf('\ncall ', from);
  return before < 0 ? -1 : before + 1;
}

function readCall(reading: Reading, header: number): Next {
  const line = lineAt(reading, header);
  if (line === null) return null;
  const [, id, name] = CALL_LINE.exec(line.text) ?? [];
  if (id === undefined || name === undefined || reading.ids.has(id)) return stop(reading, 'bad_call', header);
  if (reading.ids.size >= reading.options.callsPerMessage) return stop(reading, 'limit', header);
  const ordinal = reading.ids.size;
  reading.ids.add(id);

  const values: ArgumentValue[] = [];
  let at = line.next;
  for (;;) {
    const inner = lineAt(reading, at);
    if (inner === null) return stopAtEnd(reading, 'call_eof');
    if (inner.text === 'end') {
      const frameEnd = offsetOfLineEnd(reading, inner);
      reading.calls.push({ ordinal, id, name, args: { form: 'values', values }, end: frameEnd });
      return inner.next;
    }
    if (!inner.text.startsWith('arg ')) return stop(reading, 'unexpected_line', inner.start);
    const after = readArgument(reading, inner, values);
    if (after === null) return null;
    at = after;
  }
}

function readArgument(reading: Reading, line: Line, values: ArgumentValue[]): Next {
  const { options, text } = reading;
  const [, key, form] = ARG_LINE.exec(line.text) ?? [];
  if (key === undefined || form === undefined) return stop(reading, 'bad_arg', line.start);
  const [heredoc, ...tags] = HEREDOC.exec(form) ?? [];
  if (form.startsWith('<<') && heredoc === undefined) return stop(reading, 'bad_arg', line.start);
  if (values.some((value) => value.key === key)) return stop(reading, 'bad_arg', line.start);
  if (values.length >= options.argumentsPerCall) return stop(reading, 'limit', line.start);

  if (LENGTH.test(form)) {
    const declared = Number(form);
    if (declared > options.argumentLimit) return stop(reading, 'limit', line.start);
    const bodyEnd = line.next + declared;
    if (bodyEnd > text.latin1.length) return stopAtEnd(reading, 'body_eof');
    values.push({ key, bytes: text.bytes.subarray(line.next, bodyEnd) });
    return text.latin1[bodyEnd] === '\n' ? bodyEnd + 1 : bodyEnd;
  }
  if (heredoc === undefined) {
    values.push({ key, bytes: Buffer.from(form, 'latin1') });
    return line.next;
  }
  return readHeredoc(reading, { key, start: line.next, tag: tags.find((tag) => tag !== undefined)! }, values);
}

interface Heredoc {
  readonly key: string;
  readonly start: number;
  readonly tag: string;
}

function readHeredoc(reading: Reading, heredoc: Heredoc, values: ArgumentValue[]): Next {
  const close = findTag(reading, heredoc);
  const bodyEnd = close ?? reading.text.latin1.length;
  const bad = firstBadBodyLine(reading, heredoc.start, bodyEnd);
  if (bad !== null) return stop(reading, bad.kind, bad.start);
  if (close === null) return stopAtEnd(reading, 'heredoc_eof');
  values.push({ key: heredoc.key, bytes: reading.text.bytes.subarray(heredoc.start, close) });
  return Math.min(close + heredoc.tag.length + 1, reading.text.latin1.length);
}

/** Where the line that equals the tag starts, or null. */
function findTag({ text: { latin1 }, stream }: Reading, { start, tag }: Heredoc): number | null {
  const before = latin1.indexOf(`\n${tag}\n`, start - 1);
  if (before >= 0) return before + 1;
  const lastLine = latin1.lastIndexOf('\n') + 1;
  return stream.complete && lastLine >= start && latin1.slice(lastLine) === tag ? lastLine : null;
}

/** The first line of a heredoc body that is too long, or with which the value is. */
function firstBadBodyLine(
  { text: { latin1 }, options, stream }: Reading,
  bodyStart: number,
  bodyEnd: number,
): { readonly kind: 'line_too_long' | 'limit'; readonly start: number } | null {
  for (let start = bodyStart; start < bodyEnd; ) {
    const lf = latin1.indexOf('\n', start);
    const lineEnd = lf < 0 ? latin1.length : lf;
    if (lineEnd - start >= options.lineLimit) return { kind: 'line_too_long', start };
    const ended = lf >= 0 || stream.complete;
    if (ended && lineEnd + 1 - bodyStart > options.argumentLimit) return { kind: 'limit', start };
    start = lineEnd + 1;
  }
  return null;
}

/**
 * The line that starts at `start`, if it ends (at the end of a complete stream, what there is of it). Null: it is too
 * long, and the error is set; or it is unfinished in a cut; or there is nothing.
 */
function lineAt(reading: Reading, start: number): Line | null {
  const { latin1 } = reading.text;
  const lf = latin1.indexOf('\n', start);
  const end = lf < 0 ? latin1.length : lf;
  if (end - start >= reading.options.lineLimit) return stop(reading, 'line_too_long', start);
  if (lf < 0 && (!reading.stream.complete || start === end)) return null;
  return { start, text: latin1.slice(start, end), next: lf < 0 ? end : lf + 1 };
}

function offsetOfLineEnd({ text, stream }: Reading, { start, text: { length }, next }: Line): number {
  return next > start + length ? text.offsetAt(next - 1) : stream.contentLength;
}

function stop(reading: Reading, kind: ContractErrorKind, at: number): null {
  reading.error = { kind, offset: reading.text.offsetAt(at) };
  return null;
}

/** What is unfinished at the end of the stream is an error only in a complete one, and only if there was none before. */
function stopAtEnd(reading: Reading, kind: ContractErrorKind): null {
  if (reading.stream.complete) reading.error ??= { kind, offset: reading.stream.contentLength };
  return null;
}
