/** The licences of the packages that are bundled into the page: those who pass the page on pass these on with it. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const PACKAGE = z.object({ name: z.string(), version: z.string(), license: z.string() });
const LICENCE_FILE = /^licen[cs]e(?:\.(?:md|txt))?$/i;

/** @param sources absolute paths of source files. Packages with the same text share it; packages are in order of their names. */
export async function licencesOf(sources: readonly string[]): Promise<string> {
  const folders = [
    ...new Set(sources.flatMap((path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? [])),
  ];
  const names = new Map<string, string[]>();
  for (const { name, text } of (await Promise.all(folders.map(licenceOf))).sort(byName)) {
    names.set(text, [...(names.get(text) ?? []), name]);
  }
  return [...names].map(([text, own]) => `${own.join(', ')}\n\n${text}`).join('\n\n\n');
}

interface Licence {
  /** `d3-array 3.2.4 (ISC)`. */
  readonly name: string;
  readonly text: string;
}

async function licenceOf(folder: string): Promise<Licence> {
  const { name, version, license } = PACKAGE.parse(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')));
  const file = (await readdir(folder)).sort().find((entry) => LICENCE_FILE.test(entry));
  const text = file === undefined ? '(the package ships no text)' : await readFile(join(folder, file), 'utf8');
  return { name: `${name} ${version} (${license})`, text: text.replaceAll('\r\n', '\n').trim() };
}

function byName(a: Licence, b: Licence): number {
  return a.name < b.name ? -1 : 1;
}
