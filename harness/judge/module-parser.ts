/**
 * A parser in a JavaScript module (docs/own-parser.md "A module"), in a process of its own (`module-host.ts`): it can loop,
 * throw out of turn, exit or change what it is given, and the checker stays what it is. It is asked by the lines of the
 * protocol of commands.
 */
import { basename, extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Protocol } from '../parsers/protocols.ts';
import { type JudgedParser, ParserUnusable } from './judged-parser.ts';
import { openLineParser } from './line-parser.ts';
import { type LineProgram, ProcessFailure } from './line-process.ts';
import type { Effort } from './line-trial.ts';
import type { HostArguments } from './module-host.ts';
import { BadAnswer } from './reported.ts';

export interface ModuleOptions {
  /** Goes before what the module exports. */
  readonly protocol: Protocol | undefined;
  /** For one answer, in ms. */
  readonly timeout: number;
  /** For its start and the module's own imports, in ms. Absent: 10 s, or `timeout` if that is longer. */
  readonly startTimeout?: number;
  /** Takes what the module prints. */
  readonly onStderr: (text: string) => void;
}

/** More than of a command: both sides are quick. */
const EFFORT: Effort = { byteBudget: 128 * 1024, oneByOne: 256 * 1024 };

/** ms */
const START_TIMEOUT = 10_000;

/** @throws ParserUnusable if the file is no module, or exports no parser. */
export async function openModule(file: string, options: ModuleOptions): Promise<JudgedParser> {
  try {
    const name = basename(file, extname(file));
    const { startTimeout = Math.max(options.timeout, START_TIMEOUT) } = options;
    const what = `the process of ${basename(file)}`;
    return await openLineParser({
      ...options,
      program: hostOf(file),
      what,
      saying: '',
      name,
      effort: EFFORT,
      startTimeout,
    });
  } catch (error) {
    if (error instanceof BadAnswer) throw new ParserUnusable(`${file}: ${error.message}`);
    if (!(error instanceof ProcessFailure)) throw error;
    throw new ParserUnusable(`${file}: its process ${error.message} (while it was loaded, or made a parser)`);
  }
}

const HERE = fileURLToPath(import.meta.url);

/** The host runs as this file does: compiled, or by tsx. */
function hostOf(file: string): LineProgram {
  const extension = extname(HERE);
  const host = fileURLToPath(new URL(`./module-host${extension}`, import.meta.url));
  const loader = extension === '.ts' ? ['--import', import.meta.resolve('tsx')] : loadersOf(process.execArgv);
  const parser: HostArguments = [file];
  return { file: process.execPath, args: [...loader, host, ...parser] };
}

const LOADERS = ['--import', '--require', '-r', '--loader', '--experimental-loader'];

/** The options of Node that say how modules are loaded. */
function loadersOf(options: readonly string[]): readonly string[] {
  return options.flatMap((option, at) => {
    if (LOADERS.some((name) => option.startsWith(`${name}=`))) return [option];
    return LOADERS.includes(option) ? [option, options[at + 1] ?? ''] : [];
  });
}
