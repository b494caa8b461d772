/**
 * Arguments as JSON values. Some parsers write a call's arguments anew from what they have parsed (vLLM and SGLang do, for
 * most models): blanks and escapes are then theirs, and a comparison of bytes would see nothing else.
 */
import type { Oracle } from '../oracles/oracle.ts';
import type { CallArguments, ParserFactory, ToolCall } from '../parsers/parser.ts';
import { withCalls } from '../parsers/with-calls.ts';
import { mapTokens } from '../stream/raw-json.ts';

const NUMBER = /^-?\d/;
const INTEGER = /^-?\d+$/;

/**
 * One text for all texts of the same value: without blanks, strings escaped in one way, fractions as the double that
 * they name, whole numbers as they are. Order of keys, and keys that stand twice, stay.
 * @param json valid JSON
 */
export function canonicalJson(json: string): string {
  return mapTokens(json, (token) => {
    if (token.startsWith('"')) return JSON.stringify(JSON.parse(token));
    if (!NUMBER.test(token)) return token.trim();
    // A whole number is not rounded; 1.0 and 1 differ for a reader that tells integers from floats, so it stays 1.0.
    return INTEGER.test(token) ? token : fraction(Number(token));
  });
}

/** The arguments with their JSON in its one form. No arguments at all are an empty object. */
export function asJsonValues(args: CallArguments): CallArguments {
  if (args.form !== 'json') return args;
  return { ...args, text: args.text.trim() === '' ? '{}' : canonicalJson(args.text) };
}

/** The oracle, with the arguments of its calls so. */
export function oracleOfJsonValues(oracle: Oracle): Oracle {
  return (...stream) => {
    const reading = oracle(...stream);
    return { ...reading, calls: reading.calls.map((call) => ({ ...call, args: asJsonValues(call.args) })) };
  };
}

/** A parser, with the arguments of its calls so. */
export function parserOfJsonValues(factory: ParserFactory): ParserFactory {
  const known = new WeakMap<ToolCall, ToolCall>();
  const canonical = (call: ToolCall): ToolCall => {
    const made = known.get(call) ?? { ...call, args: asJsonValues(call.args) };
    known.set(call, made);
    return made;
  };
  return (options) => {
    const parser = factory(options);
    return withCalls(parser, () => parser.calls.map(canonical));
  };
}

function fraction(value: number): string {
  return Number.isInteger(value) ? `${value}.0` : String(value);
}
