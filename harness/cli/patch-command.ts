/** `cst patch`: a unified diff lands whole or not at all. */
import { stat } from 'node:fs/promises';
import type { Argv } from 'yargs';
import { applyPatch, type PatchAnswer } from '../patch/apply-patch.ts';
import { COUNTS_MODES, type PatchAction } from '../patch/patch.ts';
import type { PlannedFile } from '../patch/plan.ts';
import type { Choose } from './command.ts';
import { EXIT } from './exit-code.ts';
import { plural, visible } from './glyphs.ts';
import { Interrupt } from './interrupt.ts';
import { oneOf, optionalText } from './options.ts';
import { InputError } from './run-command.ts';
import { openSource, typedPaths } from './source.ts';
import type { Terminal } from './terminal.ts';

const ABOUT =
  'Applies a unified diff of any number of files: all of it, or nothing. Wrong line numbers and counts are corrected where the lines leave no doubt; every correction is told.';
const EXIT_CODES =
  'Exit codes: 0 applied (with --dry-run: it would apply), 1 it does not apply and nothing was changed, 2 wrong option or value, 3 input that cannot be read, 130 interrupted, and all put back.';

export function addPatch(program: Argv, choose: Choose): Argv {
  return program.command(
    'patch <file>',
    'Apply a unified diff: all of it, or nothing',
    (command) =>
      command
        .usage(`$0 patch FILE\n\n${ABOUT}`)
        .positional('file', { type: 'string', demandOption: true, describe: 'The diff; - is standard input' })
        .option('cwd', { type: 'string', default: '.', describe: 'The folder that it may change' })
        .option('counts', {
          type: 'string',
          default: 'recount',
          describe: 'recount: its lines count, not the numbers in @@; strict: it may be cut, so numbers must be met',
        })
        .option('dry-run', { type: 'boolean', default: false, describe: 'Say what would happen, change nothing' })
        .option('json', { type: 'boolean', default: false, describe: 'One JSON line: ok, files, error' })
        .example('$0 patch changes.diff --cwd project', 'Apply it in the folder project')
        .example('git diff | $0 patch - --cwd ../copy --dry-run', 'Would it apply there?')
        .example('$0 patch answer.diff --counts strict --json', 'A diff that may have been cut')
        .epilogue(EXIT_CODES),
    (args) => choose((terminal) => runPatch(args, terminal)),
  );
}

interface PatchArguments {
  readonly file: string;
  readonly 'dry-run': boolean;
  readonly json: boolean;
  readonly [option: string]: unknown;
}

async function runPatch(args: PatchArguments, terminal: Terminal): Promise<number> {
  const root = optionalText('--cwd', args['cwd']) ?? '.';
  const counts = oneOf('--counts', args['counts'], COUNTS_MODES);
  if (!(await stat(root)).isDirectory()) throw new InputError(`${root}: is a file, a folder is wanted`);
  const dryRun = args['dry-run'];
  const bytes = await bytesOf(args.file, terminal);
  // A signal that ended the process would leave some files new and some old.
  const interrupt = new Interrupt();
  const answer = await applyPatch(bytes, { root, counts, dryRun, signal: interrupt.signal }).finally(() =>
    interrupt.release(),
  );
  if (args.json) terminal.out(`${JSON.stringify(answer)}\n`);
  else showAnswer(answer, dryRun, terminal);
  if (answer.ok) return EXIT.ok;
  return answer.error.kind === 'cancelled' ? EXIT.cancelled : EXIT.violations;
}

async function bytesOf(path: string, terminal: Terminal): Promise<Uint8Array> {
  const source = await openSource(typedPaths([path])[0]!, terminal, false);
  const pieces: Uint8Array[] = [];
  for await (const piece of source.open()) pieces.push(piece);
  return Buffer.concat(pieces);
}

function showAnswer(answer: PatchAnswer, dryRun: boolean, terminal: Terminal): void {
  if (!answer.ok) {
    const { kind, file, hunk, message } = answer.error;
    const place = [...(file === null ? [] : [file]), ...(hunk === null ? [] : [`hunk ${hunk}`])].join(', ');
    terminal.err(`${visible(`${kind}: ${place === '' ? '' : `${place}: `}${message}`)}\n`);
    // A message about files says itself what became of them.
    if (kind !== 'io' && kind !== 'cancelled') terminal.err('Nothing was changed.\n');
    return;
  }
  for (const file of answer.files) terminal.out(`${visible(fileLine(file, dryRun))}\n`);
  for (const path of answer.leftovers ?? []) terminal.err(`${visible(path)} is left over and can be removed\n`);
}

/** What was done, and what would be. */
const VERBS: { readonly [action in PatchAction]: readonly [done: string, planned: string] } = {
  edit: ['edited', 'would edit'],
  create: ['created', 'would create'],
  delete: ['deleted', 'would delete'],
  rename: ['renamed', 'would rename'],
  copy: ['copied', 'would copy'],
  mode: ['changed the mode of', 'would change the mode of'],
};

function fileLine({ path, from, action, hunks, fuzz, corrections }: PlannedFile, dryRun: boolean): string {
  const names = from === undefined ? path : `${from} -> ${path}`;
  const count = hunks === 0 ? [] : [plural(hunks, 'hunk')];
  const fuzzy = fuzz === 0 ? [] : [`${fuzz} with fuzz`];
  const notes = corrections.length === 0 ? '' : ` (${corrections.join('; ')})`;
  const verb = VERBS[action][dryRun ? 1 : 0];
  return `${[`${verb} ${names}`, ...count, ...fuzzy].join(', ')}${notes}`;
}
