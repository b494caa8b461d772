/** `cst import`: recordings of other tools become a suite. */
import type { Argv } from 'yargs';
import { FORMATS } from '../import/format.ts';
import {
  type ImportOptions,
  type ImportTarget,
  importFiles,
  inputFiles,
  type Outcome,
} from '../import/import-files.ts';
import { sha256 } from '../replay/stored-recording.ts';
import { namesOf, nextFreeName, readSuite, SuiteWriter } from '../replay/suite-writer.ts';
import { WIRE_FORMATS } from '../stream/wire-format.ts';
import type { Choose } from './command.ts';
import { EXIT } from './exit-code.ts';
import { importedLine, jsonLine, notImportedLines, problemLine, summaryLine } from './import-view.ts';
import { oneOf, optionalText } from './options.ts';
import { InputError, UsageError } from './run-command.ts';
import { STDIN, typedPaths } from './source.ts';
import { type Terminal, whenOutputCloses } from './terminal.ts';

const ABOUT = 'Streams that other tools recorded, imported.';

const OPTIONS = {
  out: { type: 'string', describe: 'Folder of suites', requiresArg: true },
  suite: {
    type: 'string',
    describe: 'Name of the suite: a folder in --out; one that is there is continued',
    requiresArg: true,
  },
  about: { type: 'string', describe: 'A sentence for the manifest of a new suite', requiresArg: true },
  format: { type: 'string', default: 'auto', describe: `auto, ${FORMATS.join(', ')}`, requiresArg: true },
  wire: { type: 'string', default: 'auto', describe: `auto, ${WIRE_FORMATS.join(', ')}`, requiresArg: true },
  redact: {
    type: 'boolean',
    default: true,
    describe: 'Mask what looks like a key; with --no-redact what holds one is not imported',
  },
  'dry-run': { type: 'boolean', default: false, describe: 'Write nothing' },
  json: { type: 'boolean', default: false, describe: 'One JSON line for each exchange, then the counts' },
} as const;

export function addImport(program: Argv, choose: Choose): Argv {
  return program.command(
    'import [files..]',
    'Make recordings of cassettes, archives and logs',
    (command) =>
      command
        .usage(
          '$0 import FILE|DIR... --out DIR --suite NAME\n\nReads what other tools recorded (vcrpy, ruby vcr, go-vcr, Polly.JS, nock, HAR, chunks of the AI SDK, JSON Lines) and stores the streamed answers in it as recordings. What each format keeps and loses: docs/import.md.',
        )
        .positional('files', { type: 'string', array: true, default: [], describe: 'Files, or folders of them' })
        .options(OPTIONS)
        .example('$0 import tests/cassettes --out my --suite cassettes', 'All in a folder')
        .example('$0 import chat.har --out my --suite browser --dry-run', 'What would be imported?')
        .epilogue(
          'Exit codes: 0 everything was read, 1 something could not be read or had to be refused, 2 wrong option or value, 3 no input could be read, or the suite cannot be written.',
        ),
    (args) => choose((terminal) => runImport(args as unknown as ImportArguments, terminal)),
  );
}

interface ImportArguments {
  readonly files: readonly string[];
  readonly redact: boolean;
  readonly 'dry-run': boolean;
  readonly json: boolean;
  readonly [option: string]: unknown;
}

async function runImport(args: ImportArguments, terminal: Terminal): Promise<number> {
  const options = readOptions(args);
  const place = placeOf(args);
  const paths = typedPaths(args.files);
  if (paths.length === 0) throw new UsageError('a file or folder is missing');
  if (paths.includes(STDIN)) throw new UsageError('standard input cannot be imported: its name tells the format');
  const { files, passed } = await inputFiles(paths);
  if (files.length === 0) throw new InputError(`${paths[0] ?? ''}: holds no file that could be imported`);
  // Recordings are what it is for: they are imported to the last, whoever reads the list (`cst import … | head`).
  whenOutputCloses(() => {});
  const target = await openTarget(place, args);
  try {
    const shown = new ShownOutcomes(args.json, terminal);
    for (const outcome of passed) shown.add(outcome);
    for await (const outcome of importFiles(files, target, options)) {
      shown.add(outcome);
      // Nothing is said to be imported before it is.
      if (target.staged() === 0) shown.flush();
    }
    await target.flush();
    const outcomes = shown.flush();
    if (!args.json) for (const line of notImportedLines(outcomes)) terminal.out(line);
    terminal.out(summaryLine(outcomes, { ...place, json: args.json }));
    return exitCode(outcomes, files.length);
  } finally {
    await target.close();
  }
}

class ShownOutcomes {
  readonly #outcomes: Outcome[] = [];
  readonly #json: boolean;
  readonly #terminal: Terminal;
  #shown = 0;

  constructor(json: boolean, terminal: Terminal) {
    this.#json = json;
    this.#terminal = terminal;
  }

  add(outcome: Outcome): void {
    this.#outcomes.push(outcome);
  }

  /** Shows what was not shown yet. @returns all */
  flush(): readonly Outcome[] {
    for (const outcome of this.#outcomes.slice(this.#shown)) show(outcome, this.#json, this.#terminal);
    this.#shown = this.#outcomes.length;
    return this.#outcomes;
  }
}

function show(outcome: Outcome, json: boolean, terminal: Terminal): void {
  if (json) terminal.out(jsonLine(outcome));
  else if (outcome.outcome === 'imported') terminal.out(importedLine(outcome));
  else if (outcome.outcome === 'refused' || outcome.outcome === 'unreadable') terminal.err(problemLine(outcome));
}

function readOptions(args: ImportArguments): ImportOptions {
  const wire = oneOf('--wire', args['wire'], ['auto', ...WIRE_FORMATS] as const);
  return {
    format: oneOf('--format', args['format'], ['auto', ...FORMATS] as const),
    wire: wire === 'auto' ? null : wire,
    redact: args.redact,
  };
}

interface SuitePlace {
  readonly out: string | undefined;
  readonly suite: string | undefined;
  readonly dryRun: boolean;
}

function placeOf(args: ImportArguments): SuitePlace {
  const out = optionalText('--out', args['out']);
  const suite = optionalText('--suite', args['suite']);
  const dryRun = args['dry-run'];
  const missing = out === undefined ? '--out DIR' : suite === undefined ? '--suite NAME' : null;
  if (missing !== null && !dryRun) throw new UsageError(`${missing} is missing: where to write (or --dry-run)`);
  return { out, suite, dryRun };
}

interface OpenTarget extends ImportTarget {
  /** Recordings that are not in their places yet. */
  staged(): number;
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** Recordings that take their places together, at the least. */
const BATCH = 200;

async function openTarget({ out, suite, dryRun }: SuitePlace, args: ImportArguments): Promise<OpenTarget> {
  const about = optionalText('--about', args['about']) ?? ABOUT;
  const isWhole = out !== undefined && suite !== undefined;
  const writer = isWhole && !dryRun ? await SuiteWriter.open(out, { suite, about }, { batch: BATCH }) : null;
  const held = writer?.recordings ?? (isWhole ? (await readSuite(out, suite))?.recordings : undefined) ?? [];
  const names = new Map(held.map(({ sha256: hash, file }) => [hash, file]));
  const taken = namesOf(held);
  return {
    holds: (hash) => names.get(hash) ?? null,
    add: async (recording) => {
      const { task, protocol } = recording.entry;
      const name =
        (await writer?.add(recording)) ??
        nextFreeName(`${task}.${protocol}`, 1, (file) => taken.has(file.toLowerCase())).name;
      taken.add(name.toLowerCase());
      names.set(sha256(recording.bytes), name);
      return name;
    },
    staged: () => writer?.staged ?? 0,
    flush: async () => writer?.flush(),
    close: async () => writer?.close(),
  };
}

/** 3 only if nothing could be read at all: a folder may hold one broken file among many. */
function exitCode(outcomes: readonly Outcome[], files: number): number {
  const isWrong = ({ outcome }: Outcome): boolean => outcome === 'unreadable' || outcome === 'refused';
  const unread = outcomes.filter(({ outcome, place }) => outcome === 'unreadable' && place === null).length;
  if (unread === files) return EXIT.unreadable;
  return outcomes.some(isWrong) ? EXIT.violations : EXIT.ok;
}
