/**
 * Beyond the recorded suffix (properties.md): what was executable at a prefix u is still there, unchanged, at u·v, and all
 * that has run when u·v ends, whole or cut off, are calls of it by the oracle, for drawn continuations v. fast-check draws
 * (seeded) and shrinks. Where v is empty and u·v is cut off, that is: a call under way does not run when the stream breaks.
 *
 * `continuation` keeps to the order of the protocol: more text; more argument bytes to the call opened last, as long as no
 * finish reason has closed it; further calls. `reopening` also comes back to closed calls, which json-object's rule does
 * not survive (streams.md "it is not sound").
 */
import fc from 'fast-check';
import type { Oracle } from '../oracles/oracle.ts';
import { callDifference, callFingerprint } from '../parsers/call.ts';
import type { ParserFactory, ParserOptions, ToolCall } from '../parsers/parser.ts';
import type { DecodedStream } from '../replay/replay.ts';
import { contentLength, type StreamEnd, type StreamEvent } from '../stream/event.ts';
import { ADVERSARIAL_ARGUMENTS, ADVERSARIAL_TEXT } from './adversarial.ts';
import { holds, type Verdict, violated } from './verdict.ts';

/** Continuations tried on one stream: as many as fit the budget of content bytes read again, within these bounds. */
const MOST_RUNS = 40;
const FEWEST_RUNS = 3;
const BYTE_BUDGET = 4 * 1024 * 1024;

export interface ContinuationSubject {
  readonly stream: DecodedStream;
  readonly create: ParserFactory;
  readonly oracle: Oracle;
  readonly options: ParserOptions;
  readonly seed: number;
  /** Content lengths at which calls became executable: prefixes that are sampled more often. */
  readonly executedAt: readonly number[];
  /** Content bytes that may be read again, if not the default. */
  readonly byteBudget?: number;
}

type Action =
  | { readonly do: 'text'; readonly bytes: Uint8Array }
  | { readonly do: 'more'; readonly bytes: Uint8Array }
  | { readonly do: 'reopen'; readonly which: number; readonly bytes: Uint8Array }
  | { readonly do: 'open'; readonly bytes: Uint8Array }
  | { readonly do: 'finish'; readonly reason: 'stop' | 'length' };

interface Continuation {
  readonly prefix: number;
  readonly actions: readonly Action[];
  readonly end: StreamEnd;
  /** What comes without content behind the last byte of the prefix, as a finish reason, has not come. */
  readonly bare?: true;
}

export function checkContinuations(subject: ContinuationSubject, property: 'continuation' | 'reopening'): Verdict {
  const size = subject.stream.events.reduce((sum, event) => sum + contentLength(event), 0);
  const runs = Math.max(FEWEST_RUNS, Math.min(MOST_RUNS, Math.floor((subject.byteBudget ?? BYTE_BUDGET) / (size + 1))));
  const cut = property === 'continuation' ? cutAtEdges(subject, size) : null;
  if (cut !== null) return cut;
  const failures: { count: number; what: string } = { count: 0, what: '' };
  const predicate = (continuation: Continuation): boolean => {
    const failure = failureOf(subject, continuation);
    if (failure !== null) failures.what = failure;
    return failure === null;
  };
  const details = fc.check(fc.property(continuationOf(subject, size, property), predicate), {
    seed: subject.seed,
    numRuns: runs,
    endOnFailure: false,
  });
  if (!details.failed) return holds(property, details.numRuns);
  const smallest = details.counterexample?.[0];
  if (smallest === undefined) return holds(property, details.numRuns);
  const what = failureOf(subject, smallest) ?? failures.what;
  return violated(property, 1, {
    level: 'content',
    prefix: smallest.prefix,
    what: `${what}; continued by ${smallest.actions.map(describeAction).join(', ') || 'nothing'}, then ${smallest.end}`,
  });
}

/**
 * A stream that breaks off in the last byte of its last call, right behind that, or behind all content, or is said to be cut
 * there: of a long stream few prefixes are drawn, and those take along what decides the end.
 */
function cutAtEdges(subject: ContinuationSubject, size: number): Verdict | null {
  const last = subject.executedAt.at(-1) ?? size;
  for (const prefix of new Set([Math.max(0, last - 1), last, size])) {
    for (const actions of [[], [LENGTH]]) {
      const what = failureOf(subject, { prefix, actions, end: 'cut', bare: true });
      const how = actions.map(describeAction).join('') || 'nothing';
      const place = { level: 'content', prefix, what: `${what}; continued by ${how}, then cut` } as const;
      if (what !== null) return violated('continuation', 1, place);
    }
  }
  return null;
}

const LENGTH: Action = { do: 'finish', reason: 'length' };

function continuationOf(
  subject: ContinuationSubject,
  size: number,
  property: 'continuation' | 'reopening',
): fc.Arbitrary<Continuation> {
  const near = subject.executedAt.flatMap((at) => [at, Math.min(size, at + 1)]);
  const prefix = near.length === 0 ? fc.nat(size) : fc.oneof(fc.nat(size), fc.constantFrom(...near));
  // Any characters: what comes in JSON strings is never anything else than UTF-8.
  const noise = fc.string({ unit: 'binary', maxLength: 12 }).map((text) => Buffer.from(text));
  const text = fc.oneof(fc.constantFrom(...ADVERSARIAL_TEXT), noise);
  const args = fc.oneof(fc.constantFrom(...ADVERSARIAL_ARGUMENTS), noise);
  const inOrder: fc.Arbitrary<Action>[] = [
    text.map((bytes) => ({ do: 'text', bytes }) as const),
    args.map((bytes) => ({ do: 'more', bytes }) as const),
    args.map((bytes) => ({ do: 'open', bytes }) as const),
    fc.constantFrom('stop' as const, 'length' as const).map((reason) => ({ do: 'finish', reason }) as const),
  ];
  const reopen = fc.tuple(fc.nat(3), args).map(([which, bytes]) => ({ do: 'reopen', which, bytes }) as const);
  const action = property === 'reopening' ? fc.oneof(reopen, ...inOrder) : fc.oneof(...inOrder);
  return fc.record({
    prefix,
    actions: fc.array(action, { maxLength: 4 }),
    end: fc.constantFrom<StreamEnd>('complete', 'cut'),
  });
}

/** What is wrong with the calls that have run when the continued stream ends; null if nothing is. */
function failureOf(subject: ContinuationSubject, continuation: Continuation): string | null {
  const before = cutAt(subject.stream.events, continuation.prefix, continuation.bare);
  const parser = subject.create(subject.options);
  for (const event of before) parser.push(event);
  const executed = parser.calls.map((call) => [call, callFingerprint(call)] as const);
  const after = continuationEvents(before, continuation.actions);
  for (const event of after) parser.push(event);
  const end = endOf([...before, ...after], continuation.end);
  parser.end(end);
  for (const [i, [call, fingerprint]] of executed.entries()) {
    const now = parser.calls[i];
    if (now === undefined || callFingerprint(now) !== fingerprint) return `call ${call.id} did not stay as it ran`;
  }
  if (parser.calls.length === 0) return null;
  const reading = subject.oracle([...before, ...after], end, subject.options);
  return parser.calls.map((call) => foreign(call, reading.calls)).find((what) => what !== null) ?? null;
}

function foreign(call: ToolCall, truths: ReturnType<Oracle>['calls']): string | null {
  const truth = truths.find(({ ordinal }) => ordinal === call.ordinal);
  if (truth === undefined) return `call ${call.id} (${call.name}) ran and is no call of the continued stream`;
  const difference = callDifference(call, truth);
  return difference === null ? null : `call ${call.id} (${call.name}) ran otherwise: ${difference}`;
}

/** The events of the first `length` content bytes, with those that carry none directly behind them, unless it is `bare`. */
export function cutAt(events: readonly StreamEvent[], length: number, bare = false): readonly StreamEvent[] {
  const prefix: StreamEvent[] = [];
  let left = length;
  for (const event of events) {
    const size = contentLength(event);
    if (bare && length > 0 && left === 0) return prefix;
    if (size > left) {
      if (left > 0) prefix.push(beginning(event, left));
      return prefix;
    }
    prefix.push(event);
    left -= size;
  }
  return prefix;
}

/**
 * The first `length` bytes of an event, without the first half of a character: its second half would have come with it.
 * Half a character behind its last byte is not among them either.
 */
function beginning(event: StreamEvent, length: number): StreamEvent {
  if (!('bytes' in event)) return event;
  let to = length;
  while (to > 0 && (event.bytes[to]! & 0xc0) === 0x80) to--;
  const bytes = event.bytes.subarray(0, to);
  if (event.type !== 'tool-delta') return { ...event, bytes };
  const { half: _, ...rest } = event;
  return { ...rest, bytes };
}

/** A stream that has failed or was cut by its provider is cut, whatever comes; `[DONE]` decides a complete one. */
function endOf(events: readonly StreamEvent[], wanted: StreamEnd): StreamEnd {
  let isCut = wanted === 'cut';
  for (const event of events) {
    if (event.type === 'failure' || (event.type === 'finish' && event.meaning === 'cut')) return 'cut';
    if (event.type === 'done') isCut = false;
  }
  return isCut ? 'cut' : 'complete';
}

function continuationEvents(before: readonly StreamEvent[], actions: readonly Action[]): readonly StreamEvent[] {
  let calls = 0;
  let finished = false;
  for (const event of before) {
    if (event.type === 'tool-delta') calls = Math.max(calls, event.call + 1);
    if (event.type === 'finish') finished = true;
    if (event.type === 'done' || event.type === 'failure') return [];
  }
  const textRan = calls === 0;
  const events: StreamEvent[] = [];
  const at = before.at(-1)?.at ?? 0;
  const open = (bytes: Uint8Array): void => {
    events.push({ type: 'tool-delta', at, call: calls, id: `drawn_${calls}`, name: 'drawn', bytes });
    calls++;
    finished = false;
  };
  for (const action of actions) {
    if (action.do === 'text') events.push({ type: 'text', at, bytes: action.bytes });
    else if (action.do === 'finish') {
      events.push({
        type: 'finish',
        at,
        reason: action.reason,
        meaning: action.reason === 'stop' ? 'complete' : 'cut',
      });
      finished = true;
    } else if (action.do === 'reopen') {
      if (calls === 0) open(action.bytes);
      else events.push({ type: 'tool-delta', at, call: action.which % calls, bytes: action.bytes });
    } else if (!textRan) {
      if (action.do === 'more' && !finished)
        events.push({ type: 'tool-delta', at, call: calls - 1, bytes: action.bytes });
      else open(action.bytes);
    }
  }
  return events;
}

function describeAction(action: Action): string {
  if (action.do === 'finish') return `finish ${action.reason}`;
  const bytes = JSON.stringify(Buffer.from(action.bytes).toString('latin1'));
  return action.do === 'reopen' ? `more to call #${action.which}: ${bytes}` : `${action.do} ${bytes}`;
}
