/** What `cst parse` answers: one JSON line, or the same for a reader. */
import { membersAsJson } from '../parsers/call.ts';
import { describeError } from '../parsers/contract-error.ts';
import type { UnfinishedCall } from '../parsers/parser.ts';
import { bytesText, plural, quoted, thousands, visible } from './glyphs.ts';
import type { ParsedCall, ParsedSource } from './parse-source.ts';

const MOST_SHOWN = 60;

/** The JSON line of `--json`, without its line end. */
export function parseJson(parsed: ParsedSource): string {
  const { file, protocol, guessed, end, prefix, error, incomplete } = parsed;
  const replyIds = uniqueIds(parsed.calls.map(({ call }) => call.id));
  const notes = notesOf(parsed);
  const head = {
    file,
    protocol,
    ...(guessed && { guessed }),
    end,
    ...(prefix && { prefix: prefix.length, level: prefix.level }),
  };
  const calls = parsed.calls.map((call, i) => callJson(call, replyIds[i]));
  const tail = {
    error: error === null ? null : errorJson(error),
    incomplete: incomplete !== null,
    ...(incomplete !== null && { unfinished: incomplete }),
    ...(Object.keys(notes).length > 0 && { notes }),
  };
  return joinObjects(JSON.stringify(head), `{"calls":[${calls.join(',')}]}`, JSON.stringify(tail));
}

function errorJson(error: NonNullable<ParsedSource['error']>): object {
  const { kind, offset, line, ...rest } = error;
  return { kind, offset, line, message: describeError(error), ...rest };
}

function callJson({ call, members }: ParsedCall, replyId: string | undefined): string {
  const identity = {
    id: call.id,
    ...(replyId !== undefined && replyId !== call.id && { replyId }),
    name: call.name,
  };
  const rest = { ...(call.args.form === 'json' && { argsText: call.args.text }), end: call.end };
  return joinObjects(JSON.stringify(identity), `{"args":${membersAsJson(members)}}`, JSON.stringify(rest));
}

/** JSON objects as one, in their order; none of them is empty. Arguments go in as source: see `argumentMembers`. */
function joinObjects(...objects: readonly string[]): string {
  return `{${objects.map((object) => object.slice(1, -1)).join(',')}}`;
}

/** Ids as they are sent back: the second call with an id gets a suffix (streams.md). */
export function uniqueIds(ids: readonly string[]): string[] {
  const taken = new Set(ids);
  const given = new Set<string>();
  return ids.map((id) => {
    let unique = id;
    for (let n = 2; given.has(unique) || (unique !== id && taken.has(unique)); n++) unique = `${id}_${n}`;
    given.add(unique);
    return unique;
  });
}

/** What the reader passed over, as far as there is any. */
function notesOf({ notes, heldAtEnd }: ParsedSource): { readonly [note: string]: number } {
  const all = { ...notes, unfinishedEventBytes: heldAtEnd };
  return Object.fromEntries(Object.entries(all).filter(([, count]) => count > 0));
}

const NOTES: { readonly [note: string]: (count: number) => string } = {
  otherChoices: (count) => `${plural(count, 'delta')} of other choices not read`,
  repeatedIds: (count) => `${plural(count, 'call')} with an id that was used before`,
  laterIds: (count) => `${plural(count, 'delta')} with another id for the same call (the first stands)`,
  brokenReasoning: (count) => `${plural(count, 'reasoning delta')} left out (a surrogate without its partner)`,
  providerCalls: (count) => `${plural(count, 'call')} of tools that the provider runs itself`,
  unreadCalls: (count) => `${plural(count, 'call')} that a client must run, in a form that is not read`,
  unknownEvents: (count) => `${plural(count, 'event')} or parts of an unknown type not read`,
  unreadBytes: (count) => `${bytesText(count)} after the end of the stream not read`,
  unfinishedEventBytes: (count) => `an unfinished SSE event at the end discarded (${bytesText(count)} of payload)`,
};

/** The view without `--json`, with its line ends. */
export function parseView(parsed: ParsedSource): string {
  const { error, incomplete, prefix } = parsed;
  const replyIds = uniqueIds(parsed.calls.map(({ call }) => call.id));
  const guess = parsed.guessed ? ' (guessed)' : '';
  const part = prefix === undefined ? '' : `, first ${thousands(prefix.length)} ${prefix.level} bytes`;
  const lines = [
    `${visible(parsed.file)}: ${parsed.protocol}${guess}, ${parsed.end} stream${part}, ${plural(parsed.calls.length, 'executable call')}`,
    ...parsed.calls.flatMap((call, i) => callLines(call, replyIds[i])),
  ];
  if (error !== null) {
    const place = `at content byte ${thousands(error.offset)}, line ${thousands(error.line)}`;
    lines.push(`  error ${error.kind} ${place}: ${visible(describeError(error))}`);
  }
  if (incomplete !== null) lines.push(`  incomplete: ${unfinishedText(incomplete)}`);
  for (const [note, count] of Object.entries(notesOf(parsed))) lines.push(`  note: ${NOTES[note]?.(count) ?? note}`);
  return lines.map((line) => `${line}\n`).join('');
}

function callLines({ call, members }: ParsedCall, replyId: string | undefined): string[] {
  const reply = replyId !== undefined && replyId !== call.id ? ` (sent back as ${visible(replyId)})` : '';
  const width = Math.max(0, ...members.map(([key]) => visible(key).length));
  const sizes =
    call.args.form === 'values' ? new Map(call.args.values.map(({ key, bytes }) => [key, bytes.length])) : undefined;
  return [
    `  call ${visible(call.id)} ${visible(call.name)}${reply}, executable at content byte ${thousands(call.end)}`,
    ...members.map(
      ([key, json]) => `    ${visible(key).padEnd(width)}  ${valueText(json)}${sizeText(sizes?.get(key))}`,
    ),
  ];
}

function valueText(json: string): string {
  if (json.startsWith('"')) return quoted(String(JSON.parse(json)), MOST_SHOWN);
  const shown = visible(json);
  return shown.length > MOST_SHOWN ? `${shown.slice(0, MOST_SHOWN)}…` : shown;
}

function sizeText(size: number | undefined): string {
  return size === undefined ? '' : `  (${bytesText(size)})`;
}

function unfinishedText({ id, name, key, declared, arrived }: UnfinishedCall): string {
  const call = ['call', id, name].filter((part) => part !== undefined).join(' ');
  const argument = key === undefined ? '' : `, argument ${key}`;
  if (arrived === undefined) return visible(`${call}${argument} was under way`);
  const of = declared === undefined ? '' : ` of ${thousands(declared)}`;
  return visible(`${call}${argument}: ${thousands(arrived)}${of} bytes had arrived`);
}
