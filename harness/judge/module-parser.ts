/**
 * A parser in a JavaScript module, judged in this process (docs/own-parser.md "A module").
 *
 * No worker thread: V8's watchdog (`vm`, `timeout`) stops a synchronous endless loop in place, so that a parser stays an
 * object that is called, and a check of a thousand streams costs no thread.
 */
import { existsSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runInNewContext } from 'node:vm';
import { DEFAULT_OPTIONS, type ParserOptions, type ToolCallParser } from '../parsers/parser.ts';
import { PROTOCOLS, type Protocol } from '../parsers/protocols.ts';
import type { Reports } from '../properties/check.ts';
import type { CheckedRecording } from '../properties/recording-check.ts';
import { type ForeignObject, frontierOf, GuardedParser } from './guarded-parser.ts';
import {
  type Fault,
  type ForeignParser,
  type Judged,
  type JudgedParser,
  ParserUnusable,
  withAnswers,
} from './judged-parser.ts';

export interface ModuleOptions {
  /** Goes before what the module exports. */
  readonly protocol: Protocol | undefined;
  /** For all checks of one stream, in ms. */
  readonly timeout: number;
}

type Create = (options: ParserOptions) => ForeignObject;

/** @throws ParserUnusable if the file is no module, or exports no parser. */
export async function openModule(file: string, { protocol, timeout }: ModuleOptions): Promise<JudgedParser> {
  const exported = await load(file);
  const create = creatorOf(exported, file);
  const probe = probeOf(create, file);
  const reports = { pending: probe.pending !== undefined, error: probe.error !== undefined };
  return {
    name: basename(file, extname(file)),
    protocol: protocol ?? exportedProtocol(exported, file),
    reports,
    granularity: 'byte',
    check: async (check) => checkModule(check, { create, timeout, reports }),
    close: async () => undefined,
  };
}

interface OpenModule {
  readonly create: Create;
  readonly timeout: number;
  readonly reports: Reports;
}

function checkModule<T extends CheckedRecording>(
  check: (foreign: ForeignParser) => T,
  { create, timeout, reports }: OpenModule,
): Judged<T> {
  const made: GuardedParser[] = [];
  const parser = (options: ParserOptions): ToolCallParser => {
    const guarded = new GuardedParser(created(create, options));
    made.push(guarded);
    return guarded;
  };
  try {
    const checked = runInNewContext('run()', { run: () => check({ parser, reports, scope: EVERYTHING }) }, { timeout });
    return withAnswers(checked as T, { fault: firstFault(made), judgedAt: 'byte' });
  } catch (failure) {
    if (!isTimeout(failure)) throw failure;
    const what = `the parser did not come back within ${timeout / 1000} s for this stream: it may loop for ever (--parser-timeout gives it longer)`;
    const silent = check({ parser: silence, reports, scope: { beyondTheRecording: false } });
    const delivered = made.at(-1)?.delivered ?? 0;
    return withAnswers({ ...silent, outcomes: [] }, { fault: { what, delivered }, judgedAt: 'byte' });
  }
}

const EVERYTHING = { beyondTheRecording: true };

/** A constructor that throws is a fault like any other: it may throw for some options only. */
function created(create: Create, options: ParserOptions): ForeignObject {
  try {
    return create(options);
  } catch (error) {
    return {
      push: () => undefined,
      end: () => undefined,
      frontier: () => {
        throw error;
      },
    };
  }
}

/**
 * `checkStream` makes its parsers in this order: for the wire prefixes, for the content prefixes, for re-chunked and
 * continued streams. The content prefixes tell the place of a fault best.
 */
function firstFault([wire, content, ...others]: readonly GuardedParser[]): Fault | null {
  const found = content?.fault ?? wire?.fault ?? null;
  if (found !== null) return found;
  const later = others.find(({ fault }) => fault !== null)?.fault ?? null;
  return later === null ? null : { ...later, what: `of the stream re-chunked or continued: ${later.what}` };
}

const silence = (): ToolCallParser => ({
  calls: [],
  pending: 0,
  error: null,
  unfinished: null,
  push: () => undefined,
  end: () => undefined,
});

const TIMED_OUT = 'ERR_SCRIPT_EXECUTION_TIMEOUT';

function isTimeout(error: unknown): boolean {
  // It is an Error of the watchdog's own context: no instance of ours.
  return typeof error === 'object' && error !== null && 'code' in error && error.code === TIMED_OUT;
}

type Exported = { readonly [name: string]: unknown };

async function load(file: string): Promise<Exported> {
  if (!existsSync(file)) throw new ParserUnusable(`${file}: no such file`);
  try {
    const loaded = (await import(pathToFileURL(resolve(file)).href)) as Exported;
    const { default: main } = loaded;
    // CommonJS: what `module.exports` is stands under `default`, and its members need not be told.
    return typeof main === 'object' && main !== null ? { ...(main as Exported), ...loaded } : loaded;
  } catch (error) {
    throw new ParserUnusable(`${file}: cannot be loaded: ${reasonOf(error, file)}`);
  }
}

function reasonOf(error: unknown, file: string): string {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION') {
    return `this Node does not run ${extname(file) || 'such'} files; compile it to JavaScript, or run cst by tsx`;
  }
  return error instanceof Error ? `${error.name}: ${error.message.split('\n')[0]}` : String(error);
}

function creatorOf(exported: Exported, file: string): Create {
  const { createParser, Parser, default: main } = exported;
  const found = [createParser, Parser, main].find((value) => typeof value === 'function');
  if (found === undefined) {
    const names = Object.keys(exported).join(', ') || 'nothing';
    throw new ParserUnusable(
      `${file}: exports ${names}; wanted is a function createParser(options), or a class as Parser or default export`,
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

function exportedProtocol(exported: Exported, file: string): Protocol {
  const { protocol = 'json-object' } = exported;
  const known = PROTOCOLS.find((name) => name === protocol);
  if (known !== undefined) return known;
  throw new ParserUnusable(
    `${file}: exports the protocol ${JSON.stringify(protocol)}; known are ${PROTOCOLS.join(', ')}`,
  );
}

/** What the parser shows before it is fed anything. */
function probeOf(create: Create, file: string): ReturnType<typeof frontierOf> {
  try {
    const object: unknown = create(DEFAULT_OPTIONS);
    if (typeof object !== 'object' || object === null) throw new Error('what is made is no object');
    if ('then' in object) throw new Error('createParser gives a promise: it must give the parser');
    for (const method of ['push', 'end']) {
      if (typeof (object as Exported)[method] !== 'function') throw new Error(`it has no method ${method}`);
    }
    const frontier = frontierOf(object as ForeignObject);
    if (!Array.isArray(frontier.calls)) throw new Error('it has neither an array "calls" nor a frontier() with one');
    return frontier;
  } catch (error) {
    throw new ParserUnusable(`${file}: no parser: ${error instanceof Error ? error.message : String(error)}`);
  }
}
