/** The two kinds of server that can be asked: where, with which headers, and in which form. */
import { completionsUrl } from '../agent/model-client.ts';
import type { JsonObject } from '../parsers/parser.ts';
import type { Framing } from '../replay/recording.ts';
import { anthropicTool, messagesOf, toolsOf } from './prompt.ts';
import type { RecordTask } from './task-file.ts';

export const RECORD_WIRES = ['openai-chat', 'anthropic'] as const;
export type RecordWire = (typeof RECORD_WIRES)[number];

/** The variable that the key is read from, if none is named. */
export const KEY_VARIABLE: Readonly<Record<RecordWire, string>> = {
  'openai-chat': 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
};

/** The version of Anthropic's API that is asked for (its document "Versions"). */
const ANTHROPIC_VERSION = '2023-06-01';
/** Anthropic wants a number; OpenAI-compatible servers have one of their own. Tokens. */
const ANTHROPIC_MAX_TOKENS = 4096;

export interface RequestSettings {
  readonly wire: RecordWire;
  /** The system message, by framing; `*` for every one. */
  readonly systems: ReadonlyMap<Framing | '*', string>;
  /** Fields of every request body, over those of the task. */
  readonly fields: JsonObject;
  /** `seed` of the first run; the n-th gets `seed + n - 1`, else all runs would be alike. */
  readonly seed?: number;
}

/** One request of a plan. */
export interface Asked {
  readonly task: RecordTask;
  readonly protocol: Framing;
  readonly model: string;
  /** Which run, from 1. */
  readonly round: number;
}

/** Where answers come from, or what is wrong with the base URL, for the user. */
export function endpointUrl(wire: RecordWire, base: string): URL | { readonly problem: string } {
  if (wire === 'openai-chat') return completionsUrl(base);
  const url = completionsUrl(base.replace(/\/messages\/*$/, ''));
  if (!('problem' in url)) url.pathname = url.pathname.replace(/\/chat\/completions$/, '/messages');
  return url;
}

/** `identity`: what is recorded are the bytes of the stream, not those of a compression. */
export function requestHeaders(wire: RecordWire, key: string | undefined): Readonly<Record<string, string>> {
  const common = {
    'content-type': 'application/json',
    accept: 'text/event-stream',
    'accept-encoding': 'identity',
  };
  if (wire === 'anthropic') {
    return { ...common, 'anthropic-version': ANTHROPIC_VERSION, ...(key !== undefined && { 'x-api-key': key }) };
  }
  return { ...common, ...(key !== undefined && { authorization: `Bearer ${key}` }) };
}

/** The body of a request. */
export function requestBody(asked: Asked, settings: RequestSettings): JsonObject {
  const { task, protocol, model, round } = asked;
  const messages = messagesOf(task, protocol, settings.systems.get(protocol) ?? settings.systems.get('*'));
  const tools = protocol === 'native' ? toolsOf(task) : [];
  const seed = settings.seed === undefined ? {} : { seed: settings.seed + round - 1 };
  const fields = { ...seed, ...task.body, ...settings.fields };
  if (settings.wire === 'openai-chat') {
    return { model, messages, ...(tools.length > 0 && { tools }), stream: true, ...fields };
  }
  return {
    model,
    ...anthropicMessages(messages),
    ...(tools.length > 0 && { tools: tools.map(anthropicTool) }),
    stream: true,
    max_tokens: ANTHROPIC_MAX_TOKENS,
    ...fields,
  };
}

/** A request as a manifest keeps it: the model stands beside it, and a number beyond doubles is its digits. */
export function storedRequest(body: JsonObject): { readonly messages: JsonObject[]; readonly parameters: JsonObject } {
  const { model: _, messages, ...parameters } = JSON.parse(JSON.stringify(body)) as JsonObject;
  return { messages: [...(messages as readonly JsonObject[])], parameters };
}

/** Anthropic's system message is a field of its own. */
function anthropicMessages(messages: readonly JsonObject[]): JsonObject {
  const [first, ...rest] = messages;
  return { system: first?.['content'], messages: rest };
}
