/** `cst parse`: what a stream makes executable. */
import type { Argv } from 'yargs';
import { type ToolSchema, XML_VALUE_MODES } from '../parsers/xml-values.ts';
import type { Choose } from './command.ts';
import { EXIT } from './exit-code.ts';
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
import { type ParseOptions, parseSource } from './parse-source.ts';
import { parseJson, parseView } from './parse-view.ts';
import { failureOf, UsageError } from './run-command.ts';
import { openSource, STDIN, typedPaths } from './source.ts';
import { INPUTS, type Prefix } from './stream-events.ts';
import type { Terminal } from './terminal.ts';
import { readTools } from './tools-file.ts';

const ENDS = ['auto', 'complete', 'cut'] as const;

export function addParse(program: Argv, choose: Choose): Argv {
  return program.command(
    'parse <file..>',
    'The calls that a stream makes executable',
    (command) =>
      command
        .usage('$0 parse FILE...\n\nReads each stream once and says which calls it made executable, and at which byte.')
        .positional('file', { type: 'string', demandOption: true, describe: 'Streams; - is standard input' })
        .option('protocol', protocolOption('guessed from the content'))
        .option('input', {
          type: 'string',
          default: 'sse',
          describe: 'sse: a response body; content: the text of a message',
        })
        .option('end', {
          type: 'string',
          default: 'auto',
          describe: 'auto: as the stream says (content: complete); complete; cut',
        })
        .option('json', { type: 'boolean', default: false, describe: 'One JSON line a file' })
        .option('prefix', { type: 'string', describe: 'Read only the first N bytes', requiresArg: true })
        .option('level', { type: 'string', default: 'wire', describe: 'What --prefix counts: wire or content bytes' })
        .option('tools', {
          type: 'string',
          describe: 'JSON file of tools: types xml values by schema',
          requiresArg: true,
        })
        .option('xml-values', { type: 'string', default: 'raw', describe: 'raw, or minimax-guide: strip and coerce' })
        .options(LIMIT_OPTIONS)
        .example('$0 parse answer.sse', 'Guess the protocol')
        .example('$0 parse answer.sse --protocol ctl --json', 'One JSON line')
        .example('$0 parse message.txt --protocol xml --input content', 'The text of a message')
        .example('head -c 900 answer.sse | $0 parse - --protocol json-object', 'The first 900 bytes')
        .epilogue(`A contract error is an answer, and no failure. ${EXIT_CODES}`),
    (args) => choose((terminal) => runParse(args as unknown as ParseArguments, terminal)),
  );
}

interface ParseArguments {
  readonly file: readonly string[];
  readonly json: boolean;
  readonly [option: string]: unknown;
}

async function runParse(args: ParseArguments, terminal: Terminal): Promise<number> {
  const options = await readOptions(args);
  const paths = typedPaths(args.file);
  if (paths.filter((path) => path === STDIN).length > 1) throw new UsageError('standard input (-) can be read once');
  let exitCode: number = EXIT.ok;
  for (const path of paths) {
    try {
      const source = await openSource(path, terminal, options.protocol === 'auto');
      const parsed = await parseSource(source, options);
      terminal.out(args.json ? `${parseJson(parsed)}\n` : parseView(parsed));
    } catch (error) {
      const failure = failureOf(error, path);
      if (failure === null || failure.exitCode === EXIT.usage) throw error;
      terminal.err(`${failure.message}\n`);
      exitCode = failure.exitCode;
    }
  }
  return exitCode;
}

async function readOptions(args: ParseArguments): Promise<ParseOptions> {
  const protocol = readProtocol(args['protocol']);
  const input = oneOf('--input', args['input'], INPUTS);
  const end = oneOf('--end', args['end'], ENDS);
  const limits = readLimits(args);
  const prefix = readPrefix(args, input);
  const xmlValues = oneOf('--xml-values', args['xml-values'], XML_VALUE_MODES);
  const path = optionalText('--tools', args['tools']);
  const isTyped = path !== undefined || xmlValues !== 'raw';
  if (isTyped && protocol !== 'xml' && protocol !== 'auto') {
    throw new UsageError(`--tools and --xml-values are for --protocol xml, not ${protocol}`);
  }
  const tools: readonly ToolSchema[] | null = path === undefined ? null : await readTools(path);
  return { protocol, input, end, limits, prefix, tools, xmlValues };
}

function readPrefix(args: ParseArguments, input: string): Prefix | undefined {
  const level = oneOf('--level', args['level'], ['wire', 'content']);
  const length = wholeNumber('--prefix', args['prefix'], 0);
  if (length === undefined) return undefined;
  // Of a message's text both are the same bytes, and what is left out makes the end a cut.
  return { length, level: input === 'content' ? 'content' : level };
}
