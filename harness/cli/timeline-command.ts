/** `cst timeline`: when each byte of a stream was confirmed, and when a call became executable. */
import type { Argv } from 'yargs';
import { PARSERS, type Protocol } from '../parsers/protocols.ts';
import { LEVELS, type Level } from '../replay/replay.ts';
import { fileTarget, refuseOtherThanSse, type Target } from './check-targets.ts';
import type { Choose } from './command.ts';
import { EXIT } from './exit-code.ts';
import { FIRST_READER } from './framing-guess.ts';
import { visible } from './glyphs.ts';
import {
  EXIT_CODES,
  LIMIT_OPTIONS,
  oneOf,
  optionalText,
  protocolOption,
  readLimits,
  readProtocol,
  wholeNumber,
} from './options.ts';
import { failureOf, InputError } from './run-command.ts';
import { STDIN, typedPaths } from './source.ts';
import type { Terminal } from './terminal.ts';
import { type Timeline, traceTimeline } from './timeline.ts';
import { drawTimeline } from './timeline-picture.ts';
import { writeFileWhole } from './write-file.ts';

const DEFAULT_ROWS = 40;

export function addTimeline(program: Argv, choose: Choose): Argv {
  return program.command(
    'timeline <file>',
    'A picture of what is confirmed and pending along a stream',
    (command) =>
      command
        .usage(
          '$0 timeline FILE\n\nFeeds the stream byte by byte, and marks each byte: confirmed, pending, or a call is executable.',
        )
        .positional('file', { type: 'string', describe: 'A stream (.sse)', demandOption: true })
        .option('protocol', protocolOption('as the manifest says, else guessed'))
        .option('level', {
          type: 'string',
          default: 'content',
          describe: 'content: bytes of text and arguments; wire: of the response',
        })
        .option('svg', { type: 'string', describe: 'Write a chart to this file', requiresArg: true })
        .option('from', { type: 'string', describe: 'First byte drawn', defaultDescription: '0', requiresArg: true })
        .option('rows', {
          type: 'string',
          describe: 'Most rows of bytes; 0 for all',
          defaultDescription: String(DEFAULT_ROWS),
          requiresArg: true,
        })
        .options(LIMIT_OPTIONS)
        .example('$0 timeline answer.sse', 'The message, byte by byte')
        .example('$0 timeline answer.sse --protocol json-object --level wire', 'The response body')
        .example('$0 timeline answer.sse --svg timeline.svg', 'A chart, too')
        .epilogue(EXIT_CODES),
    (args) => choose((terminal) => runTimeline(args as TimelineArguments, terminal)),
  );
}

interface TimelineArguments {
  readonly file: string;
  readonly [option: string]: unknown;
}

async function runTimeline(args: TimelineArguments, terminal: Terminal): Promise<number> {
  const asked = readProtocol(args['protocol']);
  const level = oneOf('--level', args['level'], LEVELS);
  const from = wholeNumber('--from', args['from'], 0) ?? 0;
  const rows = wholeNumber('--rows', args['rows'], 0) ?? DEFAULT_ROWS;
  const svg = optionalText('--svg', args['svg']);
  const limits = readLimits(args);
  const path = typedPaths([args.file])[0] ?? '';
  const target = await openTarget(path);
  const protocol = asked === 'auto' ? FIRST_READER[target.recording.framing] : asked;
  const timeline = await trace(target, { protocol, level, limits });
  const guess = asked === 'auto' && target.recording.guessed ? ' (guessed)' : '';
  terminal.out(`${visible(path)}: ${protocol}${guess}\n\n`);
  terminal.out(drawTimeline(timeline, { columns: terminal.columns, colour: terminal.colour, from, rows }));
  if (svg !== undefined) {
    // Half of the program's start, and a native library: only who wants a chart waits for them, and needs them.
    const { renderChart } = await import('../report/chart.ts');
    const { timelineChart } = await import('./timeline-chart.ts');
    const { svg: drawn } = await renderChart(timelineChart(timeline, { file: target.recording.file, protocol }));
    await writeFileWhole(svg, drawn);
    terminal.err(`The chart is in ${visible(svg)}.\n`);
  }
  return EXIT.ok;
}

async function openTarget(path: string): Promise<Target> {
  if (path === STDIN) throw new InputError('-: standard input is for cst parse; a timeline wants a file');
  try {
    return await fileTarget(path);
  } catch (error) {
    const failure = failureOf(error, path);
    throw failure === null ? error : new InputError(failure.message);
  }
}

async function trace(
  target: Target,
  { protocol, level, limits }: { protocol: Protocol; level: Level; limits: ReturnType<typeof readLimits> },
): Promise<Timeline> {
  const { recording } = target;
  const bytes = await recording.bytes();
  refuseOtherThanSse(target, bytes);
  const { eventLimit: listedLimit, ...listed } = recording.limits ?? {};
  const eventLimit = limits.eventLimit ?? listedLimit;
  const parser = PARSERS[protocol]({ ...limits.parser, ...listed });
  return traceTimeline(
    { bytes, wire: recording.wire, ...(eventLimit === undefined ? {} : { eventLimit }) },
    parser,
    level,
  );
}
