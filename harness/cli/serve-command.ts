/** `cst serve`: an OpenAI-compatible server that answers from recordings. */

import { readFile } from 'node:fs/promises';
import type { Argv } from 'yargs';
import { loadSuites } from '../replay/load.ts';
import { FRAMINGS } from '../replay/recording.ts';
import { DEFAULT_SEED } from '../replay/seeded.ts';
import type { ServeObserver } from '../serve/exchange.ts';
import { type ArmedFault, armedFault, FAULT_FORMS } from '../serve/faults.ts';
import { isLoopback } from '../serve/listen.ts';
import { ServeError } from '../serve/serve-error.ts';
import { LOOPBACK_HOST, type RunningServer, type ServeOptions, startServer } from '../serve/server.ts';
import { AFTER, type After, readScript, recordingSession, type Session } from '../serve/session.ts';
import { shippedRecordings } from '../serve/shipped.ts';
import type { Choose } from './command.ts';
import { EXIT } from './exit-code.ts';
import { oneOf, optionalText, wholeNumber } from './options.ts';
import { InputError, UsageError } from './run-command.ts';
import { exchangeLine, startLine } from './serve-view.ts';
import type { Terminal } from './terminal.ts';

export function addServe(program: Argv, choose: Choose): Argv {
  return program.command(
    'serve',
    'An OpenAI-compatible server that answers from recordings',
    (command) =>
      command
        .usage(
          '$0 serve\n\nPOST /v1/chat/completions and GET /v1/models, without a model, key or network. The model of a request names a recording: SUITE/FILE or SUITE/TASK. A conversation gets it at its first turn, and then "Done.".',
        )
        .options(SERVE_OPTIONS)
        .example('$0 serve --port 8080', 'The shipped suites, as fast as a model')
        .example('$0 serve --default replies/t14.ctl --speed 0', 'For clients whose model name is fixed')
        .example('$0 serve --script session.json', 'Turn by turn: docs/serve.md')
        .example('$0 serve --fault status:429 --fault cut@1200 --fault-times 1', 'At the first request of a turn')
        .epilogue('Exit codes: 0 stopped by a signal, 2 wrong option or value, 3 input that cannot be read.'),
    (args) => choose((terminal) => runServe(args as unknown as ServeArguments, terminal)),
  );
}

const SERVE_OPTIONS = {
  port: { type: 'string', default: '0', describe: 'Port; 0: any free one', requiresArg: true },
  recordings: { type: 'string', describe: 'Folder of your own recordings', requiresArg: true },
  default: { type: 'string', describe: 'Recording for every model name that is none', requiresArg: true },
  script: { type: 'string', describe: 'JSON file of a session: what answers each turn', requiresArg: true },
  framing: {
    type: 'string',
    default: 'ctl',
    describe: `Of SUITE/TASK, in a request without tools: ${FRAMINGS.join(', ')}`,
  },
  after: { type: 'string', default: 'done', describe: 'After the first turn of a recording: done, error, repeat' },
  speed: { type: 'string', default: '1', describe: '1 as recorded, N times faster, 0 no waiting' },
  seed: { type: 'string', describe: 'Of the times of what has none', defaultDescription: String(DEFAULT_SEED) },
  fault: { type: 'string', describe: `Any number of ${FAULT_FORMS.join(', ')}`, requiresArg: true },
  'fault-times': { type: 'string', describe: 'Only at the first N requests of a turn', requiresArg: true },
  host: { type: 'string', default: LOOPBACK_HOST, describe: 'Address to listen on', requiresArg: true },
  'allow-remote': { type: 'boolean', default: false, describe: 'Allow a host that is not loopback' },
  json: { type: 'boolean', default: false, describe: 'One JSON line for the start and for each request' },
} as const;

interface ServeArguments {
  readonly json: boolean;
  readonly [option: string]: unknown;
}

async function runServe(args: ServeArguments, terminal: Terminal): Promise<number> {
  const observer: ServeObserver = { ended: (exchange) => terminal.out(exchangeLine(exchange, args.json)) };
  try {
    const options = await readServeOptions(args);
    const server = await startServer({ ...options, observer });
    const closed = closeAtSignal(server);
    if (!isLoopback(options.host)) {
      terminal.err(`warning: ${options.host} is not loopback: whoever reaches it can read these recordings\n`);
    }
    terminal.out(startLine(server, args.json));
    await closed;
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof ServeError)) throw error;
    throw error.of === 'file' ? new InputError(error.message) : new UsageError(error.message);
  }
}

async function readServeOptions(args: ServeArguments): Promise<ServeOptions & { readonly host: string }> {
  const port = wholeNumber('--port', args['port'], 0) ?? 0;
  if (port > 65535) throw new UsageError(`--port takes a whole number up to 65535, not ${port}`);
  const host = optionalText('--host', args['host']) ?? LOOPBACK_HOST;
  const framing = oneOf('--framing', args['framing'], FRAMINGS);
  const after = oneOf('--after', args['after'], AFTER);
  const speed = readSpeed(args['speed']);
  const seed = wholeNumber('--seed', args['seed'], 0) ?? DEFAULT_SEED;
  const faults = readFaults(args);
  const session = await readSession(args, after);
  const dir = optionalText('--recordings', args['recordings']);
  const recordings = dir === undefined ? await shippedRecordings(seed) : await loadSuites(dir);
  const allowRemote = args['allow-remote'] === true;
  const rest = { framing, after, speed, seed, faults, recordings, ...(session !== null && { session }) };
  return { port, host, allowRemote, ...rest };
}

function readSpeed(value: unknown): number {
  const text = optionalText('--speed', value) ?? '1';
  if (/^[0-9]{1,9}(\.[0-9]{1,9})?$/.test(text)) return Number(text);
  throw new UsageError(
    `--speed takes a number from 0 (1 as recorded, 10 ten times faster), not ${JSON.stringify(text)}`,
  );
}

function readFaults(args: ServeArguments): readonly ArmedFault[] {
  const written = [args['fault'] ?? []].flat().map(String);
  const times = wholeNumber('--fault-times', args['fault-times'], 1) ?? null;
  if (times !== null && written.length === 0) throw new UsageError('--fault-times needs a --fault');
  return written.map((text) => armedFault(text, times));
}

async function readSession(args: ServeArguments, after: After): Promise<Session | null> {
  const name = optionalText('--default', args['default']);
  const script = optionalText('--script', args['script']);
  if (name !== undefined && script !== undefined) throw new UsageError('--default and --script exclude each other');
  if (script !== undefined) return readScript(await readFile(script, 'utf8'), script);
  return name === undefined ? null : recordingSession(name, after);
}

/**
 * Waits for a signal, then closes the server. Signals that come meanwhile change nothing: on a terminal, Ctrl-C reaches
 * a process and what started it, and that one may pass it on.
 */
async function closeAtSignal(server: RunningServer): Promise<void> {
  let stop = (): void => {};
  const signalled = new Promise<void>((resolve) => {
    stop = resolve;
  });
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  await signalled;
  await server.close();
  process.off('SIGINT', stop);
  process.off('SIGTERM', stop);
}
