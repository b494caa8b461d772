/** `cst parse`: one source through one parser, in one pass. */

import { argumentMembers } from '../parsers/call.ts';
import type { ContractError } from '../parsers/contract-error.ts';
import type { ArgumentValue, ToolCall, ToolCallParser, UnfinishedCall } from '../parsers/parser.ts';
import { PARSERS, type Protocol } from '../parsers/protocols.ts';
import { type ToolSchema, typedArguments, type XmlValueMode } from '../parsers/xml-values.ts';
import type { Limits } from '../replay/limits.ts';
import { incompleteCall } from '../replay/parse-stream.ts';
import type { StreamEnd } from '../stream/event.ts';
import type { StreamNotes } from '../stream/notes.ts';
import { guessProtocol } from './framing-guess.ts';
import type { Source } from './source.ts';
import { type Input, type Prefix, readEvents } from './stream-events.ts';

export interface ParseOptions {
  readonly protocol: Protocol | 'auto';
  readonly input: Input;
  /** `auto`: as the stream says; of a message's text: complete. */
  readonly end: StreamEnd | 'auto';
  readonly limits: Limits;
  readonly prefix: Prefix | undefined;
  /** Types the values of `xml`; null without `--tools`. */
  readonly tools: readonly ToolSchema[] | null;
  readonly xmlValues: XmlValueMode;
}

/** A call as it is shown: `members` are its arguments in their order, each as JSON on one line. */
export interface ParsedCall {
  readonly call: ToolCall;
  readonly members: readonly (readonly [key: string, json: string])[];
}

export interface ParsedSource {
  readonly file: string;
  readonly protocol: Protocol;
  readonly guessed: boolean;
  readonly end: StreamEnd;
  readonly prefix: Prefix | undefined;
  readonly calls: readonly ParsedCall[];
  readonly error: ContractError | null;
  /** What was under way when the stream was cut. */
  readonly incomplete: UnfinishedCall | null;
  readonly notes: StreamNotes | null;
  /** Bytes of an SSE event that the stream did not finish: discarded. */
  readonly heldAtEnd: number;
}

const LF = 0x0a;

export async function parseSource(source: Source, options: ParseOptions): Promise<ParsedSource> {
  const { input, limits, prefix } = options;
  const eventLimit = limits.eventLimit === undefined ? {} : { eventLimit: limits.eventLimit };
  const guessed = options.protocol === 'auto';
  const protocol =
    options.protocol === 'auto' ? await guessProtocol(source, { input, ...eventLimit }) : options.protocol;
  const parser = PARSERS[protocol](limits.parser);
  let lines = 1;
  const read = await readEvents(source, { input, ...eventLimit, ...(prefix && { prefix }) }, (event, from, to) => {
    if (event.type === 'text') lines += countLineFeeds(event.bytes, from, to);
    parser.push(event, from, to);
  });
  const end = options.end === 'auto' ? read.end : options.end;
  parser.end(end);
  const { calls, error } = protocol === 'xml' ? typedCalls(parser, options, lines) : rawCalls(parser);
  const incomplete = incompleteCall({ error, unfinished: parser.unfinished }, end);
  const { notes, heldAtEnd } = read;
  return { file: source.name, protocol, guessed, end, prefix, calls, error, incomplete, notes, heldAtEnd };
}

interface Outcome {
  readonly calls: readonly ParsedCall[];
  readonly error: ContractError | null;
}

function rawCalls(parser: ToolCallParser): Outcome {
  return { calls: parser.calls.map((call) => ({ call, members: argumentMembers(call.args) })), error: parser.error };
}

/** A call with a value of another type than its tool declares is refused; the first one is the error (docs/decisions/0002). */
function typedCalls(parser: ToolCallParser, { tools, xmlValues }: ParseOptions, line: number): Outcome {
  const calls: ParsedCall[] = [];
  let error = parser.error;
  for (const call of parser.calls) {
    if (call.args.form !== 'values') continue;
    const tool = tools?.find(({ name }) => name === call.name);
    const typed = typedArguments(call.args.values, tool, xmlValues);
    if (typed.refused === null) calls.push({ call, members: jsonMembers(call.args.values, typed.args) });
    else error ??= { kind: 'bad_arg', reason: 'schema', offset: call.end, line, call: call.id, ...typed.refused };
  }
  return { calls, error };
}

/** Typed values in the order in which they arrived. */
function jsonMembers(
  values: readonly ArgumentValue[],
  typed: { readonly [key: string]: unknown },
): ParsedCall['members'] {
  return values.map(({ key }) => [key, JSON.stringify(typed[key])] as const);
}

function countLineFeeds(bytes: Uint8Array, from: number, to: number): number {
  let count = 0;
  for (let at = bytes.indexOf(LF, from); at !== -1 && at < to; at = bytes.indexOf(LF, at + 1)) count++;
  return count;
}
