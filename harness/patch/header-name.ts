/** File names as the headers of a patch write them: prefixes, quotes, timestamps. */
import { PatchFault } from './patch.ts';
import { quote } from './patch-text.ts';

export const DEV_NULL = '/dev/null';

/** What stands after `--- ` or `+++ `. */
export interface HeaderName {
  /** With its prefix; `/dev/null` for no file. */
  readonly name: string;
  /** The timestamp is the epoch: `diff -N` says so that there is no such file. */
  readonly epoch: boolean;
}

const TIMESTAMP = /[ \t]+\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?( ?([+-]\d{4}|Z))?$/;

export function headerName(rest: string): HeaderName {
  if (rest.startsWith('"')) {
    const { name, after } = unquoted(rest);
    return { name, epoch: isEpoch(after) };
  }
  const tab = rest.indexOf('\t');
  if (tab >= 0) return { name: decoded(rest.slice(0, tab)), epoch: isEpoch(rest.slice(tab)) };
  const stamp = TIMESTAMP.exec(rest);
  const bare = stamp === null ? rest : rest.slice(0, stamp.index);
  return { name: decoded(trimmed(bare)), epoch: stamp !== null && isEpoch(stamp[0]) };
}

/** The name after `rename from ` and the like: without prefix. */
export function bareName(rest: string): string {
  return rest.startsWith('"') ? unquoted(rest).name : decoded(rest);
}

export interface NamePair {
  readonly from: string;
  readonly to: string;
}

const PREFIX = /^[abciow12]\//;

/** Both names without their prefixes; neither may be `/dev/null`. */
export function withoutPrefixes(from: string, to: string): NamePair {
  if (from === to) return { from, to };
  const bareFrom = from.replace(PREFIX, '');
  const bareTo = to.replace(PREFIX, '');
  const bothHave = bareFrom !== from && bareTo !== to;
  if (bothHave && from[0] !== to[0]) return { from: bareFrom, to: bareTo };
  if (!bothHave && (bareFrom === to || from === bareTo)) return { from: bareFrom, to: bareFrom };
  const [innerFrom, innerTo] = [inner(from), inner(to)];
  if (innerFrom !== null && innerFrom === innerTo) return { from: innerFrom, to: innerTo };
  if (from === `${to}.orig` || from === `${to}~`) return { from: to, to };
  return { from, to };
}

/** The one name beside a `/dev/null`. */
export function loneName(name: string, prefix: 'a/' | 'b/'): string {
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

/** The path in `diff --git a/x b/x`; null where the two differ (rename lines name them) or cannot be told apart. */
export function gitPath(rest: string): string | null {
  const splits = rest.startsWith('"') || rest.endsWith('"') ? quotedSplits(rest) : blankSplits(rest);
  for (const [left, right] of splits) {
    const { from, to } = withoutPrefixes(left, right);
    if (from === to) return from;
  }
  return null;
}

/** Every blank at which the names may part. */
function blankSplits(rest: string): readonly (readonly [string, string])[] {
  const blanks = [...rest.matchAll(/ /g)].map(({ index }) => index);
  return blanks.map((at) => [decoded(rest.slice(0, at)), decoded(rest.slice(at + 1))]);
}

function quotedSplits(rest: string): readonly (readonly [string, string])[] {
  if (rest.startsWith('"')) {
    const { name, after } = unquoted(rest);
    return [[name, bareName(trimmed(after))]];
  }
  const at = rest.indexOf(' "');
  return at < 0 ? [] : [[decoded(rest.slice(0, at)), unquoted(rest.slice(at + 1)).name]];
}

function trimmed(latin1: string): string {
  return latin1.replace(/^[ \t]+/, '').replace(/[ \t]+$/, '');
}

function inner(name: string): string | null {
  const slash = name.indexOf('/');
  return slash > 0 ? name.slice(slash + 1) : null;
}

const ESCAPES: { readonly [letter: string]: string } = {
  a: '\x07',
  b: '\b',
  t: '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  '"': '"',
  '\\': '\\',
};
const QUOTED = /^"((?:[^"\\]|\\[0-3][0-7]{2}|\\[abtnvfr"\\])*)"/;

/** git's C-style quotes; octal escapes are bytes. */
function unquoted(text: string): { name: string; after: string } {
  const found = QUOTED.exec(text);
  if (found === null)
    throw new PatchFault('malformed', `the file name ${quote(text)} has quotes or escapes that do not fit`);
  const bytes = found[1]!.replace(/\\([0-3][0-7]{2}|.)/g, (_, code: string) =>
    code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8)) : ESCAPES[code]!,
  );
  return { name: decoded(bytes), after: text.slice(found[0].length) };
}

function decoded(latin1: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(latin1, 'latin1'));
  } catch {
    throw new PatchFault('malformed', `the file name ${quote(latin1)} is not UTF-8`);
  }
}

/** GNU diff writes local time and its zone: the epoch may read 1969-12-31. */
function isEpoch(stamp: string): boolean {
  const text = stamp.trim();
  if (!/^(1969-12-31|1970-01-01)/.test(text)) return false;
  const [, date, time, zone] = /^(\S+) (\d\d:\d\d:\d\d)(?:\.0+)? ([+-]\d{4})$/.exec(text) ?? [];
  return date !== undefined && Date.parse(`${date}T${time}${zone!.slice(0, 3)}:${zone!.slice(3)}`) === 0;
}
