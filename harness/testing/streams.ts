/** Streams as a stream reader gives them, for every protocol; all draws are fast-check's. */
import fc from 'fast-check';
import type { ParserOptions } from '../parsers/parser.ts';
import type { Protocol } from '../parsers/protocols.ts';
import type { DecodedStream } from '../replay/replay.ts';
import type { StreamEnd, StreamEvent, ToolDeltaEvent } from '../stream/event.ts';
import { delta, done, failure, finish, reasoning, refused } from '../testing/hand-made-events.ts';
import { perhapsDamaged } from './byte-damage.ts';
import { ctlMessages } from './ctl-messages.ts';
import { deepseekMessages } from './deepseek-messages.ts';
import { harmonyMessages } from './harmony-messages.ts';
import { ARGUMENTS, CALLS_IN_TEXT } from './json-sources.ts';
import { kimiMessages } from './kimi-messages.ts';
import { glmMessages, hermesMessages, qwenXmlMessages } from './tagged-messages.ts';
import { xmlMessages } from './xml-messages.ts';

/** A stream, and the options with which it is read. */
export interface TestCase {
  readonly stream: DecodedStream;
  readonly options: ParserOptions;
  /** Sizes in bytes of the pieces in which it is fed, taken in turn. */
  readonly pieces: readonly number[];
}

/** Small limits, so that small messages reach them. */
export const SMALL_OPTIONS: fc.Arbitrary<ParserOptions> = fc.record({
  lineLimit: fc.constantFrom(16, 17, 24, 40, 64, 100, 100, 100),
  argumentLimit: fc.constantFrom(4, 12, 30, 1000, 1000, 1000),
  argumentsPerCall: fc.constantFrom(1, 2, 3, 64, 64, 64),
  callsPerMessage: fc.constantFrom(1, 2, 3, 256, 256, 256),
});

const PIECES = fc.array(fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 5 }), fc.integer({ min: 6, max: 80 })), {
  minLength: 1,
  maxLength: 5,
});

const END = fc.constantFrom<StreamEnd>('complete', 'complete', 'cut');

export function testCases(protocol: Protocol): fc.Arbitrary<TestCase> {
  return SMALL_OPTIONS.chain((options) =>
    fc.record({ stream: streams(protocol, options), options: fc.constant(options), pieces: PIECES }),
  );
}

/** One stream for a parser of `protocol`. */
export function streams(protocol: Protocol, options: ParserOptions): fc.Arbitrary<DecodedStream> {
  switch (protocol) {
    case 'ctl':
    case 'ctl-heredoc':
      return textStreams(perhapsDamaged(ctlMessages(options)));
    case 'xml':
      return textStreams(perhapsDamaged(xmlMessages(options)));
    case 'hermes':
      return textStreams(perhapsDamaged(hermesMessages()));
    case 'qwen-xml':
      return textStreams(perhapsDamaged(qwenXmlMessages(options)));
    case 'glm':
      return textStreams(perhapsDamaged(glmMessages(options)));
    case 'deepseek':
      return textStreams(perhapsDamaged(deepseekMessages()));
    case 'kimi':
      return textStreams(perhapsDamaged(kimiMessages()));
    case 'harmony':
      return textStreams(perhapsDamaged(harmonyMessages()));
    case 'json-whole':
    case 'json-object':
      return fc.oneof({ weight: 3, arbitrary: nativeStreams() }, { weight: 2, arbitrary: textStreams(CALLS_IN_TEXT) });
  }
}

const STRAY: fc.Arbitrary<StreamEvent> = fc.constantFrom(
  reasoning('call c0 t\nend\n'),
  delta(0, '{"a":\n1}', { id: 'x', name: 'a' }),
  delta(0, ''),
  refused(null, 'orphan_delta'),
  finish('complete'),
  finish('cut'),
  done(),
  failure('stream_error'),
  failure('sse_bad_json'),
);

/** Strays come after so many events (modulo); mostly there are none. */
const STRAYS = fc.oneof(
  { weight: 4, arbitrary: fc.constant<[number, StreamEvent][]>([]) },
  { weight: 1, arbitrary: fc.array(fc.tuple(fc.nat(30), STRAY), { minLength: 1, maxLength: 2 }) },
);

function withStrays(
  events: readonly StreamEvent[],
  strays: readonly (readonly [number, StreamEvent])[],
): StreamEvent[] {
  const all = [...events];
  for (const [at, stray] of strays) all.splice(at % (all.length + 1), 0, stray);
  return all;
}

/** The message as text deltas. */
export function textStreams(messages: fc.Arbitrary<Uint8Array>): fc.Arbitrary<DecodedStream> {
  return fc.tuple(messages, PIECES, STRAYS, END).map(([message, sizes, strays, end]) => {
    const texts = cut(message, sizes).map((bytes): StreamEvent => ({ type: 'text', at: 0, bytes }));
    return { events: asRead(withStrays(texts, strays)), end };
  });
}

interface NativeDraft {
  readonly id: string | undefined;
  readonly name: string | undefined;
  /** The name comes with the delta of this place. */
  readonly namedAt: number;
  readonly args: Uint8Array;
  readonly sizes: readonly number[];
}

const DRAFT: fc.Arbitrary<NativeDraft> = fc.record({
  id: fc.constantFrom(undefined, 'x', 'y', 'x'),
  name: fc.constantFrom('a', 'b', 'a', 'b', 'a', undefined),
  namedAt: fc.constantFrom(0, 0, 0, 0, 1, 2),
  args: ARGUMENTS,
  sizes: PIECES,
});

const ENDING: fc.Arbitrary<StreamEvent[]> = fc.constantFrom<StreamEvent[]>(
  [],
  [],
  [finish('complete')],
  [finish('complete'), done()],
  [finish('complete'), finish('complete')],
  [finish('cut'), done()],
  [done()],
  [failure('stream_error')],
);

const LATE_EVENTS: fc.Arbitrary<StreamEvent> = fc.constantFrom<StreamEvent>(
  refused(0, 'bad_delta'),
  refused(1, 'args_not_object'),
  refused(7, 'bad_delta'),
  refused(null, 'orphan_delta'),
  finish('complete'),
  finish('cut'),
  reasoning('thinking'),
  { type: 'text', at: 0, bytes: Buffer.from('é\n') },
  { type: 'text', at: 0, bytes: Buffer.from('{"name":"a","arguments":{}}') },
);

/** Deltas of up to three calls, interleaved in any order. */
export function nativeStreams(): fc.Arbitrary<DecodedStream> {
  const late = fc.oneof(
    { weight: 3, arbitrary: fc.constant<[number, StreamEvent][]>([]) },
    { weight: 1, arbitrary: fc.array(fc.tuple(fc.nat(30), LATE_EVENTS), { minLength: 1, maxLength: 2 }) },
  );
  return fc
    .tuple(
      fc.array(DRAFT, { minLength: 1, maxLength: 3 }),
      fc.array(fc.nat(11), { minLength: 1, maxLength: 20 }),
      late,
      ENDING,
      END,
    )
    .map(([drafts, picks, strays, ending, end]) => {
      const queues = drafts.map(deltasOf);
      const events = interleaved(queues, picks);
      return { events: asRead([...withStrays(events, strays), ...ending]), end };
    });
}

function deltasOf({ id, name, namedAt, args, sizes }: NativeDraft, call: number): ToolDeltaEvent[] {
  const pieces = args.length === 0 ? [args] : cut(args, sizes);
  while (pieces.length <= namedAt) pieces.push(new Uint8Array(0));
  return pieces.map((bytes, place) => ({
    type: 'tool-delta',
    at: 0,
    call,
    bytes,
    ...(place === 0 && id !== undefined ? { id } : {}),
    ...(place === namedAt && name !== undefined ? { name } : {}),
  }));
}

/** Low picks stay with the call under way: most providers send one call after the other. */
function interleaved(queues: ToolDeltaEvent[][], picks: readonly number[]): ToolDeltaEvent[] {
  const events: ToolDeltaEvent[] = [];
  let current = 0;
  for (let turn = 0; queues.some((queue) => queue.length > 0); turn++) {
    const pick = picks[turn % picks.length] ?? 0;
    if (pick > 8) current = (current + 1 + (pick % 2)) % queues.length;
    while (queues[current]?.length === 0) current = (current + 1) % queues.length;
    const next = queues[current]?.shift();
    if (next !== undefined) events.push(next);
  }
  return events;
}

/**
 * As a reader gives them: ordinals in order of opening (what is refused keeps its own), and nothing after `[DONE]` or a
 * failure.
 */
function asRead(events: readonly StreamEvent[]): StreamEvent[] {
  const ordinals = new Map<number, number>();
  const last = events.findIndex(({ type }) => type === 'done' || type === 'failure');
  return events.slice(0, last === -1 ? events.length : last + 1).map((event) => {
    if (event.type !== 'tool-delta') return event;
    const ordinal = ordinals.get(event.call) ?? ordinals.size;
    ordinals.set(event.call, ordinal);
    return { ...event, call: ordinal };
  });
}

/** Pieces of the sizes in turn, the last one shorter. */
export function cut(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
}
