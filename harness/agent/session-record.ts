/**
 * The records of a session (runtime.md "Session"), one JSON object a line. From them, in order, the conversation is made
 * (`conversation.ts`), in a running session and in a resumed one alike: what is not recorded the model never hears of.
 *
 * An answer of the model is numbered from 1, and is over with its `stop` or its `tool_parse_error`. A session without that
 * record at its end was interrupted.
 */
import * as z from 'zod';
import { textOrBase64 } from '../parsers/call.ts';
import { CONTRACT_ERROR_KINDS } from '../parsers/contract-error.ts';
import type { ToolCall } from '../parsers/parser.ts';
import { AGENT_PROTOCOLS } from './protocol.ts';

/** The version of the form of sessions. */
export const SESSION_VERSION = 1;

const answer = z.int().positive();
const id = z.string().min(1);
/** Bytes of a text value: UTF-8 as text. */
const value = z.union([z.string(), z.strictObject({ base64: z.base64() })]);
const exit = z.int().nonnegative();

/** The first line. The key is in no record. */
const header = z.strictObject({
  type: z.literal('session'),
  version: z.literal(SESSION_VERSION),
  protocol: z.enum(AGENT_PROTOCOLS),
  model: z.string(),
  /** Real path of the project folder; the first sessions have none. */
  cwd: z.string().exactOptional(),
});

const user = z.strictObject({ type: z.literal('user'), text: z.string() });

/** Confirmed text, as the model wrote it; an answer's pieces add up to what is kept of it. */
const assistant = z.strictObject({
  type: z.literal('assistant'),
  answer,
  text: z.string(),
  /** The text ends with the frame of the call of this id, whose record comes next. */
  call: id.exactOptional(),
});

/** Written before the tool starts. */
const call = z.strictObject({
  type: z.literal('call'),
  answer,
  /** Unique in its answer; in a native session among all answers. */
  id,
  /** The id that the model gave, where it had to be changed. */
  givenId: z.string().exactOptional(),
  name: z.string(),
  /** A native call: its arguments as they arrived. */
  arguments: z.string().exactOptional(),
  /** A call in text: its arguments in the order of the message. */
  values: z.array(z.tuple([z.string(), value])).exactOptional(),
});

const result = z.strictObject({
  type: z.literal('result'),
  answer,
  id,
  /** `unknown`: the run ended while the call ran; nobody knows what it has done. */
  exit: z.union([exit, z.literal('unknown')]),
  /** As the model is shown it: cut to the cap. */
  output: z.string(),
});

/** A call that was not run, and why. */
const refusal = z.strictObject({ type: z.literal('refusal'), answer, id, exit, reason: z.string() });

const contractError = z.looseObject({
  kind: z.enum(CONTRACT_ERROR_KINDS),
  offset: z.int().nonnegative(),
  line: z.int().positive(),
});

const toolParseError = z.strictObject({
  type: z.literal('tool_parse_error'),
  answer,
  error: contractError,
  /** What the model is told. */
  feedback: z.string(),
});

export const STOP_REASONS = ['complete', 'imagined-result', 'cut', 'cancelled', 'interrupted'] as const;

const stop = z.strictObject({
  type: z.literal('stop'),
  answer,
  reason: z.enum(STOP_REASONS),
  /** What the model is told, where there is something to tell. */
  feedback: z.string().exactOptional(),
});

const anyRecord = z.discriminatedUnion('type', [user, assistant, call, result, refusal, toolParseError, stop]);

export type SessionHeader = z.infer<typeof header>;
export type SessionRecord = z.infer<typeof anyRecord>;
export type CallRecord = z.infer<typeof call>;
export type ResultRecord = z.infer<typeof result>;
export type RefusalRecord = z.infer<typeof refusal>;

/** A line, LF included. */
export function recordLine(record: SessionRecord | SessionHeader): string {
  return `${JSON.stringify(record)}\n`;
}

/** The header in a first line, or why it is none. */
export function readHeader(line: string): SessionHeader | { readonly problem: string } {
  return checked(line, header);
}

export function readRecord(line: string): SessionRecord | { readonly problem: string } {
  return checked(line, anyRecord);
}

/** The arguments of a call, as a record holds them. */
export function recordedArguments({ args }: Pick<ToolCall, 'args'>): Pick<CallRecord, 'arguments' | 'values'> {
  if (args.form === 'json') return { arguments: args.text };
  return { values: args.values.map(({ key, bytes }) => [key, textOrBase64(bytes)]) };
}

function checked<T>(line: string, schema: z.ZodType<T>): T | { readonly problem: string } {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    return { problem: 'is no JSON' };
  }
  const result = schema.safeParse(json);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issue?.path.join('.') ?? '';
  return { problem: `is no record of a session${path === '' ? '' : `: ${path}`}: ${issue?.message ?? ''}` };
}
