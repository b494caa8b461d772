/** The glm oracle (docs/dialects.md): tags by search over the whole text, values by the first token that ends one. */
import type { ArgumentValue } from '../parsers/parser.ts';
import {
  type DialectReading,
  firstToken,
  type Next,
  nameIn,
  readEach,
  startReading,
  stop,
  stopAtEnd,
  strictUtf8,
  tokenAfterBlanks,
} from './dialect-reading.ts';
import type { Oracle } from './oracle.ts';
import { type CallForm, type FoundName, readTaggedCall, takesKey } from './tagged-call.ts';

const OPENER = '<tool_call>';
const CLOSER = '</tool_call>';
const KEY = '<arg_key>';
const KEY_END = '</arg_key>';
const VALUE = '<arg_value>';
const VALUE_END = '</arg_value>';

const FORM: CallForm = { argument: KEY, closer: CLOSER, readName, readArgument };

export const readGlm: Oracle = (events, end, options) => {
  const reading = startReading(events, end, options);
  return readEach(reading, { opener: OPENER }, (start) => readTaggedCall(reading, start, FORM));
};

const NAME = /([^ \t\r\n<>]*)(?:[ \t\r\n]|<arg_key>|<\/tool_call>)?/y;

function readName(reading: DialectReading, start: number): FoundName | null {
  const { latin1 } = reading.text;
  const from = start + OPENER.length;
  NAME.lastIndex = from;
  const [whole = '', name = ''] = NAME.exec(latin1) ?? [];
  const rest = latin1.slice(from + name.length);
  if (whole === name && [KEY, CLOSER].some((token) => token.startsWith(rest))) return stopAtEnd(reading);
  const is = whole === name ? null : nameIn(name);
  return is === null ? stop(reading, 'bad_call', start) : { is, next: from + name.length };
}

const IN_KEY = /[^<>\n]*/y;

function readArgument(reading: DialectReading, start: number, values: ArgumentValue[]): Next {
  const { text, options } = reading;
  IN_KEY.lastIndex = start + KEY.length;
  const inKey = IN_KEY.exec(text.latin1)?.[0] ?? '';
  const keyEnd = start + KEY.length + inKey.length;
  if (!text.latin1.startsWith(KEY_END, keyEnd)) {
    const unfinished = KEY_END.startsWith(text.latin1.slice(keyEnd));
    return unfinished ? stopAtEnd(reading) : stop(reading, 'bad_call', start);
  }
  const key = strictUtf8(inKey);
  if (key === null || key === '') return stop(reading, 'bad_call', start);
  if (!takesKey(reading, start, { key, values })) return null;
  const opener = tokenAfterBlanks(reading, keyEnd + KEY_END.length, [VALUE]);
  if (opener === null) return null;
  const end = firstToken(text.latin1, opener.next, [VALUE_END, KEY, VALUE, CLOSER]);
  if (end.start - opener.next > options.argumentLimit) return stop(reading, 'limit', start);
  if (end.token === null) return stopAtEnd(reading);
  if (end.token !== VALUE_END) return stop(reading, 'xml_unexpected_text', end.start);
  values.push({ key, bytes: text.bytes.subarray(opener.next, end.start) });
  return end.start + VALUE_END.length;
}
