/** `cst check`: S1, S2, S3, K and what goes with them, of each stream. */

import type { Argv } from 'yargs';
import type { Protocol } from '../parsers/protocols.ts';
import { DEFAULT_SEED } from '../replay/seeded.ts';
import { KnownFindings } from './check-known.ts';
import { openParser, PARSER_OPTIONS, type UnderTest } from './check-parser.ts';
import { CheckRun } from './check-run.ts';
import type { Choose } from './command.ts';
import {
  CHECK_EXIT_CODES,
  LIMIT_OPTIONS,
  optionalText,
  protocolOption,
  readProtocol,
  SMALLEST_LINE_LIMIT,
  wholeNumber,
} from './options.ts';
import { UsageError } from './run-command.ts';
import { typedPaths } from './source.ts';
import type { CheckOptions } from './stream-check.ts';
import type { Terminal } from './terminal.ts';
import { writeFileWhole } from './write-file.ts';

export function addCheck(program: Argv, choose: Choose): Argv {
  return program.command(
    'check <path..>',
    'Is what runs safe at every prefix of these streams?',
    (command) =>
      command
        .usage(
          '$0 check FILE|DIR...\n\nFeeds every byte prefix of each stream to its parsers and compares with the oracle: S1 (nothing incomplete runs), S2 (what ran stays as it was), S3 (nothing is taken back), K (pending is bounded), agreement with oracle and manifest, splits, continuations; pending and lag are measured. A violation is shown with its smallest prefix and a command that shows it again.',
        )
        .positional('path', { type: 'string', demandOption: true, describe: 'Streams (.sse), or folders of them' })
        .option('protocol', protocolOption('as the manifest says, else guessed; both JSON protocols for native'))
        .option('json', {
          type: 'boolean',
          default: false,
          describe: 'One JSON line a stream and protocol; the summary goes to stderr',
        })
        .option('junit', { type: 'string', describe: 'Write JUnit XML to this file', requiresArg: true })
        .option('filter', { type: 'string', describe: 'Only streams whose path contains this', requiresArg: true })
        .option('strict', {
          type: 'boolean',
          default: false,
          describe: 'Count known limits of a protocol as violations',
        })
        .option('known', {
          type: 'string',
          describe: 'JSON list of expected findings: they are accepted, and one that is gone is a violation',
          requiresArg: true,
        })
        .option('write-known', {
          type: 'string',
          describe: 'Make that list of what is violated, or bring it up to date',
          requiresArg: true,
        })
        .option('verbose', { type: 'boolean', default: false, describe: 'A line for every stream of a folder, too' })
        .options(PARSER_OPTIONS)
        .option('l-line', LIMIT_OPTIONS['l-line'])
        .option('seed', {
          type: 'string',
          describe: 'Seed of splits and continuations',
          defaultDescription: String(DEFAULT_SEED),
        })
        .example('$0 check recordings/replies', 'A suite')
        .example('$0 check my/streams --junit report.xml', 'Your own streams, in CI')
        .example('$0 check my/streams --known known.json', 'All but what is listed must hold')
        .example('$0 check answer.sse --protocol json-object', 'One stream, one protocol')
        .example('$0 check recordings --parser ./mine.js', 'A parser of your own (docs/own-parser.md)')
        .example("$0 check recordings --parser-cmd 'python3 mine.py'", 'The same, in any language')
        .epilogue(CHECK_EXIT_CODES),
    (args) => choose((terminal) => runCheck(args as unknown as CheckArguments, terminal)),
  );
}

interface CheckArguments {
  readonly path: readonly string[];
  readonly json: boolean;
  readonly strict: boolean;
  readonly verbose: boolean;
  readonly [option: string]: unknown;
}

async function runCheck(args: CheckArguments, terminal: Terminal): Promise<number> {
  const asked = readProtocol(args['protocol']);
  const judged = await openParser(args, asked, terminal);
  try {
    return await checkWith(args, { asked, judged }, terminal);
  } finally {
    await judged?.parser.close();
  }
}

async function checkWith(
  args: CheckArguments,
  { asked, judged }: { readonly asked: Protocol | 'auto'; readonly judged: UnderTest | null },
  terminal: Terminal,
): Promise<number> {
  const options: CheckOptions = {
    protocol: judged?.parser.protocol ?? asked,
    lineLimit: wholeNumber('--l-line', args['l-line'], SMALLEST_LINE_LIMIT),
    seed: wholeNumber('--seed', args['seed'], 0) ?? DEFAULT_SEED,
    strict: args.strict,
  };
  const filter = optionalText('--filter', args['filter']);
  const junitFile = optionalText('--junit', args['junit']);
  const known = await openKnown(args);
  const run = new CheckRun(options, { json: args.json, verbose: args.verbose, known, judged }, terminal);
  await run.check(await run.find(typedPaths(args.path), filter));
  await run.settleKnown();
  if (junitFile !== undefined) await writeFileWhole(junitFile, run.junit.text());
  return run.finish();
}

async function openKnown(args: CheckArguments): Promise<KnownFindings | null> {
  const judged = optionalText('--known', args['known']);
  const written = optionalText('--write-known', args['write-known']);
  if (judged !== undefined && written !== undefined) {
    throw new UsageError('--known judges by a list, --write-known makes it: give one of both');
  }
  if (judged !== undefined) return KnownFindings.open(judged, 'judge');
  return written === undefined ? null : KnownFindings.open(written, 'write');
}
