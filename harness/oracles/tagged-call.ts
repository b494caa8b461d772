/** What the oracles of glm and qwen-xml share: a call is a name, arguments behind each other, and a tag that closes it. */
import type { ArgumentValue } from '../parsers/parser.ts';
import { type DialectReading, type Next, stop, tokenAfterBlanks } from './dialect-reading.ts';

export interface FoundName {
  readonly is: string;
  /** The first place behind it. */
  readonly next: number;
}

export interface CallForm {
  /** What an argument begins with. */
  readonly argument: string;
  readonly closer: string;
  /** The name of the call that begins at `start`; null: the reading has stopped, as below. */
  readName(reading: DialectReading, start: number): FoundName | null;
  /** Reads the argument at `start`, adds it to `values`, and gives the first place behind it. */
  readArgument(reading: DialectReading, start: number, values: ArgumentValue[]): Next;
}

/** The call that begins at `start`. */
export function readTaggedCall(reading: DialectReading, start: number, form: CallForm): Next {
  const { calls, options, text } = reading;
  const ordinal = calls.length;
  if (ordinal === options.callsPerMessage) return stop(reading, 'limit', start);
  const name = form.readName(reading, start);
  if (name === null) return null;
  const values: ArgumentValue[] = [];
  for (let at: Next = name.next; at !== null; ) {
    const tag = tokenAfterBlanks(reading, at, [form.argument, form.closer]);
    if (tag === null) return null;
    if (tag.token === form.closer) {
      const args = { form: 'values', values } as const;
      calls.push({ ordinal, id: `call_${ordinal}`, name: name.is, args, end: text.offsetAt(tag.next - 1) });
      return tag.next;
    }
    at = form.readArgument(reading, tag.start, values);
  }
  return null;
}

/** False if the argument at `start` may not have this key, or is one too many: the reading has stopped. */
export function takesKey(
  reading: DialectReading,
  start: number,
  { key, values }: { readonly key: string; readonly values: readonly ArgumentValue[] },
): boolean {
  if (values.some((value) => value.key === key)) stop(reading, 'duplicate_key', start);
  else if (values.length === reading.options.argumentsPerCall) stop(reading, 'limit', start);
  else return true;
  return false;
}
