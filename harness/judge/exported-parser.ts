/** What a module exports, as a way to make parsers (docs/own-parser.md "A module"). */
import { existsSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ParserOptions } from '../parsers/parser.ts';
import { PROTOCOLS, type Protocol } from '../parsers/protocols.ts';
import { type ForeignObject, frontierOf } from './guarded-parser.ts';

/** The file is no module, or exports no parser. The message says why. */
export class NoParser extends Error {
  override readonly name = 'NoParser';
}

export interface ExportedParser {
  readonly protocol: Protocol;
  readonly create: (options: ParserOptions) => ForeignObject;
}

type Exported = { readonly [name: string]: unknown };

/** @throws NoParser */
export async function loadParser(file: string): Promise<ExportedParser> {
  const exported = await load(file);
  return { create: creatorOf(exported), protocol: exportedProtocol(exported) };
}

/** Refuses what is made, once for all, if it is no parser. @throws NoParser */
export function refuseOtherThanParser(object: unknown): void {
  const problem = shapeProblem(object);
  if (problem !== null) throw new NoParser(problem);
}

async function load(file: string): Promise<Exported> {
  if (!existsSync(file)) throw new NoParser('no such file');
  try {
    const loaded = (await import(pathToFileURL(resolve(file)).href)) as Exported;
    const { default: main } = loaded;
    // CommonJS: what `module.exports` is stands under `default`, and its members need not be told.
    const holdsMembers = (typeof main === 'object' && main !== null) || typeof main === 'function';
    return holdsMembers ? { ...(main as Exported), ...loaded } : loaded;
  } catch (error) {
    throw new NoParser(`cannot be loaded: ${reasonOf(error, file)}`);
  }
}

function reasonOf(error: unknown, file: string): string {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION') {
    return `this Node does not run ${extname(file) || 'such'} files; compile it to JavaScript, or run cst by tsx`;
  }
  return error instanceof Error ? `${error.name}: ${error.message.split('\n')[0]}` : String(error);
}

function creatorOf(exported: Exported): ExportedParser['create'] {
  const { createParser, Parser, default: main } = exported;
  const found = [createParser, Parser, main].find((value) => typeof value === 'function');
  if (found === undefined) {
    const names = Object.keys(exported).join(', ') || 'nothing';
    throw new NoParser(
      `exports ${names}; wanted is a function createParser(options), or a class as Parser or default export`,
    );
  }
  const make = found as ((options: ParserOptions) => unknown) & (new (options: ParserOptions) => unknown);
  const prototype: unknown = make.prototype;
  // `Parser` is a class by its name; others are by their syntax, or by a push for all that are made.
  const isClass =
    found === Parser ||
    Function.prototype.toString.call(make).startsWith('class') ||
    (typeof prototype === 'object' && prototype !== null && 'push' in prototype);
  return (options) => (isClass ? new make(options) : make(options)) as ForeignObject;
}

function exportedProtocol(exported: Exported): Protocol {
  const { protocol = 'json-object' } = exported;
  const known = PROTOCOLS.find((name) => name === protocol);
  if (known !== undefined) return known;
  throw new NoParser(`exports the protocol ${JSON.stringify(protocol)}; known are ${PROTOCOLS.join(', ')}`);
}

function shapeProblem(object: unknown): string | null {
  if (typeof object !== 'object' || object === null) return 'what is made is no object';
  if ('then' in object) return 'createParser gives a promise: it must give the parser';
  for (const method of ['push', 'end']) {
    if (typeof (object as Exported)[method] !== 'function') return `it has no method ${method}`;
  }
  const { calls } = frontierOf(object as ForeignObject);
  return Array.isArray(calls) ? null : 'it has neither an array "calls" nor a frontier() with one';
}
