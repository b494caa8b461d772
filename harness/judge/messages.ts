/**
 * The lines that cst and a parser command exchange (docs/own-parser.md "A command"): one JSON object a line, UTF-8.
 * Version 1.
 */
import * as z from 'zod';
import { textOrBase64 } from '../parsers/call.ts';
import type { Frontier, ParserOptions, ToolCall } from '../parsers/parser.ts';
import { PROTOCOLS, type Protocol } from '../parsers/protocols.ts';
import type { StreamEnd, StreamEvent } from '../stream/event.ts';
import { GRANULARITIES } from './judged-parser.ts';
import { BadAnswer, read, readCall, readError, readPending, readUnfinished } from './reported.ts';

export const PROTOCOL_VERSION = 1;

export function helloMessage(): string {
  return JSON.stringify({ type: 'hello', version: PROTOCOL_VERSION });
}

export function startMessage(id: number, protocol: Protocol, { onConfirmed: _, ...options }: ParserOptions): string {
  return JSON.stringify({ type: 'start', id, protocol, options });
}

/** A start that leaves the streams before it open. */
export function besideMessage(start: string): string {
  return withMembers(start, '"beside":true');
}

/** A message to one of several open streams, by the id of its start. */
export function addressed(message: string, stream: number): string {
  return withMembers(message, `"stream":${stream}`);
}

function withMembers(message: string, members: string): string {
  return `${message.slice(0, -1)},${members}}`;
}

export function endMessage(how: StreamEnd): string {
  return JSON.stringify({ type: 'end', how });
}

/** Bytes are `text` where they are UTF-8, else `base64`. Where the event stands in the wire is not told. */
export function eventMessage(event: StreamEvent): string {
  if (!('bytes' in event)) {
    const { at: _, ...message } = event;
    return JSON.stringify(message);
  }
  const { at: _, bytes, ...message } = event;
  const text = textOrBase64(bytes);
  return JSON.stringify({ ...message, ...(typeof text === 'string' ? { text } : text) });
}

const ready = z.looseObject({
  type: z.literal('ready'),
  version: z.literal(PROTOCOL_VERSION),
  name: z.string().min(1).optional(),
  protocol: z.enum(PROTOCOLS).optional(),
  granularity: z.enum(GRANULARITIES).optional(),
  /** `json`: arguments are compared as JSON values, since the parser writes their text anew. */
  arguments: z.enum(['text', 'json']).optional(),
  /** Several streams may be open at a time. */
  interleaved: z.boolean().optional(),
});
export type Ready = z.infer<typeof ready>;

/** @throws SaidFault, BadAnswer */
export function readReady(line: string): Ready {
  const value = parseLine(line);
  refuseFault(value);
  return read(ready, value, 'ready');
}

/** The parser says itself that it has failed; its process goes on. The message is what it said. */
export class SaidFault extends BadAnswer {
  override readonly name = 'SaidFault';
}

function refuseFault(value: unknown): void {
  if (typeof value !== 'object' || value === null || !('fault' in value)) return;
  if (typeof value.fault === 'string') throw new SaidFault(value.fault);
}

const answer = z.looseObject({
  keep: z.int().nonnegative().optional(),
  calls: z.array(z.unknown()).optional(),
  pending: z.unknown().optional(),
  error: z.unknown().optional(),
  unfinished: z.unknown().optional(),
  fault: z.string().optional(),
});

export interface Answer {
  readonly frontier: Frontier;
  readonly tells: { readonly pending: boolean; readonly error: boolean };
}

/**
 * The frontier after an answer: what it leaves out is as before. `keep` calls stay (all, if absent), `calls` come after
 * them. @throws SaidFault if it tells of a fault; BadAnswer if the line is no answer.
 */
export function readAnswer(line: string, before: Frontier): Answer {
  const value = parseLine(line);
  refuseFault(value);
  const { keep = before.calls.length, calls = [], ...told } = read(answer, value, 'answer');
  if (keep > before.calls.length) throw new BadAnswer(`keep is ${keep} of ${before.calls.length} calls`);
  return {
    frontier: {
      calls: laterCalls(before.calls, keep, calls),
      pending: told.pending === undefined ? before.pending : readPending(told.pending),
      error: told.error === undefined ? before.error : readError(told.error),
      unfinished: told.unfinished === undefined ? before.unfinished : readUnfinished(told.unfinished),
    },
    tells: { pending: told.pending !== undefined, error: told.error !== undefined },
  };
}

function laterCalls(before: readonly ToolCall[], keep: number, added: readonly unknown[]): readonly ToolCall[] {
  if (keep === before.length && added.length === 0) return before;
  return [...before.slice(0, keep), ...added.map((call, i) => readCall(call, keep + i))];
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    const shown = line.length > MOST_SHOWN ? `${line.slice(0, MOST_SHOWN)}…` : line;
    throw new BadAnswer(
      `a line that is no JSON: ${shown} (stdout is for answers alone; what the parser wants to say besides goes to stderr)`,
    );
  }
}

const MOST_SHOWN = 80;
