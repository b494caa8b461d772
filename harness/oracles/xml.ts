/**
 * The xml oracle (spec: xml.md; where it is silent: docs/decisions/0002): tags by sticky regular expressions over the
 * whole text, values by search. All positions are indices into the text, which holds one character a byte.
 */
import type { ContractErrorKind } from '../parsers/contract-error.ts';
import type { ArgumentValue, ParserOptions } from '../parsers/parser.ts';
import type { Oracle, OracleCall } from './oracle.ts';
import {
  afterThinking,
  type Departure,
  type Gathered,
  gatherText,
  type Readable,
  readable,
  skipBlanks,
} from './readable.ts';

/** How a tag looks when it is whole, and what of it may stand at the end of an unfinished text. */
interface Tag {
  readonly whole: RegExp;
  readonly begun: RegExp;
}

const BLOCK_START = fixedTag('<minimax:tool_call>');
const BLOCK_END = fixedTag('</minimax:tool_call>');
const INVOKE_START = namedTag('<invoke name="');
const INVOKE_END = fixedTag('</invoke>');
const PARAMETER_START = namedTag('<parameter name="');
const VALUE_END = '</parameter>';

interface Reading {
  readonly stream: Readable;
  readonly options: ParserOptions;
  readonly text: Gathered;
  readonly calls: OracleCall[];
  /** Invokes opened so far. */
  invokes: number;
  error: Departure | null;
}

/** Where the part that was read ends, or null: the reading has stopped. */
type Next = number | null;

interface FoundTag {
  readonly tag: Tag;
  readonly start: number;
  readonly next: number;
  /** Bytes between the quotes as latin1; empty for a tag without a name. */
  readonly name: string;
}

export const readXml: Oracle = (events, end, options) => {
  const stream = readable(events, end);
  const text = gatherText(stream);
  const reading: Reading = { stream, options, text, calls: [], invokes: 0, error: null };
  let block: Next = firstBlock(text.latin1);
  while (block !== null) {
    const blockEnd = readBlock(reading, block);
    block = blockEnd === null ? null : readAfterBlock(reading, blockEnd);
  }
  const runs = stream.complete && reading.error === null;
  return { calls: runs ? reading.calls : [], error: reading.error ?? stream.failure };
};

/** Where the first opener at the start of a line ends, or null. */
function firstBlock(text: string): Next {
  const opener = '<minimax:tool_call>';
  const start = afterThinking(text);
  if (text.startsWith(opener, start)) return start + opener.length;
  const before = text.indexOf(`\n${opener}`, start);
  return before < 0 ? null : before + 1 + opener.length;
}

function readBlock(reading: Reading, from: number): Next {
  let at = from;
  for (let count = 0; ; count++) {
    // A block has at least one invoke: before it, the end tag fits nowhere.
    const tag = tagAt(reading, at, count === 0 ? [INVOKE_START] : [INVOKE_START, BLOCK_END]);
    if (tag === null) return null;
    if (tag.tag === BLOCK_END) return tag.next;
    const next = readInvoke(reading, tag);
    if (next === null) return null;
    at = next;
  }
}

function readInvoke(reading: Reading, opener: FoundTag): Next {
  if (reading.invokes >= reading.options.callsPerMessage) return stop(reading, 'limit', opener.start);
  const ordinal = reading.invokes++;
  const values: ArgumentValue[] = [];
  let at = opener.next;
  for (;;) {
    const tag = tagAt(reading, at, [PARAMETER_START, INVOKE_END]);
    if (tag === null) return null;
    if (tag.tag === INVOKE_END) {
      reading.calls.push({
        ordinal,
        id: `call_${ordinal}`,
        name: utf8(opener.name),
        args: { form: 'values', values },
        end: reading.text.offsetAt(tag.next - 1),
      });
      return tag.next;
    }
    const next = readParameter(reading, tag, values);
    if (next === null) return null;
    at = next;
  }
}

function readParameter(reading: Reading, opener: FoundTag, values: ArgumentValue[]): Next {
  const { text, options } = reading;
  const key = utf8(opener.name);
  if (values.some((value) => value.key === key)) return stop(reading, 'duplicate_key', opener.start);
  if (values.length >= options.argumentsPerCall) return stop(reading, 'limit', opener.start);
  const close = text.latin1.indexOf(VALUE_END, opener.next);
  // The earliest place where the value may end: where it does, or where its end may have begun to arrive.
  const earliestEnd = close < 0 ? pendingEnd(text.latin1, opener.next) : close;
  if (earliestEnd - opener.next > options.argumentLimit) return stop(reading, 'limit', opener.start);
  if (close < 0) return stopUnclosed(reading);
  values.push({ key, bytes: text.bytes.subarray(opener.next, close) });
  return close + VALUE_END.length;
}

/** The least index at or after `start` from which the rest of the text is a beginning of `</parameter>`. */
function pendingEnd(text: string, start: number): number {
  for (let at = Math.max(start, text.length - VALUE_END.length + 1); at < text.length; at++) {
    if (VALUE_END.startsWith(text.slice(at))) return at;
  }
  return text.length;
}

/** After a block: where the content of the next one starts, or null: there is none. */
function readAfterBlock(reading: Reading, from: number): Next {
  const { latin1 } = reading.text;
  const at = skipBlanks(latin1, from);
  const tag = matchTag(latin1, at, [BLOCK_START]);
  if (at === latin1.length || (tag === 'unfinished' && !reading.stream.complete)) return null;
  if (tag === 'unfinished' || tag === 'none') return stop(reading, 'xml_after_block', at);
  return tag.next;
}

/** The tag after blanks inside a block; null: none of `allowed` stands there, or it is unfinished. */
function tagAt(reading: Reading, from: number, allowed: readonly Tag[]): FoundTag | null {
  const at = skipBlanks(reading.text.latin1, from);
  const tag = matchTag(reading.text.latin1, at, allowed);
  if (tag === 'none') return stop(reading, 'xml_unexpected_text', at);
  return tag === 'unfinished' ? stopUnclosed(reading) : tag;
}

function matchTag(text: string, at: number, allowed: readonly Tag[]): FoundTag | 'unfinished' | 'none' {
  for (const tag of allowed) {
    tag.whole.lastIndex = at;
    const match = tag.whole.exec(text);
    if (match !== null) return { tag, start: at, next: at + match[0].length, name: match[1] ?? '' };
  }
  const rest = text.slice(at);
  return allowed.some((tag) => tag.begun.test(rest)) ? 'unfinished' : 'none';
}

function fixedTag(tag: string): Tag {
  return { whole: new RegExp(tag, 'y'), begun: new RegExp(`^${optionalTail(tag)}$`) };
}

/** `head` ends with the opening quote. */
function namedTag(head: string): Tag {
  return {
    whole: new RegExp(`${head}([^">\\n]+)">`, 'y'),
    begun: new RegExp(`^(?:${optionalTail(head)}|${head}[^">\\n]+"?)$`),
  };
}

/** A pattern for every beginning of `literal`, itself and the empty one included: `(?:a(?:b(?:c)?)?)?`. */
function optionalTail(literal: string): string {
  return [...literal].reduceRight((tail, char) => `(?:${char}${tail})?`, '');
}

function utf8(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('utf8');
}

function stop(reading: Reading, kind: ContractErrorKind, at: number): null {
  reading.error = { kind, offset: reading.text.offsetAt(at) };
  return null;
}

function stopUnclosed(reading: Reading): null {
  if (reading.stream.complete) reading.error = { kind: 'xml_unclosed', offset: reading.stream.contentLength };
  return null;
}
