/**
 * The harmony oracle (the grammar and its sources: parsers/harmony.ts): the text is split at its special tokens into
 * pieces, and messages are read off the list. Positions are indices into the text, which holds one character a byte.
 */
import { argumentObject } from './argument-object.ts';
import {
  conclude,
  type DialectReading,
  type Next,
  nameIn,
  startReading,
  stop,
  stopAtEnd,
  strictUtf8,
} from './dialect-reading.ts';
import type { Oracle, OracleCall } from './oracle.ts';
import { afterThinking } from './readable.ts';

const TOKEN = /<\|(start|channel|constrain|message|end|call|return)\|>/g;
const CLOSERS = ['end', 'call', 'return'];
const CHANNEL = '<|channel|>';
/** Stands for `<|constrain|>`: no character of a text that holds one a byte. */
const CONSTRAIN = '\u2192';

interface Token {
  readonly kind: string;
  readonly start: number;
  readonly next: number;
}

interface Reading extends DialectReading {
  readonly tokens: readonly Token[];
}

interface Header {
  readonly recipient: string | null;
  /** The function that is called, or null. */
  readonly call: string | null;
}

export const readHarmony: Oracle = (events, end, options) => {
  const started = startReading(events, end, options);
  const { latin1 } = started.text;
  const from = afterThinking(latin1);
  const tokens = [...latin1.matchAll(TOKEN)]
    .map(({ 0: { length }, 1: kind = '', index }): Token => ({ kind, start: index, next: index + length }))
    .filter(({ start }) => start >= from);
  const reading: Reading = { ...started, tokens };
  let at: Next = 0;
  if (isMessage(latin1, from)) at = readMessage(reading, { at: 0, from, role: '' });
  while (at !== null && at < tokens.length) {
    const { kind, start, next }: Token = tokens[at]!;
    at =
      kind === 'start'
        ? readMessage(reading, { at: at + 1, from: next, role: 'assistant' })
        : unexpected(reading, start);
  }
  return conclude(reading);
};

/** Whether the text is the rest of a message whose role the prompt has given. */
function isMessage(text: string, from: number): boolean {
  // Blanks before a think block are text.
  const isFirst = from === 0 || /^<think>/.test(text);
  return isFirst && (text.startsWith(CHANNEL, from) || text.startsWith(' to=', from));
}

/** The message whose header begins at `from` and whose first token is at `at`; the place of the token behind it. */
function readMessage(reading: Reading, { at, from, role }: { at: number; from: number; role: string }): Next {
  const { tokens, text } = reading;
  const opener = tokens.findIndex(({ kind }, i) => i >= at && kind !== 'channel' && kind !== 'constrain');
  if (opener < 0) return stopAtEnd(reading);
  const { kind, start, next } = tokens[opener]!;
  if (kind !== 'message') return unexpected(reading, start);
  const header = readHeader(text.latin1.slice(from, start), role);
  if (header === null) return stop(reading, 'bad_call', start);
  if (header.call !== null && reading.calls.length >= reading.options.callsPerMessage)
    return stop(reading, 'limit', start);
  const closer = tokens.findIndex(({ kind }, i) => i > opener && CLOSERS.includes(kind));
  if (closer < 0) return header.call === null ? tokens.length : readLastCall(reading, header.call, next);
  const closing = tokens[closer]!;
  if ((header.recipient !== null) !== (closing.kind === 'call')) return unexpected(reading, closing.start);
  if (header.call === null) return closer + 1;
  const args = argumentObject(text.latin1.slice(next, closing.start));
  if (typeof args === 'string') return stop(reading, args, closing.start);
  add(reading, { name: header.call, args, end: text.offsetAt(closing.next - 1) });
  return closer + 1;
}

/** A call that nothing closes but the end of a complete stream. */
function readLastCall(reading: Reading, name: string, from: number): Next {
  const { stream, text, tokens } = reading;
  if (!stream.complete) return null;
  const args = argumentObject(text.latin1.slice(from));
  if (args === 'duplicate_key') {
    reading.error = { kind: args, offset: stream.contentLength };
    return null;
  }
  if (typeof args === 'string') return stopAtEnd(reading);
  add(reading, { name, args, end: stream.contentLength });
  return tokens.length;
}

function add({ calls }: Reading, call: Pick<OracleCall, 'name' | 'args' | 'end'>): void {
  const ordinal = calls.length;
  calls.push({ ordinal, id: `call_${ordinal}`, ...call });
}

/** Splits the header into what stands before the channel, the channel, and the words behind it. */
function readHeader(source: string, role: string): Header | null {
  if (!source.startsWith(role) || strictUtf8(source) === null) return null;
  const [early = '', ...sections] = source.slice(role.length).split(CHANNEL);
  const [section] = sections;
  if (section === undefined || sections.length > 1 || /[\t\r\n]/.test(source)) return null;
  const [channel = '', ...words] = section.replace('<|constrain|>', ` ${CONSTRAIN}`).split(/ +/);
  if (!['analysis', 'commentary', 'final'].includes(channel)) return null;
  if (words.at(-1) === '') words.pop();
  const recipients = early === '' ? [] : [earlyRecipient(early)];
  if (words[0]?.startsWith('to=')) recipients.push(recipient(words.shift()!));
  const type = words.shift()?.replace(CONSTRAIN, '');
  if (words.length > 0 || recipients.length > 1 || recipients.includes(null) || !isType(type)) return null;
  const [to = null] = recipients;
  if (to === null || isBuiltIn(to)) return { recipient: to, call: null };
  if (!to.startsWith('functions.')) return null;
  const call = nameIn(to.slice('functions.'.length));
  return call === null || (type ?? 'json') !== 'json' ? null : { recipient: to, call };
}

function earlyRecipient(early: string): string | null {
  const words = early.split(/ +/);
  return words.length === 2 && words[0] === '' ? recipient(words[1]!) : null;
}

function recipient(word: string): string | null {
  return /^to=[^<>]+$/.test(word) ? word.slice('to='.length) : null;
}

function isBuiltIn(to: string): boolean {
  const [namespace = '', name] = to.split(/\.(.*)/s);
  return to === 'python' || (['browser', 'container'].includes(namespace) && name !== '');
}

function isType(type: string | undefined): boolean {
  return type === undefined || (/^[^<>]+$/.test(type) && !type.startsWith('to='));
}

function unexpected(reading: Reading, at: number): null {
  return stop(reading, 'xml_unexpected_text', at);
}
