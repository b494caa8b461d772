/**
 * What is asked of a model, from a file: a JSON array of tasks (the form of `recordings/replies/tasks.json`) or JSON
 * Lines, one task a line. A task is `{"id" | "task", "title"?, "user" | "prompt" | "messages", "tools"?, "body"?}`.
 */

import * as z from 'zod';
import type { JsonObject } from '../parsers/parser.ts';
import { RecordingError } from '../replay/recording-error.ts';
import { parseExact } from './exact-json.ts';
import { readUtf8 } from './utf8-file.ts';

/** Fields of the body that are the recorder's own. */
export const OWN_FIELDS: readonly string[] = ['model', 'messages', 'stream', 'system'];

export interface RecordTask {
  /** Names the files of its recordings. */
  readonly name: string;
  /** As in a chat request; a system message may be the first. */
  readonly messages: readonly JsonObject[];
  /** As in a chat request; absent: those of `cst agent`. */
  readonly tools?: readonly JsonObject[];
  /** Further fields of the request body. */
  readonly body?: JsonObject;
}

const words = z.string().min(1);
const taskName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,99}$/i, 'expected up to 100 letters, digits, ".", "_" and "-": it names a file');
const object = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'expected an object',
);

const task = z
  .strictObject({
    id: taskName.exactOptional(),
    task: taskName.exactOptional(),
    title: z.string().exactOptional(),
    user: words.exactOptional(),
    prompt: words.exactOptional(),
    messages: z.array(object).min(1).exactOptional(),
    tools: z.array(object).min(1).exactOptional(),
    body: object.exactOptional(),
  })
  .refine(({ id, task: name }) => (id === undefined) !== (name === undefined), 'expected one of "id" and "task"')
  .refine(
    ({ user, prompt, messages }) => [user, prompt, messages].filter((said) => said !== undefined).length === 1,
    'expected one of "user", "prompt" and "messages"',
  )
  .refine(
    ({ messages = [] }) => !/^(system|developer)$/.test(String(messages[0]?.['role'])) || isText(messages[0]),
    'the "content" of a system message must be a text: a protocol\'s page may be added to it',
  );

function isText(message: JsonObject | undefined): boolean {
  return typeof message?.['content'] === 'string';
}

/** Reads a file of tasks. Throws `RecordingError` with the place of what is wrong. */
export async function readTasks(file: string): Promise<readonly RecordTask[]> {
  return parseTasks(await readUtf8(file, 'a file of tasks, JSON or JSON Lines, is wanted'), file);
}

/** `file` is only named in messages. */
export function parseTasks(text: string, file: string): readonly RecordTask[] {
  const tasks = placedValues(text, file).map(({ place, value }) => readTask(value, { file, place }));
  if (tasks.length === 0) throw fault({ file }, 'there is no task in it');
  const names = tasks.map(({ name }) => name.toLowerCase());
  const twice = names.findIndex((name, at) => names.indexOf(name) !== at);
  if (twice !== -1) throw fault({ file }, `the task ${tasks[twice]?.name} is there twice`);
  return tasks;
}

interface Placed {
  readonly place: string;
  readonly value: unknown;
}

function placedValues(text: string, file: string): readonly Placed[] {
  const whole = text.replace(/^\ufeff/, '');
  if (whole.trimStart().startsWith('[')) {
    const value = parseJson(whole, { file });
    return (value as unknown[]).map((one, at) => ({ place: `task ${at + 1}`, value: one }));
  }
  return whole.split('\n').flatMap((line, at) => {
    const place = `line ${at + 1}`;
    return line.trim() === '' ? [] : [{ place, value: parseJson(line, { file, place }) }];
  });
}

interface Place {
  readonly file: string;
  readonly place?: string;
}

function parseJson(text: string, at: Place): unknown {
  try {
    return parseExact(text);
  } catch (error) {
    throw fault(at, `not JSON (${error instanceof Error ? error.message : String(error)})`);
  }
}

function readTask(value: unknown, at: Place): RecordTask {
  const result = task.safeParse(value);
  if (!result.success) {
    const [issue] = result.error.issues;
    const field = issue?.path.length ? `"${issue.path.join('.')}": ` : '';
    throw fault(at, `${field}${issue?.message ?? 'no task'}`);
  }
  const { id, task: name, user, prompt, messages, tools, body } = result.data;
  const own = Object.keys(body ?? {}).find((field) => OWN_FIELDS.includes(field));
  if (own !== undefined) throw fault(at, `"body.${own}": the recorder sets this field itself`);
  return {
    name: id ?? name ?? '',
    messages: messages ?? [{ role: 'user', content: user ?? prompt ?? '' }],
    ...(tools !== undefined && { tools }),
    ...(body !== undefined && { body }),
  };
}

function fault({ file, place }: Place, what: string): RecordingError {
  const advice = 'Expected is a JSON array of {"id", "user"}, or one such object a line (docs/record.md)';
  return new RecordingError({ file, field: place, what, advice });
}
