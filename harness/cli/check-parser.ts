/** `cst check --parser FILE` and `--parser-cmd COMMAND`: somebody else's parser in the place of ours. */
import { openCommand } from '../judge/command-parser.ts';
import { type Granularity, type JudgedParser, ParserUnusable } from '../judge/judged-parser.ts';
import { openModule } from '../judge/module-parser.ts';
import type { Protocol } from '../parsers/protocols.ts';
import { shellWord } from './counterexample.ts';
import { visible } from './glyphs.ts';
import { optionalText } from './options.ts';
import { InputError, UsageError } from './run-command.ts';
import type { Terminal } from './terminal.ts';

/** A parser, and the flags that name it. */
export interface UnderTest {
  readonly parser: JudgedParser;
  readonly flags: string;
}

export const PARSER_OPTIONS = {
  parser: { type: 'string', describe: 'Judge the parser of this JavaScript module instead of ours', requiresArg: true },
  'parser-cmd': {
    type: 'string',
    describe: 'Judge the parser that this command is: JSON Lines over stdin and stdout',
    requiresArg: true,
  },
  'parser-timeout': {
    type: 'string',
    describe: 'Seconds that the parser may take for one answer',
    defaultDescription: '10',
    requiresArg: true,
  },
} as const;

const SECONDS = 10;

export async function openParser(
  args: { readonly [option: string]: unknown },
  asked: Protocol | 'auto',
  terminal: Terminal,
): Promise<UnderTest | null> {
  const file = optionalText('--parser', args['parser']);
  const command = optionalText('--parser-cmd', args['parser-cmd']);
  const seconds = readSeconds(args['parser-timeout']);
  if (file !== undefined && command !== undefined) throw new UsageError('give --parser or --parser-cmd, not both');
  if (file === undefined && command === undefined) {
    if (seconds !== undefined) throw new UsageError('--parser-timeout is of --parser or --parser-cmd: give one');
    return null;
  }
  const protocol = asked === 'auto' ? undefined : asked;
  const after = seconds === undefined ? '' : ` --parser-timeout ${seconds}`;
  const options = { protocol, timeout: 1000 * (seconds ?? SECONDS), onStderr: terminal.err };
  const parser = await opened(() =>
    file === undefined ? openCommand(command ?? '', options) : openModule(file, options),
  );
  const flag = file === undefined ? `--parser-cmd ${shellWord(command ?? '')}` : `--parser ${shellWord(file)}`;
  return { parser, flags: ` ${flag}${after}` };
}

/** What is judged, and what of it is not. */
export function foreignHeading({ parser: { name, protocol, granularity, reports } }: UnderTest): string {
  const not = [
    ...NOT_JUDGED[granularity],
    ...(reports.pending ? [] : ['K (it reports no pending bytes)']),
    ...(reports.error ? [] : ['errors (it reports none)']),
  ];
  const left = not.length === 0 ? '' : `; not judged: ${not.join(', ')}`;
  return `parser ${visible(name)}, judged as ${protocol} at every ${PLACES[granularity]}${left}\n`;
}

export function parserFlags(judged: UnderTest | null): string {
  return judged?.flags ?? '';
}

const PLACES: Readonly<Record<Granularity, string>> = { byte: 'byte', char: 'character', delta: 'delta' };

const NOT_JUDGED: Readonly<Record<Granularity, readonly string[]>> = {
  byte: [],
  char: ['prefixes inside of a character'],
  delta: ['prefixes inside of a delta', 'splits of a delta'],
};

async function opened(open: () => Promise<JudgedParser>): Promise<JudgedParser> {
  try {
    return await open();
  } catch (error) {
    throw error instanceof ParserUnusable ? new InputError(error.message) : error;
  }
}

/** Up to a day: a timer cannot wait much longer. */
const MOST_SECONDS = 86_400;

function readSeconds(value: unknown): number | undefined {
  const text = optionalText('--parser-timeout', value);
  if (text === undefined) return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (seconds > 0 && seconds <= MOST_SECONDS) return seconds;
  throw new UsageError(`--parser-timeout takes seconds, as 0.5 or 20, not ${JSON.stringify(text)}`);
}
