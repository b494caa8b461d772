/**
 * The hermes oracle (docs/dialects.md): tags by search over the whole text, bodies by `JSON.parse`, the source of the
 * arguments by tokens.
 */
import type { ContractErrorKind } from '../parsers/contract-error.ts';
import { type DialectReading, type Next, readEach, startReading, stop, stopAtEnd } from './dialect-reading.ts';
import { closingOf, hasRepeatedKey, isObject, parseObject } from './json-source.ts';
import type { Oracle } from './oracle.ts';
import { skipBlanks } from './readable.ts';

const OPENER = '<tool_call>';
const CLOSER = '</tool_call>';

export const readHermes: Oracle = (events, end, options) => {
  const reading = startReading(events, end, options);
  return readEach(reading, { opener: OPENER }, (start) => readCall(reading, start));
};

function readCall(reading: DialectReading, opener: number): Next {
  const { text, calls, options } = reading;
  const ordinal = calls.length;
  if (ordinal === options.callsPerMessage) return stop(reading, 'limit', opener);
  const close = text.latin1.indexOf(CLOSER, opener + OPENER.length);
  if (close < 0) return stopAtEnd(reading);
  const body = readBody(text.latin1.slice(opener + OPENER.length, close));
  if (typeof body === 'string') return stop(reading, body, close);
  const next = close + CLOSER.length;
  calls.push({ ordinal, id: `call_${ordinal}`, ...body, end: text.offsetAt(next - 1) });
  return next;
}

/** Name and arguments, or the kind of error that the body is. */
function readBody(body: string) {
  const object = parseObject(body);
  if (object === null) return 'args_not_object' satisfies ContractErrorKind;
  if (hasRepeatedKey(body)) return 'duplicate_key' satisfies ContractErrorKind;
  const { name, arguments: args } = object;
  const isName = typeof name === 'string' && name !== '' && !/\p{Surrogate}/u.test(name);
  if (!isName || !isObject(args)) return 'args_not_object' satisfies ContractErrorKind;
  const text = Buffer.from(argumentsSource(body), 'latin1').toString('utf8');
  return { name, args: { form: 'json', text, object: args } } as const;
}

const STRING_OR_BRACKET = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]]/gs;

/** The source of the member `arguments`, which is there and an object. */
function argumentsSource(body: string): string {
  let depth = 0;
  for (const { 0: token, index } of body.matchAll(STRING_OR_BRACKET)) {
    if (token === '{' || token === '[') depth++;
    else if (token === '}' || token === ']') depth--;
    else if (depth === 1 && body[skipBlanks(body, index + token.length)] === ':' && JSON.parse(token) === 'arguments') {
      const start = body.indexOf('{', index + token.length);
      const closing = closingOf(body, start);
      return closing.how === 'closed' ? body.slice(start, closing.at + 1) : '';
    }
  }
  return '';
}
