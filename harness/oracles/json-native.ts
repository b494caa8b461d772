/**
 * Native tool calls, each read from its final argument text (spec: streams.md "The two JSON protocols"; where it is
 * silent: docs/decisions/0002 "Which call does a delta belong to", "JSON").
 */
import type { StreamEvent, ToolDeltaEvent } from '../stream/event.ts';
import { closingOf, hasRepeatedKey, parseObject } from './json-source.ts';
import type { OracleCall } from './oracle.ts';
import {
  contentPieces,
  type Departure,
  type Gathered,
  gather,
  type Piece,
  type Readable,
  skipBlanks,
} from './readable.ts';

/** An error, and the position in the stream of the event with which it was noticed. */
export interface Noticed extends Departure {
  readonly event: number;
}

/** One native call of a whole stream. */
export interface NativeCall {
  /** The call as it runs; null: it is bad, or has not all that it needs. */
  readonly runs: OracleCall | null;
  /** It was closed (0002 "`json-object` closes a call when") before any cut. */
  readonly closed: boolean;
  /** The first error of its own, refused deltas included. */
  readonly error: Noticed | null;
}

/** What the events say of a call, before its arguments are looked at. */
interface Draft {
  readonly ordinal: number;
  id?: string;
  name?: string;
  /** Position of the event that named it. */
  named?: number;
  readonly pieces: Piece[];
  refused: Noticed | null;
  closed: boolean;
  readonly isText: boolean;
  /** Nothing but its own `tool-close` or a complete end closes it. */
  readonly closesAlone: boolean;
  /** Position of its `tool-close`; bytes behind it are not its own. */
  readonly sealedAt: number;
  /** Half a character is held behind its last bytes. */
  half: boolean;
}

/** The argument text as a whole. */
type Arguments =
  | { readonly is: 'empty' | 'open' | 'text' }
  | { readonly is: 'bad'; readonly kind: 'args_not_object' | 'duplicate_key'; readonly at: number }
  | { readonly is: 'object'; readonly last: number; readonly source: string };

/** The calls in order of ordinal. */
export function nativeCalls(stream: Readable): NativeCall[] {
  return collect(stream).map((draft) => finish(stream, draft));
}

/** What belongs to no call that was opened: refused deltas, and bytes behind the `tool-close` of a call. */
export function strayDeltas(stream: Readable): Noticed[] {
  const opened = new Set(stream.events.map((event) => (event.type === 'tool-delta' ? event.call : null)));
  const seals = closings(stream.events);
  const refused = refusals(stream).flatMap(({ call, noticed }) =>
    call !== null && opened.has(call) && noticed.event < sealOf(seals, call) ? [] : [noticed],
  );
  const late = [...contentPieces(stream.events)].find(
    ({ of, event, bytes }) => of.type === 'tool-delta' && bytes.length > 0 && event > sealOf(seals, of.call),
  );
  if (late === undefined) return refused;
  return [...refused, { event: late.event, kind: 'bad_delta', offset: late.offset }];
}

/** Position of the first `tool-close` of each call that was open by then. */
function closings(events: readonly StreamEvent[]): ReadonlyMap<number, number> {
  const seals = new Map<number, number>();
  const opened = new Set<number>();
  for (const [position, event] of events.entries()) {
    if (event.type === 'tool-delta') opened.add(event.call);
    if (event.type === 'tool-close' && opened.has(event.call) && !seals.has(event.call))
      seals.set(event.call, position);
  }
  return seals;
}

function sealOf(seals: ReadonlyMap<number, number>, call: number): number {
  return seals.get(call) ?? Number.POSITIVE_INFINITY;
}

function collect(stream: Readable): Draft[] {
  const drafts = new Map<number, Draft>();
  const seals = closings(stream.events);
  for (const { of, ...piece } of contentPieces(stream.events)) {
    if (of.type !== 'tool-delta' || piece.event > sealOf(seals, of.call)) continue;
    const draft = drafts.get(of.call) ?? newDraft(of, sealOf(seals, of.call));
    drafts.set(of.call, draft);
    if (of.id !== undefined) draft.id ??= of.id;
    if (of.name !== undefined && draft.name === undefined) Object.assign(draft, { name: of.name, named: piece.event });
    draft.half = of.half === true;
    draft.pieces.push(piece);
  }
  for (const { call, noticed } of refusals(stream)) {
    const draft = call === null ? undefined : drafts.get(call);
    if (draft !== undefined && noticed.event < draft.sealedAt) draft.refused ??= noticed;
  }
  const inOrder = [...drafts.values()].sort((a, b) => a.ordinal - b.ordinal);
  const uncut = beforeCut(stream.events);
  const closer = lastCloser(uncut, new Set(inOrder.map(openedBy)));
  for (const draft of inOrder) {
    const closedEarly = draft.closesAlone ? draft.sealedAt < uncut.length : openedBy(draft) < closer;
    draft.closed = stream.complete || closedEarly;
  }
  return inOrder;
}

function newDraft({ call, input, closes }: ToolDeltaEvent, sealedAt: number): Draft {
  const isText = input === 'text';
  const closesAlone = isText || closes === 'announced';
  return { ordinal: call, pieces: [], refused: null, closed: false, half: false, isText, closesAlone, sealedAt };
}

function openedBy(draft: Draft): number {
  return draft.pieces[0]!.event;
}

function beforeCut(events: readonly StreamEvent[]): readonly StreamEvent[] {
  const cut = events.findIndex((event) => event.type === 'finish' && event.meaning === 'cut');
  return cut < 0 ? events : events.slice(0, cut);
}

/** The last event that closes the calls opened before it, or -1. */
function lastCloser(uncut: readonly StreamEvent[], openings: ReadonlySet<number>): number {
  return uncut.findLastIndex(({ type }, position) => type === 'finish' || type === 'done' || openings.has(position));
}

function finish(stream: Readable, draft: Draft): NativeCall {
  const text = gather(draft.pieces);
  const whole = draft.isText ? readText(text.latin1) : readArguments(text.latin1);
  const args: Arguments = draft.half && whole.is !== 'bad' ? { is: 'open' } : whole;
  const error = [draft.refused, argumentsError(draft, text, args), endError(stream, draft, args)].reduce(firstNoticed);
  const runs = error === null ? asCall(stream, draft, { text, args }) : null;
  return { runs, closed: draft.closed, error };
}

export function firstNoticed(a: Noticed | null, b: Noticed | null): Noticed | null {
  if (a === null || b === null) return a ?? b;
  return b.event < a.event ? b : a;
}

function readText(text: string): Arguments {
  return { is: text === '' ? 'empty' : 'text' };
}

function readArguments(text: string): Arguments {
  if (text === '') return { is: 'empty' };
  const first = skipBlanks(text, 0);
  if (first === text.length) return { is: 'open' };
  if (text[first] !== '{') return { is: 'bad', kind: 'args_not_object', at: first };
  const closing = closingOf(text, first);
  if (closing.how === 'open') return { is: 'open' };
  const last = closing.at;
  if (closing.how === 'mismatched') return { is: 'bad', kind: 'args_not_object', at: last };
  const source = text.slice(first, last + 1);
  if (parseObject(source) === null) return { is: 'bad', kind: 'args_not_object', at: last };
  if (hasRepeatedKey(source)) return { is: 'bad', kind: 'duplicate_key', at: last };
  const trailing = skipBlanks(text, last + 1);
  if (trailing < text.length) return { is: 'bad', kind: 'args_not_object', at: trailing };
  return { is: 'object', last, source };
}

/** Bytes without a name are nobody's arguments yet: what is wrong with them is noticed when the name comes. */
function argumentsError({ named }: Draft, text: Gathered, args: Arguments): Noticed | null {
  if (args.is !== 'bad' || named === undefined) return null;
  return { event: Math.max(named, text.eventAt(args.at)), kind: args.kind, offset: text.offsetAt(args.at) };
}

/** What is wrong only because the stream is complete: first the nameless calls, then the unfinished ones. */
function endError(stream: Readable, draft: Draft, args: Arguments): Noticed | null {
  if (!stream.complete) return null;
  const event = stream.events.length;
  if (draft.name === undefined) {
    const first = draft.pieces.find((piece) => piece.bytes.length > 0);
    return { event, kind: 'orphan_delta', offset: first?.offset ?? stream.contentLength };
  }
  return args.is === 'open' ? { event: event + 1, kind: 'args_not_object', offset: stream.contentLength } : null;
}

function asCall(
  stream: Readable,
  { ordinal, id, name, isText }: Draft,
  { text, args }: { readonly text: Gathered; readonly args: Arguments },
): OracleCall | null {
  if (name === undefined) return null;
  const call = { ordinal, id: id ?? `call_${ordinal}`, name };
  if (isText && (args.is === 'text' || (args.is === 'empty' && stream.complete))) {
    const end = args.is === 'text' ? text.offsetAt(text.bytes.length - 1) : stream.contentLength;
    return { ...call, args: { form: 'values', values: [{ key: 'input', bytes: text.bytes }] }, end };
  }
  if (args.is === 'object') {
    const object = parseObject(args.source)!;
    const end = text.offsetAt(args.last);
    return { ...call, args: { form: 'json', text: text.bytes.toString('utf8'), object }, end };
  }
  // That there are no arguments is decided at the end of a complete stream only.
  if (args.is !== 'empty' || !stream.complete) return null;
  return { ...call, args: { form: 'json', text: '', object: {} }, end: stream.contentLength };
}

function refusals(stream: Readable): { readonly call: number | null; readonly noticed: Noticed }[] {
  let offset = 0;
  return stream.events.flatMap((event, position) => {
    if (event.type === 'text' || event.type === 'tool-delta') offset += event.bytes.length;
    if (event.type !== 'refused-delta') return [];
    return [{ call: event.call, noticed: { event: position, kind: event.kind, offset } }];
  });
}
