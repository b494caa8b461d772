/**
 * Libraries that JavaScript programs parse streamed arguments with, each as a policy: when does a call run?
 *
 * None of them claims to say when a call may be executed. What is measured is the policy "a call runs when the library's
 * parse of what has arrived is …", which programs build on them: providers of the AI SDK finished a tool call as soon as
 * its arguments were parsable; mended as a security fix (vercel/ai#13137), reverted (#13172), brought back by a refactor
 * (#14565) and mended again (#16838, backport #16800).
 */
import { createRequire } from 'node:module';
import { parsePartialJson as parseByLangChain } from '@langchain/core/output_parsers';
import { JSONParser } from '@streamparser/json';
import { parsePartialJson as parseByAi } from 'ai';
import { disableErrorLogging, parse as parseBestEffort } from 'best-effort-json-parser';
import { jsonrepair } from 'jsonrepair';
import { parse as parseRiver } from 'jsonriver';
import { Allow, parse as parsePartial } from 'partial-json';
import type { JsonObject } from '../harness/parsers/parser.ts';
import type { Piece } from './peers-calls.ts';

/**
 * `complete`: the parse of all that has arrived is an object, without any repair. `member`: it is an object with a member,
 * repaired or not. `closed`: an incremental parser has met the end of the object. `end`: at the end of a complete stream.
 */
export type Trigger = 'complete' | 'member' | 'closed' | 'end';

export interface Run {
  readonly object: JsonObject;
  /** Content bytes that had been delivered. */
  readonly delivered: number;
}

export interface Policy {
  readonly name: string;
  /** Its package; null: JavaScript itself. */
  readonly library: string | null;
  readonly trigger: Trigger;
  /** What has to be true for a call to run, for the table. */
  readonly runs: string;
  /** The first run of a call during the stream; null if there is none. */
  readonly during: (pieces: readonly Piece[]) => Promise<Run | null>;
  /** What the library makes of the whole text, at the end of a complete stream, if the call has not run. */
  readonly atEnd: (text: string) => Promise<JsonObject | null>;
}

type Parse = (text: string) => unknown;

disableErrorLogging();

const strictAi = async (text: string): Promise<unknown> => {
  const { state, value } = await parseByAi(text);
  return state === 'successful-parse' ? value : undefined;
};
const repairedAi = async (text: string): Promise<unknown> => (await parseByAi(text)).value;

export const POLICIES: readonly Policy[] = [
  atTheEnd('JSON.parse at the end', null, (text) => JSON.parse(text)),
  atTheEnd('ai parsePartialJson at the end', 'ai', strictAi),
  whenComplete('ai parsePartialJson, successful-parse', 'ai', strictAi),
  whenComplete('partial-json, Allow.NONE', 'partial-json', (text) => parsePartial(text, 0)),
  incremental('jsonriver, completeCallback', 'jsonriver', firstOfRiver),
  incremental('@streamparser/json, onValue', '@streamparser/json', firstOfStreamParser),
  whenMember('ai parsePartialJson, repaired-parse', 'ai', repairedAi),
  whenMember('partial-json, Allow.ALL', 'partial-json', (text) => parsePartial(text, Allow.ALL)),
  whenMember('best-effort-json-parser', 'best-effort-json-parser', parseBestEffort),
  whenMember('@langchain/core parsePartialJson', '@langchain/core', parseByLangChain),
  whenMember('jsonrepair', 'jsonrepair', (text) => JSON.parse(jsonrepair(text))),
];

/** Version of an installed package. */
export function versionOf(library: string): string {
  const require = createRequire(import.meta.url);
  const folders = require.resolve.paths(library) ?? [];
  for (const folder of folders) {
    try {
      return (require(`${folder}/${library}/package.json`) as { version: string }).version;
    } catch {
      // The next folder up may have it.
    }
  }
  throw new Error(`${library} is not installed: npm ci`);
}

function atTheEnd(name: string, library: string | null, parse: Parse): Policy {
  const runs = 'the answer is complete and the arguments parse';
  return { name, library, trigger: 'end', runs, during: async () => null, atEnd: (text) => objectBy(parse, text) };
}

function whenComplete(name: string, library: string, parse: Parse): Policy {
  const during = (pieces: readonly Piece[]): Promise<Run | null> => {
    // An object can only be complete behind its brace: elsewhere a strict parser need not be asked.
    return firstObject(parse, pieces, { asked: (tail) => /\}\s*$/.test(tail), accepts: () => true });
  };
  const runs = 'what has arrived parses without repair';
  return { name, library, trigger: 'complete', runs, during, atEnd: (text) => objectBy(parse, text) };
}

/** UTF-16 units that are looked at: blanks behind a brace are few. */
const TAIL = 64;

function whenMember(name: string, library: string, parse: Parse): Policy {
  // Some give a member without a name or a value as soon as a quote opens.
  const hasMember = (object: JsonObject): boolean =>
    Object.entries(object).some(([name, value]) => name !== '' && value !== undefined && value !== null);
  const during = (pieces: readonly Piece[]): Promise<Run | null> =>
    firstObject(parse, pieces, { asked: () => true, accepts: hasMember });
  const runs = 'what has arrived, repaired, is an object with a named member';
  return { name, library, trigger: 'member', runs, during, atEnd: (text) => objectBy(parse, text) };
}

function incremental(name: string, library: string, during: Policy['during']): Policy {
  const runs = 'the incremental parser has met the end of the object';
  const atEnd = async (text: string): Promise<JsonObject | null> => {
    return (await during([{ text, delivered: 0 }]))?.object ?? null;
  };
  return { name, library, trigger: 'closed', runs, during, atEnd };
}

interface Question {
  /** By the last characters: is the library asked at all? */
  readonly asked: (tail: string) => boolean;
  readonly accepts: (object: JsonObject) => boolean;
}

async function firstObject(parse: Parse, pieces: readonly Piece[], { asked, accepts }: Question): Promise<Run | null> {
  let text = '';
  let tail = '';
  for (const piece of pieces) {
    text += piece.text;
    // The whole text is not looked at: that would copy it each time.
    tail = `${tail}${piece.text}`.slice(-TAIL);
    if (!asked(tail)) continue;
    const object = await objectBy(parse, text);
    if (object !== null && accepts(object)) return { object, delivered: piece.delivered };
  }
  return null;
}

/** A library that throws says no. */
async function objectBy(parse: Parse, text: string): Promise<JsonObject | null> {
  try {
    return asObject(await parse(text));
  } catch {
    return null;
  }
}

export function asObject(value: unknown): JsonObject | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  // Libraries go on filling the object that they have given.
  return structuredClone(value) as JsonObject;
}

async function firstOfRiver(pieces: readonly Piece[]): Promise<Run | null> {
  let delivered = 0;
  const found: { run: Run | null } = { run: null };
  async function* fed(): AsyncGenerator<string> {
    for (const piece of pieces) {
      if (found.run !== null) return;
      delivered = piece.delivered;
      yield piece.text;
    }
  }
  const completeCallback = (value: unknown, path: { segments(): readonly unknown[] }): void => {
    if (found.run !== null || path.segments().length > 0) return;
    const object = asObject(value);
    if (object !== null) found.run = { object, delivered };
  };
  try {
    for await (const _ of parseRiver(fed(), { completeCallback }));
  } catch {
    // Cut short, or no JSON: what it gave before stands.
  }
  return found.run;
}

async function firstOfStreamParser(pieces: readonly Piece[]): Promise<Run | null> {
  const found: { run: Run | null; failed: boolean } = { run: null, failed: false };
  let delivered = 0;
  const parser = new JSONParser({ paths: ['$'] });
  parser.onValue = ({ value }) => {
    const object = asObject(value);
    if (object !== null) found.run ??= { object, delivered };
  };
  parser.onError = () => {
    found.failed = true;
  };
  for (const piece of pieces) {
    delivered = piece.delivered;
    try {
      parser.write(piece.text);
    } catch {
      found.failed = true;
    }
    if (found.run !== null || found.failed) break;
  }
  return found.run;
}
