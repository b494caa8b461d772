/** Files that a user asked for by name: they appear whole or not at all. */
import { rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { failureOf, InputError } from './run-command.ts';

/** Writes beside the target first; an older file of that name is replaced. */
export async function writeFileWhole(path: string, text: string): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.writing`);
  try {
    await writeFile(temporary, text);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    const failure = failureOf(error);
    if (failure === null) throw error;
    throw new InputError(`${path} cannot be written: ${failure.message.replace(/^.*: /s, '')}`);
  }
}
