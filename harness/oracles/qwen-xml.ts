/** The qwen-xml oracle (docs/dialects.md): tags by search over the whole text, values by the first token that ends one. */
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
const FUNCTION = '<function=';
const FUNCTION_END = '</function>';
const PARAMETER = '<parameter=';
const PARAMETER_END = '</parameter>';

const FORM: CallForm = {
  argument: PARAMETER,
  closer: FUNCTION_END,
  readName: (reading, start) => readName(reading, start, { head: FUNCTION, decode: nameIn }),
  readArgument: readParameter,
};

export const readQwenXml: Oracle = (events, end, options) => {
  const reading = startReading(events, end, options);
  return readEach(reading, { opener: OPENER }, (start) => readBlock(reading, start + OPENER.length));
};

function readBlock(reading: DialectReading, from: number): Next {
  let allowed: readonly string[] = [FUNCTION];
  for (let at: Next = from; at !== null; ) {
    const tag = tokenAfterBlanks(reading, at, allowed);
    if (tag === null) return null;
    if (tag.token === CLOSER) return tag.next;
    at = readTaggedCall(reading, tag.start, FORM);
    allowed = [FUNCTION, CLOSER];
  }
  return null;
}

const NAME = /[^<>\n]*/y;

/** Between a tag and its `>`: the name of a function, or a key. */
interface NameForm {
  readonly head: string;
  /** The bytes of the name, one character each, as text; null if they are none. */
  readonly decode: (latin1: string) => string | null;
}

function readName(reading: DialectReading, start: number, { head, decode }: NameForm): FoundName | null {
  const { latin1 } = reading.text;
  NAME.lastIndex = start + head.length;
  const name = NAME.exec(latin1)?.[0] ?? '';
  const end = start + head.length + name.length;
  if (end === latin1.length) return stopAtEnd(reading);
  const is = latin1[end] === '>' ? decode(name) : null;
  return is === null || is === '' ? stop(reading, 'bad_call', start) : { is, next: end + 1 };
}

function readParameter(reading: DialectReading, start: number, values: ArgumentValue[]): Next {
  const { text, options } = reading;
  const key = readName(reading, start, { head: PARAMETER, decode: strictUtf8 });
  if (key === null) return null;
  if (!takesKey(reading, start, { key: key.is, values })) return null;
  const end = firstToken(text.latin1, key.next, [PARAMETER_END, PARAMETER, FUNCTION_END]);
  const value = Buffer.from(text.latin1.slice(key.next, end.start).replace(/^\n/, '').replace(/\n$/, ''), 'latin1');
  if (value.length > options.argumentLimit) return stop(reading, 'limit', start);
  if (end.token === null) return stopAtEnd(reading);
  if (end.token !== PARAMETER_END) return stop(reading, 'xml_unexpected_text', end.start);
  values.push({ key: key.is, bytes: value });
  return end.start + PARAMETER_END.length;
}
