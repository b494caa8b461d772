/** The command line of `cst record`, read: every mistake is a `UsageError`. */
import type { JsonObject } from '../parsers/parser.ts';
import { endpointUrl, KEY_VARIABLE, RECORD_WIRES, type RecordWire } from '../record/endpoint.ts';
import { parseExact } from '../record/exact-json.ts';
import { hasPrompt, hasSystemMessage } from '../record/prompt.ts';
import { OWN_FIELDS, type RecordTask, readTasks } from '../record/task-file.ts';
import { readUtf8 } from '../record/utf8-file.ts';
import { FRAMINGS, type Framing } from '../replay/recording.ts';
import { isLoopback } from '../serve/listen.ts';
import { oneOf, optionalText, wholeNumber } from './options.ts';
import { InputError, UsageError } from './run-command.ts';
import { readSuitePlace, requiredText, SUITE_OPTIONS, type SuitePlace } from './suite-options.ts';

export interface RecordArguments {
  readonly redact: boolean;
  readonly 'dry-run': boolean;
  readonly [option: string]: unknown;
}

export interface RecordSettings extends SuitePlace {
  readonly url: URL;
  readonly wire: RecordWire;
  readonly key: string | undefined;
  readonly models: readonly string[];
  readonly protocols: readonly Framing[];
  readonly tasks: readonly RecordTask[];
  readonly systems: ReadonlyMap<Framing | '*', string>;
  readonly fields: JsonObject;
  readonly seed: number | undefined;
  readonly runs: number;
  readonly label: string;
  readonly provider: string | null;
  readonly concurrency: number;
  readonly retries: number;
  /** ms */
  readonly idleLimit: number;
  /** Most requests of this run. */
  readonly limit: number;
}

const RETRIES = 5;
const IDLE_SECONDS = 300;
const MOST_SECONDS = 86_400;
const MOST_AT_ONCE = 256;

export const RECORD_OPTIONS = {
  'base-url': { type: 'string', describe: 'The server, with or without /v1', requiresArg: true },
  model: { type: 'string', describe: 'Name of a model there; any number', requiresArg: true },
  protocol: { type: 'string', describe: `Any number of ${FRAMINGS.join(', ')}`, requiresArg: true },
  tasks: { type: 'string', describe: 'File of tasks: JSON or JSON Lines (docs/record.md)', requiresArg: true },
  task: { type: 'string', describe: 'Only the task of that name; any number', requiresArg: true },
  ...SUITE_OPTIONS,
  wire: { type: 'string', default: 'openai-chat', describe: RECORD_WIRES.join(', ') },
  'key-env': {
    type: 'string',
    describe: 'Environment variable that holds the key',
    defaultDescription: `${KEY_VARIABLE['openai-chat']} or ${KEY_VARIABLE.anthropic}; over http: none`,
    requiresArg: true,
  },
  provider: { type: 'string', describe: 'Who runs the model, for the manifest', requiresArg: true },
  runs: { type: 'string', default: '1', describe: 'Answers to each request', requiresArg: true },
  'run-label': { type: 'string', default: 'run', describe: 'Runs are called LABEL1, LABEL2, …', requiresArg: true },
  'max-tokens': { type: 'string', describe: 'max_tokens of each request', requiresArg: true },
  temperature: { type: 'string', describe: 'temperature of each request', requiresArg: true },
  seed: { type: 'string', describe: 'seed of the first run; the next ones count on', requiresArg: true },
  param: { type: 'string', describe: 'NAME=JSON: a further field of each request; any number', requiresArg: true },
  body: { type: 'string', describe: 'JSON file: an object with further fields of each request', requiresArg: true },
  system: {
    type: 'string',
    describe: 'FILE or PROTOCOL=FILE: the whole system message, instead of the one made here; any number',
    requiresArg: true,
  },
  concurrency: { type: 'string', default: '1', describe: 'Requests at a time', requiresArg: true },
  retries: { type: 'string', default: String(RETRIES), describe: 'Further attempts at a request', requiresArg: true },
  timeout: {
    type: 'string',
    default: String(IDLE_SECONDS),
    describe: 'Longest wait for a byte, in s',
    requiresArg: true,
  },
  limit: { type: 'string', describe: 'Most requests of this run', requiresArg: true },
  'dry-run': { type: 'boolean', default: false, describe: 'Say what would be asked, and ask nothing' },
  redact: { type: 'boolean', default: false, describe: 'Mask secrets in answers instead of refusing to store them' },
} as const;

type Variables = Readonly<Record<string, string | undefined>>;

export async function readRecordSettings(args: RecordArguments, variables: Variables): Promise<RecordSettings> {
  const wire = oneOf('--wire', args['wire'], RECORD_WIRES);
  const url = readUrl(wire, requiredText(args, 'base-url'));
  const seconds = wholeNumber('--timeout', args['timeout'], 1) ?? IDLE_SECONDS;
  if (seconds > MOST_SECONDS) throw new UsageError(`--timeout takes at most ${MOST_SECONDS} seconds (a day)`);
  const concurrency = wholeNumber('--concurrency', args['concurrency'], 1) ?? 1;
  if (concurrency > MOST_AT_ONCE) throw new UsageError(`--concurrency takes at most ${MOST_AT_ONCE}`);
  return {
    ...{ url, wire, concurrency, idleLimit: seconds * 1000 },
    ...(await readAsked(args)),
    key: args['dry-run']
      ? undefined
      : readKey({ url, wire, named: optionalText('--key-env', args['key-env']) }, variables),
    fields: await readFields(args),
    seed: readSeed(wire, args['seed']),
    runs: wholeNumber('--runs', args['runs'], 1) ?? 1,
    label: optionalText('--run-label', args['run-label']) ?? 'run',
    provider: optionalText('--provider', args['provider']) ?? null,
    retries: wholeNumber('--retries', args['retries'], 0) ?? RETRIES,
    limit: wholeNumber('--limit', args['limit'], 1) ?? Number.POSITIVE_INFINITY,
    ...readSuitePlace(args, 'Answers of a model server, recorded by cst record.'),
  };
}

/** Tasks, protocols, models and system messages, which depend on one another. */
async function readAsked(
  args: RecordArguments,
): Promise<Pick<RecordSettings, 'tasks' | 'protocols' | 'models' | 'systems'>> {
  const models = distinct('model', list(args, 'model'));
  const protocols = distinct('protocol', list(args, 'protocol')).map((name) => oneOf('--protocol', name, FRAMINGS));
  const tasks = chosenTasks(await readTasks(requiredText(args, 'tasks')), optionalList(args, 'task'));
  const systems = await readSystems(optionalList(args, 'system'));
  for (const protocol of protocols) {
    const isGiven = systems.has(protocol) || systems.has('*');
    if (!isGiven && !hasPrompt(protocol)) {
      throw new UsageError(`there is no prompt for ${protocol} here: give it with --system ${protocol}=FILE`);
    }
    const own = isGiven ? tasks.find(hasSystemMessage) : undefined;
    if (own !== undefined) {
      throw new UsageError(`the task ${own.name} has a system message of its own: leave --system out`);
    }
  }
  return { models, protocols, tasks, systems };
}

function chosenTasks(tasks: readonly RecordTask[], names: readonly string[]): readonly RecordTask[] {
  const missing = names.find((name) => !tasks.some((task) => task.name === name));
  if (missing !== undefined) {
    throw new UsageError(`there is no task ${missing}; there are ${tasks.map(({ name }) => name).join(', ')}`);
  }
  return names.length === 0 ? tasks : tasks.filter(({ name }) => names.includes(name));
}

async function readSystems(given: readonly string[]): Promise<ReadonlyMap<Framing | '*', string>> {
  const systems = new Map<Framing | '*', string>();
  for (const text of given) {
    const framing = FRAMINGS.find((name) => text.startsWith(`${name}=`)) ?? '*';
    if (systems.has(framing)) throw new UsageError(`--system was given twice for ${framing === '*' ? 'all' : framing}`);
    systems.set(framing, await readUtf8(framing === '*' ? text : text.slice(framing.length + 1), 'a system message'));
  }
  return systems;
}

/** The flags stand above the file. */
async function readFields(args: RecordArguments): Promise<JsonObject> {
  const file = optionalText('--body', args['body']);
  const maxTokens = wholeNumber('--max-tokens', args['max-tokens'], 1);
  const temperature = readTemperature(optionalText('--temperature', args['temperature']));
  const fields = {
    ...(file === undefined ? {} : await readObject(file)),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(temperature !== undefined && { temperature }),
    ...Object.fromEntries(optionalList(args, 'param').map(readParam)),
  };
  const own = Object.keys(fields).find((name) => OWN_FIELDS.includes(name));
  if (own !== undefined) throw new UsageError(`${own} cannot be given as a field: the recorder sets it itself`);
  return fields;
}

async function readObject(file: string): Promise<JsonObject> {
  const text = await readUtf8(file, 'a JSON object with fields of the request body');
  try {
    const value = parseExact(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  } catch (error) {
    throw new InputError(`${file}: not JSON (${error instanceof Error ? error.message : String(error)})`);
  }
  throw new InputError(`${file}: expected a JSON object with fields of the request body`);
}

function readParam(text: string): readonly [string, unknown] {
  const at = text.indexOf('=');
  try {
    if (at > 0) return [text.slice(0, at), parseExact(text.slice(at + 1))];
  } catch {
    // Said below.
  }
  throw new UsageError(`--param takes NAME=JSON (top_p=0.9, stop='["\\n"]'), not ${JSON.stringify(text)}`);
}

function readSeed(wire: RecordWire, value: unknown): number | undefined {
  const seed = wholeNumber('--seed', value, 0);
  if (seed !== undefined && wire === 'anthropic') throw new UsageError('--seed: Anthropic takes none; leave it out');
  return seed;
}

function readTemperature(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[0-9]{1,3}(\.[0-9]{1,9})?$/.test(text)) return Number(text);
  throw new UsageError(`--temperature takes a number from 0, not ${JSON.stringify(text)}`);
}

function readUrl(wire: RecordWire, base: string): URL {
  const url = endpointUrl(wire, base);
  if ('problem' in url) throw new UsageError(`--base-url ${withoutUser(base)}: ${url.problem}`);
  return url;
}

/** An address as it may be shown: a name and a password before its host are not. */
export function withoutUser(address: string): string {
  return address.replace(/^.*@/s, '…@');
}

interface KeyPlace {
  readonly url: URL;
  readonly wire: RecordWire;
  readonly named: string | undefined;
}

/** The value is in no message. A key for one provider is not sent over plain http, or to whoever listens on this machine. */
function readKey({ url, wire, named }: KeyPlace, variables: Variables): string | undefined {
  if (named === undefined && url.protocol === 'http:') return undefined;
  const variable = named ?? KEY_VARIABLE[wire];
  const key = variables[variable]?.trim() ?? '';
  if (key === '')
    throw new UsageError(`${variable} is not set: put the key there, or name its variable with --key-env`);
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new UsageError(`${variable} holds characters that cannot be sent: a key is printable ASCII without blanks`);
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname.replace(/^\[|\]$/g, ''))) {
    throw new UsageError(`${url.origin} is plain http: the key in ${variable} could be read on the way; use https`);
  }
  return key;
}

function list(args: RecordArguments, name: string): readonly string[] {
  const given = optionalList(args, name);
  if (given.length === 0) throw new UsageError(`--${name} is missing`);
  return given;
}

function optionalList(args: RecordArguments, name: string): readonly string[] {
  const given = [args[name] ?? []].flat().map(String);
  if (given.includes('')) throw new UsageError(`--${name} wants a value`);
  return given;
}

function distinct(name: string, given: readonly string[]): readonly string[] {
  const twice = given.find((value, at) => given.indexOf(value) !== at);
  if (twice !== undefined) throw new UsageError(`--${name} ${twice} was given twice`);
  return given;
}
