/** Crafted streams for the SSE, chat and end rules of streams.md: one good native call, and something odd around it. */
import { DONE_EVENT, sseEvent } from '../../../harness/replay/envelope.ts';
import type { RecordingLimits } from '../../../harness/replay/recording.ts';
import type { StreamEnd } from '../../../harness/stream/event.ts';
import { bytesOf, type CraftedCase, delta, ending, expectation, type Outcome } from './case.ts';
import { called, fragmentEvents } from './native-case.ts';

const SSE = 'streams.md: SSE';
const CHAT = 'streams.md: OpenAI chat chunks';
const END = 'streams.md: end';
const FAILED = 'streams.md: error kinds of the native side';

const c1 = called('c1', 't', '{"k":1}');
const OPEN = fragmentEvents([{ index: 0, id: 'c1', name: 't', args: '{"k":' }]);
const REST = fragmentEvents([{ index: 0, args: '1}' }]);
const CALL = OPEN + REST;
const FINISH = ending('tool_calls');
const GOOD = CALL + FINISH;

interface StreamCase {
  readonly id: string;
  readonly rule: string;
  readonly events: string;
  readonly note?: string;
  readonly limits?: RecordingLimits;
  readonly end?: StreamEnd;
  /** The call c1 and no error if absent. */
  readonly whole?: Outcome;
  readonly object?: Outcome;
  /** Content bytes before the failure. */
  readonly offset?: number;
}

const SSE_CASES: readonly StreamCase[] = [
  good('lf', SSE, GOOD),
  good('cr', SSE, GOOD.replaceAll('\n', '\r')),
  good('crlf', SSE, GOOD.replaceAll('\n', '\r\n')),
  good('mixed-line-ends', SSE, GOOD.replaceAll('\n\n', '\n\r\n')),
  good('cr-then-lf-line', SSE, GOOD.replaceAll('\n\n', '\r\n\r')),
  good('byte-order-mark', SSE, `\ufeff${GOOD}`),
  {
    id: 'two-byte-order-marks',
    rule: SSE,
    events: `\ufeff\ufeff${GOOD}`,
    ...nothing('The second mark makes the first event’s field unknown: its call is never named.'),
  },
  good('no-blank-after-colon', SSE, GOOD.replaceAll('data: ', 'data:')),
  good('two-blanks-after-colon', SSE, CALL.replaceAll('data: ', 'data:  ') + FINISH),
  good('data-over-lines', SSE, GOOD.replaceAll(',"choices"', ',\ndata: "choices"')),
  good('comments', SSE, `: hello\n\n:\n${OPEN}: keep-alive\n\n${REST}${FINISH}`),
  good(
    'unknown-fields',
    SSE,
    CALL.replaceAll('data: ', 'event: message\nid: 1\nretry: 5\nfoo: bar\nbaz\ndata: ') + FINISH,
  ),
  good('event-without-data', SSE, `${OPEN}event: ping\n\n${REST}${FINISH}`),
  good('many-blank-lines', SSE, `\n\n\n${OPEN}\n\n${REST}\n${FINISH}\n\n`),
  good('non-ascii-escaped-and-raw', SSE, sseEvent('{"choices":[{"index":0,"delta":{"content":"\\u90a3那"}}]}') + GOOD),
  {
    id: 'last-event-unterminated',
    rule: SSE,
    events: GOOD.slice(0, -1),
    end: 'complete',
    note: 'The finish reason came; [DONE] was never dispatched.',
  },
  {
    id: 'finish-unterminated',
    rule: SSE,
    events: (CALL + ending({ finish: 'tool_calls', done: false })).slice(0, -1),
    end: 'cut',
    whole: {},
  },
  { id: 'cut-in-payload', rule: SSE, events: GOOD.slice(0, CALL.length - 9), end: 'cut', whole: {} },
  failed('payload-not-json', 'sse_bad_json', sseEvent('{"choices":[')),
  failed('payload-word', 'sse_bad_json', sseEvent('DONE')),
  failed('payload-not-utf8', 'sse_bad_json', sseEvent('{"x":"\u0001"}'), 'The payload holds the byte FF.'),
  {
    ...failed('event-too-long', 'event_too_long', delta({ content: 'x'.repeat(2048) })),
    limits: { eventLimit: 1024 },
  },
];

const CHAT_CASES: readonly StreamCase[] = [
  odd('no-choices', sseEvent('{"id":"x"}')),
  odd('empty-choices', sseEvent('{"choices":[]}')),
  odd('usage-only', sseEvent('{"choices":[],"usage":{"total_tokens":1}}')),
  odd('null-fields', sseEvent('{"choices":null,"usage":null,"error":null}')),
  odd('delta-missing', sseEvent('{"choices":[{"index":0}]}')),
  odd('delta-null', sseEvent('{"choices":[{"index":0,"delta":null,"finish_reason":null}]}')),
  odd('delta-of-nulls', delta({ role: null, content: null, tool_calls: null, function_call: null, refusal: null })),
  odd('empty-tool-calls', delta({ tool_calls: [] })),
  odd('index-of-choice-missing', sseEvent('{"choices":[{"delta":{}}]}')),
  odd(
    'second-choice',
    sseEvent('{"choices":[{"index":1,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"x"}}]}}]}'),
  ),
  odd('second-choice-finish', sseEvent('{"choices":[{"index":1,"delta":{},"finish_reason":"length"}]}')),
  odd(
    'unknown-fields',
    sseEvent('{"object":"x","obfuscation":"abc","choices":[{"index":0,"delta":{"x":1},"logprobs":null}]}'),
  ),
  odd('reasoning-content', delta({ reasoning_content: '{"name":"u","arguments":{}}' })),
  odd('reasoning', delta({ reasoning: '{"name":"u","arguments":{}}' })),
  odd('text-between', delta({ content: '{"name":"u"' }), 'The text is content: with tool deltas it is text.'),
  good(
    'two-calls-in-one-delta',
    CHAT,
    delta({ tool_calls: [piece(0, 'c1', 't', '{"k":1}'), piece(1, 'c2', 'u', '{}')] }) + FINISH,
    [c1, called('c2', 'u')],
  ),
  good(
    'finish-with-last-delta',
    CHAT,
    OPEN + delta({ tool_calls: [{ index: 0, function: { arguments: '1}' } }] }, 'tool_calls'),
  ),
  good(
    'function-call',
    CHAT,
    delta({ function_call: { name: 't', arguments: '{"k":' } }) +
      delta({ function_call: { arguments: '1}' } }) +
      ending({ finish: 'function_call' }),
    [called('call_0', 't', '{"k":1}')],
  ),
  good('surrogate-over-deltas', CHAT, surrogate('\ud83d', '\ude00'), [called('c1', 't', '{"k":"😀"}')]),
  {
    id: 'surrogate-cut',
    rule: CHAT,
    events: fragmentEvents([{ index: 0, id: 'c1', name: 't', args: '{"k":"\ud83d' }]),
    end: 'cut',
    whole: {},
  },
  {
    id: 'surrogate-behind-the-object',
    rule: '0002: while half a character is held',
    events: fragmentEvents([{ index: 0, id: 'c1', name: 't', args: '{"k":1}\ud83d' }]) + FINISH,
    whole: { error: 'bad_delta' },
  },
  {
    id: 'surrogate-behind-the-object-next-call',
    rule: '0002: while half a character is held',
    events:
      fragmentEvents([
        { index: 0, id: 'c1', name: 't', args: '{"k":1}\ud83d' },
        { index: 1, id: 'c2', name: 'u', args: '{}' },
      ]) + FINISH,
    whole: { error: 'bad_delta' },
    object: { calls: [called('c2', 'u')], error: 'bad_delta' },
  },
  { id: 'surrogate-alone', rule: CHAT, events: surrogate('\ud83d', 'x'), whole: { error: 'bad_delta' } },
  failed('error-object', 'stream_error', sseEvent('{"error":{"message":"overloaded"}}')),
  failed('error-string', 'stream_error', sseEvent('{"error":"overloaded"}')),
  failed(
    'error-with-choices',
    'stream_error',
    sseEvent('{"error":{"message":"overloaded"},"choices":[{"index":0,"delta":{}}]}'),
  ),
  failed('choices-object', 'bad_delta', sseEvent('{"choices":{}}')),
  failed('delta-string', 'bad_delta', sseEvent('{"choices":[{"index":0,"delta":"x"}]}')),
  failed('content-number', 'bad_delta', delta({ content: 5 })),
  failed('index-of-choice-string', 'bad_delta', sseEvent('{"choices":[{"index":"0","delta":{}}]}')),
];

const COMPLETE_REASONS = ['stop', 'tool_calls', 'function_call', 'tool_use', 'end_turn', 'stop_sequence', 'eos'];
const CUT_REASONS = ['length', 'content_filter', 'max_tokens', 'banana'];

const END_CASES: readonly StreamCase[] = [
  ...COMPLETE_REASONS.map((finish) => good(`reason-${finish}`, END, CALL + ending({ finish, done: false }))),
  ...CUT_REASONS.map((finish) => cut(`reason-${finish}`, CALL + ending({ finish }))),
  good('done-alone', END, CALL + DONE_EVENT),
  good('reason-empty-and-done', END, CALL + ending({ finish: '' })),
  cut('reason-empty', CALL + ending({ finish: '', done: false })),
  cut('nothing', CALL),
  good('reason-after-every-chunk', END, delta({}, 'stop') + OPEN + delta({}, 'stop') + REST + delta({}, 'stop')),
  good('reason-early', END, OPEN + ending({ finish: 'tool_calls', done: false }) + REST + DONE_EVENT),
  good('reason-early-no-done', END, OPEN + ending({ finish: 'tool_calls', done: false }) + REST),
  {
    id: 'complete-then-cut-reason',
    rule: END,
    events: CALL + delta({}, 'stop') + ending({ finish: 'length' }),
    end: 'cut',
    whole: {},
    object: { calls: [c1] },
  },
  cut('cut-then-complete-reason', CALL + delta({}, 'length') + ending('stop')),
  {
    id: 'failure-after-reason',
    rule: END,
    events: CALL + delta({}, 'stop') + sseEvent('{"error":{"message":"overloaded"}}') + DONE_EVENT,
    end: 'cut',
    whole: { error: 'stream_error' },
    object: { calls: [c1], error: 'stream_error' },
    offset: 7,
  },
  good('delta-after-done', '0002: nothing after [DONE] is read', GOOD + fragmentEvents([{ index: 0, args: 'x' }])),
  good('bad-json-after-done', '0002: nothing after [DONE] is read', GOOD + sseEvent('{')),
  { id: 'empty-body', rule: END, events: '', end: 'cut', whole: {} },
];

export const STREAM_CASES: readonly CraftedCase[] = [
  ...SSE_CASES.map((written) => streamCase('sse', written)),
  ...CHAT_CASES.map((written) => streamCase('chat', written)),
  ...END_CASES.map((written) => streamCase('end', written)),
];

function streamCase(prefix: string, written: StreamCase): CraftedCase {
  const { id, rule, note, limits, events, end = 'complete', whole = { calls: [c1] }, object = whole, offset } = written;
  const place = offset === undefined ? null : { offset, line: 1 };
  return {
    id: `${prefix}-${id}`,
    framing: 'native',
    rule,
    ...(note !== undefined && { note }),
    ...(limits !== undefined && { limits }),
    bytes: withByteFF(bytesOf(events)),
    expect: [
      expectation('json-whole', end, { ...whole, place }),
      expectation('json-object', end, { ...object, place }),
    ],
  };
}

/** The byte 01, which no stream here needs, stands for FF: no string encodes to that byte. */
function withByteFF(bytes: Uint8Array): Uint8Array {
  return bytes.map((byte) => (byte === 0x01 ? 0xff : byte));
}

function good(id: string, rule: string, events: string, calls = [c1]): StreamCase {
  return { id, rule, events, whole: { calls } };
}

/** Something that means nothing, in the middle of the call. */
function odd(id: string, events: string, note?: string): StreamCase {
  return { id, rule: CHAT, events: OPEN + events + REST + FINISH, ...(note !== undefined && { note }) };
}

/** A stream that fails in the middle of the call, although `[DONE]` follows. */
function failed(id: string, error: NonNullable<Outcome['error']>, events: string, note?: string): StreamCase {
  const rest = { end: 'cut', whole: { error }, offset: 5, ...(note !== undefined && { note }) } as const;
  return { id, rule: FAILED, events: OPEN + events + REST + FINISH, ...rest };
}

function cut(id: string, events: string): StreamCase {
  return { id, rule: END, events, end: 'cut', whole: {} };
}

function nothing(note: string): Pick<StreamCase, 'whole' | 'offset' | 'note'> {
  return { whole: { error: 'orphan_delta' }, offset: 0, note };
}

function piece(index: number, id: string, name: string, args: string): object {
  return { index, id, type: 'function', function: { name, arguments: args } };
}

function surrogate(high: string, low: string): string {
  const fragments = [
    { index: 0, id: 'c1', name: 't', args: `{"k":"${high}` },
    { index: 0, args: `${low}"}` },
  ];
  return fragmentEvents(fragments) + FINISH;
}
