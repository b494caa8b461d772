/** The command line of `cst agent`, read: every mistake is a `UsageError`. */
import { holdsKey, KEY_VARIABLES, keysIn } from '../agent/key-mask.ts';
import { completionsUrl, IDLE_LIMIT } from '../agent/model-client.ts';
import { PERMISSION_MODES, type PermissionMode } from '../agent/permission.ts';
import { AGENT_PROTOCOLS, type AgentProtocol, PROTOCOL_RULES } from '../agent/protocol.ts';
import { OUTPUT_CAP_VARIABLE, readOutputCap } from '../agent/result-frame.ts';
import { DEFAULT_TIME_LIMIT } from '../agent/tools/shell.ts';
import { type Replay, replayModel } from './agent-replay.ts';
import { oneOf, optionalText, wholeNumber } from './options.ts';
import { UsageError } from './run-command.ts';

export interface AgentSettings {
  readonly protocol: AgentProtocol;
  /** Where the model is; null: the replay is served here. */
  readonly url: URL | null;
  readonly model: string;
  readonly replay: Replay | null;
  readonly key: string | undefined;
  /** All keys that the environment holds: they are shown nowhere, and handed down to no command. */
  readonly keys: readonly string[];
  /** What the user asks for; null: what the replay says, or nothing new (a resumed session). */
  readonly task: string | null;
  readonly cwd: string;
  readonly permission: PermissionMode;
  readonly session: string | null;
  readonly resume: boolean;
  readonly maxTurns: number;
  readonly retries: number;
  /** ms */
  readonly timeLimit: number;
  /** ms */
  readonly idleLimit: number;
  /** Bytes. */
  readonly outputCap: number;
  /** Variables that `shell` gets besides the usual ones. */
  readonly passedOn: readonly string[];
  readonly json: boolean;
}

export interface AgentArguments {
  readonly task?: readonly string[];
  readonly resume: boolean;
  readonly json: boolean;
  readonly [option: string]: unknown;
}

export interface Surroundings {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Somebody can be asked. */
  readonly isInteractive: boolean;
}

const MAX_TURNS = 50;
const RETRIES = 3;
const MOST_SECONDS = 86_400;
/** In this order. */
const SENT_KEYS = ['CST_API_KEY', 'OPENAI_API_KEY'] as const;

export const AGENT_OPTIONS = {
  protocol: {
    type: 'string',
    default: 'ctl-heredoc',
    describe: `Where calls come from, and when they run: ${AGENT_PROTOCOLS.join(', ')}`,
  },
  'base-url': { type: 'string', describe: 'An OpenAI-compatible server, with or without /v1', requiresArg: true },
  model: { type: 'string', describe: 'The name of the model there', requiresArg: true },
  replay: { type: 'string', describe: 'SUITE/TASK: a recording answers instead of a model', requiresArg: true },
  recordings: { type: 'string', describe: 'Folder of suites for --replay', requiresArg: true },
  cwd: { type: 'string', default: '.', describe: 'The project folder', requiresArg: true },
  permission: {
    type: 'string',
    describe: `${PERMISSION_MODES.join(', ')}: what writes or executes`,
    defaultDescription: 'ask on a terminal, else read-only',
  },
  session: { type: 'string', describe: 'File that keeps the session; without it nothing is kept', requiresArg: true },
  resume: { type: 'boolean', default: false, describe: 'Go on with the session in --session' },
  'max-turns': { type: 'string', describe: 'Most answers in this run', defaultDescription: String(MAX_TURNS) },
  retries: {
    type: 'string',
    describe: 'Most further attempts in a row: at a request, and at an answer that was cut or cannot be read',
    defaultDescription: String(RETRIES),
  },
  'time-limit': {
    type: 'string',
    describe: 'Longest run of a command, in seconds',
    defaultDescription: String(DEFAULT_TIME_LIMIT / 1000),
  },
  'idle-limit': {
    type: 'string',
    describe: 'Longest wait for a byte of the model, in seconds',
    defaultDescription: String(IDLE_LIMIT / 1000),
  },
  'output-cap': {
    type: 'string',
    describe: `Bytes of a result that the model is shown (or ${OUTPUT_CAP_VARIABLE})`,
    defaultDescription: '16384',
  },
  'pass-env': { type: 'string', describe: 'A variable that commands get, too; any number', requiresArg: true },
  json: { type: 'boolean', default: false, describe: 'One JSON line for each event' },
} as const;

export function readSettings(args: AgentArguments, { variables, isInteractive }: Surroundings): AgentSettings {
  const protocol = oneOf('--protocol', args['protocol'], AGENT_PROTOCOLS);
  const { session, resume } = readSession(args);
  const words = (args.task ?? []).join(' ').trim();
  return {
    protocol,
    ...readModel(args, protocol),
    key: readKey(variables),
    keys: keysIn(variables),
    task: words === '' ? null : words,
    cwd: optionalText('--cwd', args['cwd']) ?? '.',
    permission: readPermission(args, isInteractive),
    session,
    resume,
    maxTurns: wholeNumber('--max-turns', args['max-turns'], 1) ?? MAX_TURNS,
    retries: wholeNumber('--retries', args['retries'], 0) ?? RETRIES,
    timeLimit: readSeconds('--time-limit', args['time-limit']) ?? DEFAULT_TIME_LIMIT,
    idleLimit: readSeconds('--idle-limit', args['idle-limit']) ?? IDLE_LIMIT,
    outputCap: readCap(args, variables),
    passedOn: readPassedOn(args, variables),
    json: args.json,
  };
}

function readModel(args: AgentArguments, protocol: AgentProtocol): Pick<AgentSettings, 'url' | 'model' | 'replay'> {
  const base = optionalText('--base-url', args['base-url']);
  const model = optionalText('--model', args['model']);
  const name = optionalText('--replay', args['replay']);
  const recordings = optionalText('--recordings', args['recordings']);
  const url = base === undefined ? null : completionsUrl(base);
  if (url !== null && 'problem' in url) throw new UsageError(`--base-url ${base}: ${url.problem}`);
  if (name !== undefined) {
    if (model !== undefined) throw new UsageError('--replay names the model: leave --model out');
    const replay = { name, framing: PROTOCOL_RULES[protocol].framing, recordings };
    return { url, model: replayModel(replay), replay };
  }
  if (url !== null && model !== undefined) return { url, model, replay: null };
  throw new UsageError(
    'a model is missing: give --base-url URL and --model NAME, or --replay SUITE/TASK to do without',
  );
}

/** Neither a key of a model nor what holds one: it would be left out, and nobody would know why. */
function readPassedOn(args: AgentArguments, variables: Surroundings['variables']): readonly string[] {
  const names = [args['pass-env'] ?? []].flat().map(String);
  const keys = keysIn(variables);
  for (const name of names) {
    if (KEY_VARIABLES.includes(name)) throw new UsageError(`--pass-env ${name}: ${NOT_HANDED_DOWN}`);
    const value = variables[name] ?? '';
    if (!keys.some((key) => holdsKey(value, key))) continue;
    throw new UsageError(`--pass-env ${name}: it holds the key of a model, and ${NOT_HANDED_DOWN}`);
  }
  return names;
}

const NOT_HANDED_DOWN = 'keys of models are handed down to no command';

function readSession(args: AgentArguments): { readonly session: string | null; readonly resume: boolean } {
  const session = optionalText('--session', args['session']) ?? null;
  if (args.resume && session === null) throw new UsageError('--resume needs the --session FILE to go on with');
  return { session, resume: args.resume };
}

function readPermission(args: AgentArguments, isInteractive: boolean): PermissionMode {
  if (args['permission'] === undefined) return isInteractive ? 'ask' : 'read-only';
  const mode = oneOf('--permission', args['permission'], PERMISSION_MODES);
  if (mode === 'ask' && !isInteractive) {
    throw new UsageError('--permission ask needs a terminal to ask on; elsewhere it is read-only or allow');
  }
  return mode;
}

/** In ms. A timer of Node's ends at once if it is set for more than 24 days. */
function readSeconds(option: string, value: unknown): number | undefined {
  const seconds = wholeNumber(option, value, 1);
  if (seconds === undefined) return undefined;
  if (seconds > MOST_SECONDS) throw new UsageError(`${option} takes at most ${MOST_SECONDS} seconds (a day)`);
  return seconds * 1000;
}

function readCap(args: AgentArguments, variables: Surroundings['variables']): number {
  const option = optionalText('--output-cap', args['output-cap']);
  const read = readOutputCap(option ?? variables[OUTPUT_CAP_VARIABLE]);
  if ('cap' in read) return read.cap;
  throw new UsageError(`${option === undefined ? OUTPUT_CAP_VARIABLE : '--output-cap'}: ${read.problem}`);
}

/** The value is in no message. */
function readKey(variables: Surroundings['variables']): string | undefined {
  for (const name of SENT_KEYS) {
    const key = variables[name]?.trim();
    if (key === undefined || key === '') continue;
    if (/^[\x21-\x7e]+$/.test(key)) return key;
    throw new UsageError(`${name} holds characters that cannot be sent: a key is printable ASCII without blanks`);
  }
  return undefined;
}
