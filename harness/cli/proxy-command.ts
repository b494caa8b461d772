/** `cst proxy`: records whatever passes between an agent and its model server. */
import type { Argv } from 'yargs';
import { BODY_LIMIT } from '../record/attempt.ts';
import { type ProxyExchange, type ProxyOptions, startProxy, TASK_SOURCES } from '../record/proxy.ts';
import type { StoreOptions } from '../record/proxy-store.ts';
import { ThreadStore } from '../record/thread-store.ts';
import { FRAMINGS } from '../replay/recording.ts';
import { isLoopback } from '../serve/listen.ts';
import { ServeError } from '../serve/serve-error.ts';
import { LOOPBACK_HOST } from '../serve/server.ts';
import type { Choose } from './command.ts';
import { EXIT } from './exit-code.ts';
import { Interrupt } from './interrupt.ts';
import { oneOf, optionalText, wholeNumber } from './options.ts';
import { exchangeLine, proxyStartLine, proxySummary, warningLine } from './proxy-view.ts';
import { withoutUser } from './record-options.ts';
import { UsageError } from './run-command.ts';
import { readSuitePlace, requiredText, SUITE_OPTIONS, type SuitePlace } from './suite-options.ts';
import type { Terminal } from './terminal.ts';

export function addProxy(program: Argv, choose: Choose): Argv {
  return program.command(
    'proxy',
    'Record what passes between an agent and its model server',
    (command) =>
      command
        .usage(
          '$0 proxy --target URL --out DIR --suite NAME\n\nA reverse proxy on this machine: give its address to an agent as base URL. What passes is unchanged and not delayed; a copy of each streamed answer is stored. Keys pass through and are stored nowhere.',
        )
        .options(PROXY_OPTIONS)
        .example(
          '$0 proxy --target https://api.openai.com --out my --suite agent --port 8081',
          'Base URL: http://127.0.0.1:8081/v1',
        )
        .example('$0 proxy --target http://127.0.0.1:8080 --out my --suite local --protocol ctl', 'Of one framing')
        .example('$0 proxy … --task-from path', 'Base URL http://127.0.0.1:8081/t01/v1: task t01')
        .epilogue(
          'Exit codes: 0 stopped by a signal, all streamed answers stored; 1 stopped, some are not; 2 wrong option or value; 3 a suite that cannot be written.',
        ),
    (args) => choose((terminal) => runProxy(args as unknown as ProxyArguments, terminal)),
  );
}

const PROXY_OPTIONS = {
  target: { type: 'string', describe: 'The model server; a path in it comes before all paths', requiresArg: true },
  ...SUITE_OPTIONS,
  port: { type: 'string', default: '0', describe: 'Port; 0: any free one', requiresArg: true },
  host: { type: 'string', default: LOOPBACK_HOST, describe: 'Loopback address to listen on', requiresArg: true },
  protocol: {
    type: 'string',
    describe: `${FRAMINGS.join(', ')}; guessed from each answer if absent`,
    requiresArg: true,
  },
  'task-from': {
    type: 'string',
    default: 'header',
    describe: 'Who names the task: header (x-cst-task) or path (its first segment); else a hash of the request does',
  },
  provider: { type: 'string', describe: 'Who runs the model, for the manifest', requiresArg: true },
  redact: { type: 'boolean', default: false, describe: 'Mask secrets in recordings instead of refusing to store them' },
  json: { type: 'boolean', default: false, describe: 'One JSON line for the start and for each request' },
} as const;

interface ProxyArguments {
  readonly redact: boolean;
  readonly json: boolean;
  readonly [option: string]: unknown;
}

async function runProxy(args: ProxyArguments, terminal: Terminal): Promise<number> {
  const settings = readProxySettings(args);
  const interrupt = new Interrupt();
  const store = await ThreadStore.open(settings.out, settings, { ...settings, keepLimit: BODY_LIMIT });
  const ended: ProxyExchange[] = [];
  try {
    const observer = {
      ended: (exchange: ProxyExchange) => {
        ended.push(exchange);
        terminal[exchange.lost ? 'err' : 'out'](exchangeLine(exchange, args.json));
      },
      warned: (warning: string) => terminal.err(warningLine(warning, args.json)),
    };
    const proxy = await startProxy({ ...settings, store, observer });
    terminal.out(proxyStartLine(proxy, settings, args.json));
    await aborted(interrupt.signal);
    await proxy.close();
    if (!args.json) terminal.out(proxySummary(ended, settings));
    return ended.some(({ lost }) => lost) ? EXIT.violations : EXIT.ok;
  } catch (error) {
    throw error instanceof ServeError ? new UsageError(error.message) : error;
  } finally {
    interrupt.release();
    await store.close();
  }
}

type ProxySettings = Omit<ProxyOptions, 'store' | 'observer'> & Omit<StoreOptions, 'keepLimit'> & SuitePlace;

function readProxySettings(args: ProxyArguments): ProxySettings {
  const port = wholeNumber('--port', args['port'], 0) ?? 0;
  if (port > 65535) throw new UsageError(`--port takes a whole number up to 65535, not ${port}`);
  const host = optionalText('--host', args['host']) ?? LOOPBACK_HOST;
  if (!isLoopback(host)) {
    throw new UsageError(`--host ${host} is not loopback: other machines could use the keys that pass through`);
  }
  return {
    target: readTarget(requiredText(args, 'target')),
    ...{ port, host, redact: args.redact },
    taskFrom: oneOf('--task-from', args['task-from'], TASK_SOURCES),
    protocol: args['protocol'] === undefined ? null : oneOf('--protocol', args['protocol'], FRAMINGS),
    provider: optionalText('--provider', args['provider']) ?? null,
    ...readSuitePlace(args, 'Answers of a model server to an agent, recorded by cst proxy.'),
  };
}

function readTarget(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`--target ${withoutUser(text)}: expected a URL that begins with http:// or https://`);
  }
  if (url.username !== '' || url.password !== '' || url.search !== '') {
    throw new UsageError('--target must hold no name, password or query: what a request needs comes from the client');
  }
  return url;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
