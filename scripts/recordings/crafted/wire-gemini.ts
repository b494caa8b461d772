/** Crafted streams for docs/wire-formats.md "Gemini". */
import type { ExpectedCall } from '../../../harness/replay/recording.ts';
import type { CraftedCase, Outcome } from './case.ts';
import { called } from './native-case.ts';
import { C1, type WireCase, wireCase } from './wire-case.ts';

const EVENTS = 'Gemini, events';
const IDENTITY = 'Gemini, which call';
const PIECES = 'Gemini, arguments in pieces';
const CLOSES = 'what closes a call';
const END = 'Gemini, complete or cut';

const CALL1 = call({ id: 'c1', name: 't', args: { k: 1 } });
const CALL2 = call({ name: 'u', args: { k: 2 } });
const STOP = chunk([{ text: '' }], { finishReason: 'STOP' });
const SECOND = called('call_1', 'u', '{"k":2}');

const GOOD: readonly WireCase[] = [
  good('one-call', EVENTS, CALL1),
  good('lf', EVENTS, CALL1.replaceAll('\r\n', '\n')),
  good(
    'two-calls-one-chunk',
    IDENTITY,
    chunk([part({ id: 'c1', name: 't', args: { k: 1 } }), part({ name: 'u', args: { k: 2 } })]),
    [C1, SECOND],
  ),
  good('two-calls-two-chunks', IDENTITY, CALL1 + CALL2, [C1, SECOND]),
  good('same-name-twice', IDENTITY, CALL2 + CALL2, [called('call_0', 'u', '{"k":2}'), SECOND]),
  good('text-and-thought', EVENTS, chunk([{ text: '{"name":', thought: true }, { text: 'Hello' }]) + CALL1),
  good(
    'signature',
    EVENTS,
    chunk([{ functionCall: { id: 'c1', name: 't', args: { k: 1 } }, thoughtSignature: 'c2ln' }]),
  ),
  good('no-args', CLOSES, call({ id: 'c1', name: 't' }), [called('c1', 't', '')]),
  good(
    'numbers',
    IDENTITY,
    call({ id: 'c1', name: 't', args: 'ARGS' }).replace('"ARGS"', '{"k": 12345678901234567890, "j": 1.0}'),
    [called('c1', 't', '{"k": 12345678901234567890, "j": 1.0}')],
  ),
  { id: 'code-assist', rule: EVENTS, events: wrapped(CALL1) + wrapped(STOP) },
  good('candidates', EVENTS, CALL1 + other(), [C1]),
  good(
    'code-execution',
    'tools that the provider runs',
    chunk([{ executableCode: { code: '1' } }, { codeExecutionResult: {} }]) + CALL1,
  ),
  good('reason-after-every-chunk', END, chunk([{ text: 'a' }], { finishReason: 'STOP' }) + CALL1),
  {
    id: 'reason-with-the-call',
    rule: END,
    events: chunk([part({ id: 'c1', name: 't', args: { k: 1 } })], { finishReason: 'STOP' }),
  },
  { id: 'done-behind', rule: END, events: `${CALL1 + STOP}data: [DONE]\r\n\r\n` },
];

const NESTED = '{"a":{"b":[{"c":"x\\n\\"y"},{"c":12345678901234567890}]},"d":[true,null],"e":"😀"}';

const STREAMED: readonly WireCase[] = [
  pieces('string-in-pieces', [string('$.k', 'ab', true), string('$.k', 'c', true), string('$.k', '')], '{"k":"abc"}'),
  pieces('string-whole', [string('$.k', 'abc')], '{"k":"abc"}'),
  pieces('one-number', [{ jsonPath: '$.k', numberValue: 1 }], '{"k":1}'),
  pieces(
    'nested',
    [
      string('$.a.b[0].c', 'x\n', true),
      string('$.a.b[0].c', '"y'),
      { jsonPath: '$.a.b[1].c', numberValue: 'NUMBER' },
      { jsonPath: '$.d[0]', boolValue: true },
      { jsonPath: '$.d[1]', nullValue: 'NULL_VALUE' },
      string('$.e', '\ud83d', true),
      string('$.e', '\ude00'),
    ],
    NESTED,
  ),
  pieces('quoted-keys', [string("$['a b'].c", 'x'), string('$["d.e"]', 'y')], '{"a b":{"c":"x"},"d.e":"y"}'),
  good('pieces-and-sibling', IDENTITY, begin() + more([string('$.k', 'x')]) + call({}) + CALL2, [
    called('c1', 't', '{"k":"x"}'),
    SECOND,
  ]),
  good(
    'named-again-by-its-id',
    IDENTITY,
    call({ id: 'c1', name: 't', partialArgs: [string('$.k', 'x')], willContinue: true }) +
      call({ id: 'c1', name: 't', partialArgs: [string('$.j', 'y')] }),
    [called('c1', 't', '{"k":"x","j":"y"}')],
  ),
  good('last-piece-ends', CLOSES, begin() + call({ partialArgs: [{ jsonPath: '$.k', numberValue: 1 }] })),
  good('nothing-in-pieces', CLOSES, begin() + call({ willContinue: true }) + call({}), [called('c1', 't', '')]),
];

const REFUSED: readonly WireCase[] = [
  unfit('comes-back', [string('$.a.x', '1'), string('$.b', '2'), string('$.a.y', '3')]),
  unfit('twice', [string('$.a', '1'), string('$.a', '2')]),
  unfit('skips-an-index', [string('$.a[0]', '1'), string('$.a[2]', '3')]),
  unfit('leaves-a-string', [string('$.a', '1', true), string('$.b', '2')]),
  unfit('root-array', [string('$[0]', '1')]),
  unfit('no-path', [{ stringValue: 'x' }]),
  unfit('wild-path', [string('$..a', 'x')]),
  ...['$.*', '$.a,b', '$.?(@)'].map((path, index) => unfit(`wild-path-${index + 2}`, [string(path, 'x')])),
  unfit('no-value', [{ jsonPath: '$.a' }]),
  unfit('two-values', [{ jsonPath: '$.a', stringValue: 'x', numberValue: 1 }]),
  unfit('open-string', [string('$.a', 'x', true)]),
  unfit('half-a-character', [string('$.a', '\ud83d')]),
  bad(
    'args-and-pieces',
    call({ id: 'c1', name: 't', args: { k: 1 }, partialArgs: [string('$.j', 'x')] }),
    'args_not_object',
  ),
  bad('args-array', call({ id: 'c1', name: 't', args: [1] })),
  bad(
    'args-twice',
    begin() + call({ args: { k: 1 }, willContinue: true }) + call({ args: { k: 1 } }),
    'args_not_object',
  ),
  bad('other-id', begin() + call({ id: 'c2', partialArgs: [string('$.k', 'x')] })),
  bad('same-id-other-name', begin() + call({ id: 'c1', name: 'u', partialArgs: [string('$.k', 'x')] })),
  {
    ...bad(
      'named-again-without-id',
      call({ name: 't', partialArgs: [string('$.k', 'x')], willContinue: true }) +
        call({ name: 't', partialArgs: [string('$.j', 'y')] }),
    ),
    note: 'The rest of that call, or another call: to take it for another would run half of the arguments.',
  },
  {
    id: 'same-id-twice',
    rule: IDENTITY,
    events: CALL1 + CALL1 + STOP,
    whole: { error: 'bad_delta' },
    object: { calls: [C1], error: 'bad_delta' },
    offset: 7,
  },
  {
    id: 'two-candidates-without-index',
    rule: EVENTS,
    events: event({ candidates: [candidate('t'), candidate('u')] }) + STOP,
    end: 'cut',
    whole: { error: 'bad_delta' },
  },
  bad('name-number', call({ id: 'c1', name: 5, args: {} })),
  bad('never-ended', begin() + more([string('$.k', 'x')])),
  {
    id: 'opens-before-the-end',
    rule: CLOSES,
    events: begin() + more([string('$.k', 'x')]) + CALL2 + STOP,
    whole: { error: 'bad_delta' },
    object: { calls: [SECOND], error: 'bad_delta' },
  },
  {
    id: 'part-after-the-end',
    rule: CLOSES,
    events: CALL1 + call({ partialArgs: [string('$.j', 'x')] }) + STOP,
    whole: { error: 'orphan_delta' },
    object: { calls: [C1], error: 'orphan_delta' },
    offset: 7,
  },
  {
    id: 'parts-object',
    rule: EVENTS,
    events: event({ candidates: [{ content: { parts: {} } }] }) + STOP,
    end: 'cut',
    whole: { error: 'bad_delta' },
  },
];

const CUT = [
  'MAX_TOKENS',
  'SAFETY',
  'RECITATION',
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'OTHER',
  'BANANA',
];

const ENDS: readonly WireCase[] = [
  ...CUT.map((finishReason) => cut(`reason-${finishReason.toLowerCase()}`, CALL1 + chunk([], { finishReason }))),
  cut('nothing', CALL1),
  cut('stop-then-max-tokens', CALL1 + STOP + chunk([], { finishReason: 'MAX_TOKENS' })),
  cut('inside-pieces', begin() + more([string('$.k', 'x', true)]), {}),
  cut('blocked', event({ promptFeedback: { blockReason: 'SAFETY' } }), {}),
  error('error', event({ error: { code: 503, message: 'overloaded', status: 'UNAVAILABLE' } }), 'stream_error'),
  error('error-in-wrapper', event({ response: { error: { code: 503, message: 'overloaded' } } }), 'stream_error'),
  error('bad-json', 'data: {"candidates":\r\n\r\n', 'sse_bad_json'),
];

export const GEMINI_CASES: readonly CraftedCase[] = [...GOOD, ...STREAMED, ...REFUSED, ...ENDS].map((written) =>
  wireCase('gemini', 'gemini', written),
);

function good(id: string, rule: string, events: string, calls: readonly ExpectedCall[] = [C1]): WireCase {
  return { id, rule, events: events + STOP, whole: { calls } };
}

function pieces(id: string, partialArgs: readonly object[], argsText: string): WireCase {
  const written = begin() + partialArgs.map((piece) => more([piece])).join('') + call({});
  const events = written.replace('"NUMBER"', '12345678901234567890');
  return { id: `pieces-${id}`, rule: PIECES, events: events + STOP, whole: { calls: [called('c1', 't', argsText)] } };
}

function unfit(id: string, partialArgs: readonly object[]): WireCase {
  return {
    ...bad(`pieces-${id}`, begin() + partialArgs.map((piece) => more([piece])).join('') + call({})),
    rule: PIECES,
  };
}

function bad(id: string, events: string, kind: Outcome['error'] = 'bad_delta'): WireCase {
  return { id, rule: IDENTITY, events: events + STOP, whole: { error: kind } };
}

function cut(id: string, events: string, object: Outcome = { calls: [C1] }): WireCase {
  return { id, rule: END, events, end: 'cut', whole: {}, object };
}

function error(id: string, failure: string, kind: NonNullable<Outcome['error']>): WireCase {
  const object = { calls: [C1], error: kind };
  return { id, rule: END, events: CALL1 + failure + STOP, end: 'cut', whole: { error: kind }, object, offset: 7 };
}

/** As Code Assist sends them. */
function wrapped(event: string): string {
  return event.replace(/^data: (.*)\r\n\r\n$/s, 'data: {"response":$1,"traceId":"x"}\r\n\r\n');
}

function begin(): string {
  return call({ id: 'c1', name: 't', willContinue: true });
}

function more(partialArgs: readonly object[]): string {
  return call({ partialArgs, willContinue: true });
}

function string(jsonPath: string, stringValue: string, willContinue?: true): object {
  return { jsonPath, stringValue, willContinue };
}

function call(functionCall: object): string {
  return chunk([part(functionCall)]);
}

function candidate(name: string): object {
  return { content: { parts: [part({ name, args: {} })] } };
}

function part(functionCall: object): object {
  return { functionCall };
}

function chunk(parts: readonly object[], more: object = {}): string {
  return event({ candidates: [{ content: { parts, role: 'model' }, ...more }] });
}

function other(): string {
  const content = { parts: [part({ name: 'x', args: {} })] };
  return event({ candidates: [{ index: 1, content, finishReason: 'MAX_TOKENS' }] });
}

/** Gemini ends its lines with CRLF. */
function event(payload: object): string {
  return `data: ${JSON.stringify(payload)}\r\n\r\n`;
}
