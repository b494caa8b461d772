/** A violation, shown: where the smallest prefix ends, what ran there, what the oracle says, and how to see it again. */

import type { OracleCall } from '../oracles/oracle.ts';
import { argumentMembers, membersAsJson } from '../parsers/call.ts';
import type { ToolCall, ToolCallParser } from '../parsers/parser.ts';
import { cutAt } from '../properties/continuation.ts';
import type { Violated } from '../properties/recording-check.ts';
import type { Property } from '../properties/verdict.ts';
import { contentSize } from '../replay/replay.ts';
import { StreamReader } from '../stream/stream-reader.ts';
import { cells, plural, thousands, visible } from './glyphs.ts';
import { limitFlags } from './options.ts';
import { limitsUsed, type StreamCheck } from './stream-check.ts';

const BEFORE = 60;
const AFTER = 20;
const MOST_ARGUMENTS = 120;
const MOST_CALLS = 4;

/** Properties that are about the whole stream: their prefix is no place in it. */
const WHOLE: readonly Property[] = ['agreement', 'expectation', 'split'];

/** The lines of one violation, without line ends. */
export function violationLines(check: StreamCheck, violated: Violated, program: string): string[] {
  const { verdict } = violated;
  const { property, count, first } = verdict;
  const size = first.level === 'wire' ? check.checked.bytes.length : contentSize(check.checked.stream.events);
  const isWhole = WHOLE.includes(property) || first.prefix >= size;
  const title = violated.accepted === null ? 'VIOLATED' : violated.accepted.as.toUpperCase();
  const times = count > 1 ? ` (${plural(count, 'time')}; the first)` : '';
  const place = isWhole
    ? `the whole stream, ${thousands(size)} ${first.level} bytes`
    : `smallest prefix ${thousands(first.prefix)} of ${thousands(size)} ${first.level} bytes`;
  return [
    `${title} ${property}: ${visible(check.target.path)}, ${check.protocol}${times}`,
    `  ${visible(first.what)}`,
    `  ${place}`,
    ...(isWhole ? [] : contextLines(levelBytes(check, first.level), first.prefix)),
    ...readingLines(check, isWhole ? null : first),
    `  to see it: ${lookCommand(check, isWhole ? null : first, program)}`,
  ];
}

/** The command that finds a stream's violations again. */
export function checkCommand({ target, protocol, subject }: StreamCheck, program: string): string {
  // What a manifest sets, the check finds there again.
  const lineLimit = target.recording.limits === undefined ? limitFlags({ parser: subject.options }) : [];
  const file = shellWord(target.path);
  return [program, 'check', file, '--protocol', protocol, '--seed', String(subject.seed), ...lineLimit].join(' ');
}

/** Properties of the whole stream say the same at both levels: they are shown once. */
export function distinctViolations(found: readonly Violated[]): readonly Violated[] {
  const seen = new Set<string>();
  return found.filter(({ verdict: { property, first } }) => {
    const key = WHOLE.includes(property) ? `${property} ${first.what}` : `${property} ${first.level}`;
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

/** The end of the prefix, and what comes after it; the caret stands under the first byte that is not in it. */
function contextLines(bytes: Uint8Array, prefix: number): string[] {
  const from = characterStart(bytes, Math.max(0, prefix - BEFORE));
  const drawn = cells(bytes.subarray(from, prefix)).join('');
  const after = cells(bytes.subarray(prefix, prefix + AFTER)).join('');
  const lead = from > 0 ? '…' : ' ';
  const tail = prefix + AFTER < bytes.length ? '…' : '';
  return [`    ${lead}${drawn}${after}${tail}`, `     ${' '.repeat(prefix - from)}^ the prefix ends before this byte`];
}

/** Of the byte at `at`, or of the next one, where a character begins. */
function characterStart(bytes: Uint8Array, at: number): number {
  let start = at;
  while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80 && start < at + 3) start++;
  return start;
}

function levelBytes({ checked }: StreamCheck, level: 'wire' | 'content'): Uint8Array {
  if (level === 'wire') return checked.bytes;
  return Buffer.concat(
    checked.stream.events.map((event) =>
      event.type === 'text' || event.type === 'tool-delta' ? event.bytes : NOTHING,
    ),
  );
}

const NOTHING = new Uint8Array(0);

function readingLines(check: StreamCheck, at: { level: 'wire' | 'content'; prefix: number } | null): string[] {
  const { subject, checked } = check;
  const parser = subject.create(subject.options);
  if (at === null) feedWhole(check, parser);
  else feedPrefix(check, parser, at);
  const reading = subject.oracle(checked.stream.events, checked.stream.end, subject.options);
  const error =
    reading.error === null ? '' : `; error ${reading.error.kind} at content byte ${thousands(reading.error.offset)}`;
  return [
    `  ran ${at === null ? 'in the stream' : 'by then'}: ${listed(parser.calls)}`,
    `  the oracle, of the whole stream: ${listed(reading.calls)}${error}`,
  ];
}

function feedWhole({ checked }: StreamCheck, parser: ToolCallParser): void {
  for (const event of checked.stream.events) parser.push(event);
  parser.end(checked.stream.end);
}

function feedPrefix(
  { checked }: StreamCheck,
  parser: ToolCallParser,
  { level, prefix }: { level: 'wire' | 'content'; prefix: number },
): void {
  if (level === 'content') {
    for (const event of cutAt(checked.stream.events, prefix)) parser.push(event);
    return;
  }
  const limit = checked.eventLimit === undefined ? {} : { eventLimit: checked.eventLimit };
  const reader = new StreamReader(checked.wire, (event) => parser.push(event), limit);
  reader.push(checked.bytes, 0, prefix);
}

function listed(calls: readonly (ToolCall | OracleCall)[]): string {
  if (calls.length === 0) return 'no call';
  const shown = calls.slice(0, MOST_CALLS).map(callText).join('; ');
  return calls.length > MOST_CALLS ? `${shown}; and ${calls.length - MOST_CALLS} more` : shown;
}

function callText({ id, name, args }: ToolCall | OracleCall): string {
  const json = args.form === 'json' ? args.text : membersAsJson(argumentMembers(args));
  const shown = json.length > MOST_ARGUMENTS ? `${json.slice(0, MOST_ARGUMENTS)}…` : json;
  return visible(`${id} ${name} ${shown}`);
}

/** A command that shows it, as it can be typed. */
function lookCommand(
  check: StreamCheck,
  at: { level: 'wire' | 'content'; prefix: number } | null,
  program: string,
): string {
  const file = shellWord(check.target.path);
  const protocol = ['--protocol', check.protocol];
  const parse = (words: readonly string[]): string =>
    [program, 'parse', ...words, ...limitFlags(limitsUsed(check))].join(' ');
  if (at === null) return parse([file, ...protocol]);
  if (at.level === 'wire') return `head -c ${at.prefix} ${file} | ${parse(['-', ...protocol, '--end', 'cut'])}`;
  return parse([file, ...protocol, '--prefix', String(at.prefix), '--level', 'content', '--end', 'cut']);
}

/** A path as a shell takes it for one word, and no program for an option. */
export function shellWord(path: string): string {
  const safe = path.startsWith('-') ? `./${path}` : path;
  return /^[\w@%+=:,./-]+$/.test(safe) ? safe : `'${safe.replaceAll("'", "'\\''")}'`;
}
