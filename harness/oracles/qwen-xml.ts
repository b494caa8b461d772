/** The qwen-xml oracle (docs/dialects.md): tags by search over the whole text, values by the first token that ends one. */
import type { ArgumentValue } from '../parsers/parser.ts';
import {
  conclude,
  type DialectReading,
  firstToken,
  type Next,
  startReading,
  stop,
  stopAtEnd,
  tokenAfterBlanks,
  utf8,
} from './dialect-reading.ts';
import type { Oracle } from './oracle.ts';
import { afterThinking } from './readable.ts';

const OPENER = '<tool_call>';
const CLOSER = '</tool_call>';
const FUNCTION = '<function=';
const FUNCTION_END = '</function>';
const PARAMETER = '<parameter=';
const PARAMETER_END = '</parameter>';

export const readQwenXml: Oracle = (events, end, options) => {
  const reading = startReading(events, end, options);
  let at: Next = afterThinking(reading.text.latin1);
  while (at !== null) {
    const opener = reading.text.latin1.indexOf(OPENER, at);
    at = opener < 0 ? null : readBlock(reading, opener + OPENER.length);
  }
  return conclude(reading);
};

function readBlock(reading: DialectReading, from: number): Next {
  let allowed: readonly string[] = [FUNCTION];
  for (let at: Next = from; at !== null; ) {
    const tag = tokenAfterBlanks(reading, at, allowed);
    if (tag === null) return null;
    if (tag.token === CLOSER) return tag.next;
    at = readFunction(reading, tag.start);
    allowed = [FUNCTION, CLOSER];
  }
  return null;
}

function readFunction(reading: DialectReading, start: number): Next {
  const { calls, options, text } = reading;
  const ordinal = calls.length;
  if (ordinal === options.callsPerMessage) return stop(reading, 'limit', start);
  const name = readName(reading, start, FUNCTION);
  if (name === null) return null;
  const values: ArgumentValue[] = [];
  for (let at: Next = name.next; at !== null; ) {
    const tag = tokenAfterBlanks(reading, at, [PARAMETER, FUNCTION_END]);
    if (tag === null) return null;
    if (tag.token === FUNCTION_END) {
      const args = { form: 'values', values } as const;
      calls.push({ ordinal, id: `call_${ordinal}`, name: name.is, args, end: text.offsetAt(tag.next - 1) });
      return tag.next;
    }
    at = readParameter(reading, tag.start, values);
  }
  return null;
}

const NAME = /[^<>\n]*/y;

function readName(reading: DialectReading, start: number, head: string): { is: string; next: number } | null {
  const { latin1 } = reading.text;
  NAME.lastIndex = start + head.length;
  const name = NAME.exec(latin1)?.[0] ?? '';
  const end = start + head.length + name.length;
  if (end === latin1.length) return stopAtEnd(reading);
  if (name === '' || latin1[end] !== '>') return stop(reading, 'bad_call', start);
  return { is: utf8(name), next: end + 1 };
}

function readParameter(reading: DialectReading, start: number, values: ArgumentValue[]): Next {
  const { text, options } = reading;
  const key = readName(reading, start, PARAMETER);
  if (key === null) return null;
  if (values.some((value) => value.key === key.is)) return stop(reading, 'duplicate_key', start);
  if (values.length === options.argumentsPerCall) return stop(reading, 'limit', start);
  const end = firstToken(text.latin1, key.next, [PARAMETER_END, PARAMETER, FUNCTION_END, CLOSER]);
  const value = Buffer.from(text.latin1.slice(key.next, end.start).replace(/^\n/, '').replace(/\n$/, ''), 'latin1');
  if (value.length > options.argumentLimit) return stop(reading, 'limit', start);
  if (end.token === null) return stopAtEnd(reading);
  if (end.token !== PARAMETER_END) return stop(reading, 'xml_unexpected_text', end.start);
  values.push({ key: key.is, bytes: value });
  return end.start + PARAMETER_END.length;
}
