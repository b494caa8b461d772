/**
 * What a foreign parser says of its frontier, read with suspicion: a module hands over objects, a command lines of JSON
 * (docs/own-parser.md). Whatever is no frontier is a {@link BadAnswer}, never a crash.
 */
import * as z from 'zod';
import type { ContractError } from '../parsers/contract-error.ts';
import type { CallArguments, JsonObject, ToolCall, UnfinishedCall } from '../parsers/parser.ts';

/** The parser gave something that is no frontier. The message says what. */
export class BadAnswer extends Error {
  override readonly name: string = 'BadAnswer';
}

/** `ToolCall.end` of a parser that does not say where its calls end: the same whatever the chunking. */
export const NO_END = -1;

const bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array, 'no Uint8Array');
const text = z.union([z.string(), bytes, z.strictObject({ base64: z.base64() })]);
const call = z.looseObject({
  ordinal: z.int().nonnegative().optional(),
  id: z.string().nullish(),
  name: z.string(),
  end: z.int().nonnegative().optional(),
  /** JSON protocols: the text of the arguments. */
  arguments: z.string().optional(),
  /** Text protocols: key and value, in the order of the message. */
  values: z.array(z.tuple([z.string(), text])).optional(),
  /** As the harness's own parsers have them. */
  args: z
    .discriminatedUnion('form', [
      z.looseObject({ form: z.literal('json'), text: z.string() }),
      z.looseObject({ form: z.literal('values'), values: z.array(z.looseObject({ key: z.string(), bytes: text })) }),
    ])
    .optional(),
});
const contractError = z.looseObject({
  kind: z.string().min(1),
  offset: z.int().nonnegative(),
  line: z.int().positive(),
});
const unfinished = z.looseObject({
  id: z.string().optional(),
  name: z.string().optional(),
  key: z.string().optional(),
  declared: z.number().optional(),
  arrived: z.number().optional(),
});
const pending = z.int().nonnegative();

/** @param index position in the parser's list: the ordinal of a call that names none. */
export function readCall(value: unknown, index: number): ToolCall {
  const { ordinal = index, id, name, end = NO_END, ...rest } = read(call, value, `calls[${index}]`);
  return { ordinal, id: id ?? `call_${ordinal}`, name, args: readArguments(rest, `calls[${index}]`), end };
}

export function readError(value: unknown): ContractError | null {
  // A kind of the parser's own is no contract error: `agreement` says that it is not the oracle's.
  return value === null ? null : (read(contractError, value, 'error') as unknown as ContractError);
}

export function readPending(value: unknown): number {
  return read(pending, value, 'pending');
}

export function readUnfinished(value: unknown): UnfinishedCall | null {
  return value === null ? null : (read(unfinished, value, 'unfinished') as UnfinishedCall);
}

/** @throws BadAnswer naming the place, in `where`, of what is wrong first. */
export function read<T>(schema: z.ZodType<T>, value: unknown, where: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const { path = [], message = 'of the wrong shape' } = result.error.issues[0] ?? {};
  const place = path.length === 0 ? where : `${where}.${z.core.toDotPath(path)}`;
  throw new BadAnswer(`${place}: ${message}`);
}

type Given = Pick<z.infer<typeof call>, 'arguments' | 'values' | 'args'>;

function readArguments({ arguments: source, values, args }: Given, where: string): CallArguments {
  const given = [source, values, args].filter((form) => form !== undefined);
  if (given.length !== 1) {
    throw new BadAnswer(
      `${where}: a call has one of "arguments" (JSON text), "values" and "args", not ${given.length}`,
    );
  }
  if (values !== undefined) {
    return { form: 'values', values: values.map(([key, value]) => ({ key, bytes: asBytes(value) })) };
  }
  if (args?.form === 'values') {
    return { form: 'values', values: args.values.map(({ key, bytes: value }) => ({ key, bytes: asBytes(value) })) };
  }
  const json = source ?? args?.text ?? '';
  return { form: 'json', text: json, object: objectOf(json, where) };
}

function objectOf(json: string, where: string): JsonObject {
  if (json.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Told below, with the text.
  }
  const shown = json.length > MOST_SHOWN ? `${json.slice(0, MOST_SHOWN)}…` : json;
  throw new BadAnswer(`${where}: an executable call's arguments are the text of a JSON object, not ${shown}`);
}

const MOST_SHOWN = 60;

function asBytes(value: z.infer<typeof text>): Uint8Array {
  if (typeof value === 'string') return Buffer.from(value, 'utf8');
  return value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(value.base64, 'base64');
}
