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
});
export type Ready = z.infer<typeof ready>;

export function readReady(line: string): Ready {
  return read(ready, parseLine(line), 'ready');
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
 * them. @throws BadAnswer if the line is no answer, or tells of a fault.
 */
export function readAnswer(line: string, before: Frontier): Answer {
  const { keep = before.calls.length, calls = [], ...told } = read(answer, parseLine(line), 'answer');
  if (told.fault !== undefined) throw new BadAnswer(`the parser says: ${told.fault}`);
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
