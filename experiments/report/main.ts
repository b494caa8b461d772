/** `npm run report`: everything that the experiments found, as one page. */

import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import yargs from 'yargs';
import { EXIT } from '../../harness/cli/exit-code.ts';
import { InputError, runCommand, UsageError } from '../../harness/cli/run-command.ts';
import { writeFileWhole } from '../../harness/cli/write-file.ts';
import { DEFAULT_SEED } from '../../harness/replay/seeded.ts';
import { type Difference, describeDifference, firstDifference } from '../../harness/report/difference.ts';
import { buildReport } from './build-report.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COMMAND = 'npm run report --';
const DEFAULT_FILE = 'results/report.html';

interface Options {
  readonly check: boolean;
  readonly out: string | undefined;
}

async function parseOptions(argv: readonly string[]): Promise<Options | null> {
  let failure: string | null = null;
  const args = await yargs([...argv])
    .scriptName(COMMAND)
    .usage(
      '$0 [options]\n\nMakes one self-contained page from results/c, results/peers, results/d, results/e and the recordings.',
    )
    .option('check', { type: 'boolean', default: false, describe: 'Write nothing; fail if the page is stale' })
    .option('out', { type: 'string', describe: `File to write [${DEFAULT_FILE}]` })
    .example('$0', 'Then open results/report.html from disk')
    .example('$0 --check', 'Is the committed page up to date?')
    .epilogue('Exit codes: 0 done, 1 the page is stale, 2 usage, 3 results or recordings that cannot be read.')
    .strict()
    .version(false)
    .exitProcess(false)
    .fail((message, error) => {
      failure ??= message ?? error.message;
    })
    .parse();
  if (failure !== null) throw new UsageError(`${failure}\nSee ${COMMAND} --help`);
  if (Array.isArray(args.out)) throw new UsageError('--out is given more than once');
  if (args.out === '') throw new UsageError('--out needs a value: it is empty');
  return (args as { help?: boolean }).help === true ? null : { check: args.check, out: args.out };
}

async function main(): Promise<number> {
  const options = await parseOptions(process.argv.slice(2));
  if (options === null) return EXIT.ok;
  const file = options.out ?? join(ROOT, DEFAULT_FILE);
  const shown = options.out ?? DEFAULT_FILE;
  const page = await buildReport(ROOT, DEFAULT_SEED);
  const bytes = Buffer.from(page);
  if (options.check) return compare(shown, await committed(file, shown), bytes);
  await mkdir(dirname(file), { recursive: true });
  await writeFileWhole(file, page);
  process.stdout.write(`${shown}: ${(bytes.length / 1e6).toFixed(1)} MB, one file. Open it in a browser.\n`);
  return EXIT.ok;
}

function compare(shown: string, before: Uint8Array, page: Uint8Array): number {
  const difference = firstDifference(shown, before, page);
  if (difference === null) {
    process.stdout.write('The report is up to date.\n');
    return EXIT.ok;
  }
  process.stderr.write(`stale: ${describeDifference(aroundDifference(difference))}\nnpm run report writes it anew.\n`);
  return EXIT.violations;
}

async function committed(file: string, shown: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch {
    throw new InputError(`${shown} cannot be read: npm run report makes it`);
  }
}

/** UTF-16 units of a line that are shown before the first that differs: the page has lines of a million. */
const BEFORE = 60;

function aroundDifference(difference: Difference): Difference {
  if (difference.kind !== 'differs') return difference;
  const { committed: ours, produced: theirs } = difference;
  if (ours === null || theirs === null) return difference;
  let same = 0;
  while (same < ours.length && ours[same] === theirs[same]) same++;
  if (same <= BEFORE) return difference;
  const shortened = (text: string): string => `…${text.slice(same - BEFORE)}`;
  return { ...difference, committed: shortened(ours), produced: shortened(theirs) };
}

await runCommand(main);
