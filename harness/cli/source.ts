/** Where the bytes of a command's input come from: a file, read in pieces, or standard input. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { InputError } from './run-command.ts';
import type { Terminal } from './terminal.ts';

export const STDIN = '-';
/** yargs loses a lone `-` at the start of a list of files: it travels under another name. */
export const STDIN_STAND_IN = '\u0000stdin';

/** The paths as the user typed them. */
export function typedPaths(paths: readonly string[]): readonly string[] {
  return paths.map((path) => (path === STDIN_STAND_IN ? STDIN : path));
}

export interface Source {
  /** As the user typed it. */
  readonly name: string;
  /** The bytes from the start, at each call. */
  open(): AsyncIterable<Uint8Array>;
}

/** @param twice the source will be opened more than once: standard input is then held in memory. */
export async function openSource(path: string, terminal: Terminal, twice: boolean): Promise<Source> {
  if (path === STDIN) {
    if (!twice) return { name: path, open: () => terminal.input };
    const pieces: Uint8Array[] = [];
    for await (const piece of terminal.input) pieces.push(piece);
    return { name: path, open: () => each(pieces) };
  }
  const found = await stat(path);
  if (found.isDirectory()) throw new InputError(`${path}: is a folder, a file is wanted (cst check reads folders)`);
  return { name: path, open: () => createReadStream(path) };
}

/** The first `length` bytes of a stream. */
export async function* firstBytes(pieces: AsyncIterable<Uint8Array>, length: number): AsyncGenerator<Uint8Array> {
  let left = length;
  if (left === 0) return;
  for await (const piece of pieces) {
    yield piece.subarray(0, left);
    left -= Math.min(left, piece.length);
    if (left === 0) return;
  }
}

async function* each(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}
