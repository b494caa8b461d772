import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ParserOptions } from '../parsers/parser.ts';
import type { Protocol } from '../parsers/protocols.ts';
import type { StreamEnd, StreamEvent } from '../stream/event.ts';
import { delta, done, failure, finish, refused, text } from '../testing/hand-made-events.ts';
import type { OracleReading } from './oracle.ts';
import { ORACLES } from './oracles.ts';

const OPTIONS: ParserOptions = { lineLimit: 24, argumentLimit: 12, argumentsPerCall: 2, callsPerMessage: 3 };
const RUNS = { seed: 20261202, numRuns: 1500 };
const PROTOCOLS = Object.keys(ORACLES) as Protocol[];

const CTL_TOKENS = ['call c1 t\n', 'call c2 t\n', 'call ', 'c1', 'arg k 2\n', 'arg j 12\n', 'arg k <<E\n', 'arg i v\n'];
const TOKENS: Record<Protocol, readonly string[]> = {
  ctl: [...CTL_TOKENS, 'ab', 'end', '\n', 'end\n', 'E', 'E\n', '<think>', '</think>', 'x'.repeat(9), ' '],
  'ctl-heredoc': [...CTL_TOKENS, 'arg k <<E\n', 'E\n', 'line\n', 'end\n', ' '],
  xml: [
    '<minimax:tool_call>',
    '</minimax:tool_call>',
    '<invoke name="a">',
    '</invoke>',
    '<parameter name="k">',
    '<parameter name="j">',
    '</parameter>',
    'value',
    '\n',
    '<',
    'x'.repeat(9),
    '</par',
  ],
  'json-whole': [
    '{"name":"a","arguments":{',
    '}}',
    '{}',
    '{',
    '}',
    '[',
    ']',
    ',',
    ' ',
    '"x":1',
    '"x":',
    '"',
    '\\',
    '0',
  ],
  hermes: [
    '<tool_call>',
    '</tool_call>',
    '{"name":"a","arguments":{}}',
    '{"name":"a","arguments":{"k":"',
    '"}}',
    '\n',
    '<',
    'x',
  ],
  'qwen-xml': [
    '<tool_call>',
    '<function=a>',
    '<parameter=k>',
    '<parameter=j>',
    '</parameter>',
    '</function>',
    '</tool_call>',
    'value',
    '\n',
    '<',
    'x'.repeat(9),
    '</par',
  ],
  glm: [
    '<tool_call>a',
    '<arg_key>k</arg_key>',
    '<arg_key>j</arg_key>',
    '<arg_value>',
    '</arg_value>',
    '</tool_call>',
    'value',
    '\n',
    '<',
    'x'.repeat(9),
    '</arg',
  ],
  deepseek: [
    '<｜tool▁calls▁begin｜>',
    '<｜tool▁call▁begin｜>',
    'a<｜tool▁sep｜>',
    '{}',
    '{"k":"',
    '"}',
    '<｜tool▁call▁end｜>',
    '<｜tool▁calls▁end｜>',
    '\n',
    '<｜tool',
  ],
  kimi: [
    '<|tool_calls_section_begin|>',
    '<|tool_call_begin|>',
    'functions.a:0<|tool_call_argument_begin|>',
    '{}',
    '{"k":"',
    '"}',
    '<|tool_call_end|>',
    '<|tool_calls_section_end|>',
    '\n',
    '<|tool',
  ],
  harmony: [
    '<|start|>assistant',
    '<|channel|>commentary to=functions.a <|constrain|>json',
    '<|channel|>final',
    '<|message|>',
    '{}',
    '{"k":"',
    '"}',
    '<|call|>',
    '<|end|>',
    '\n',
    '<|',
  ],
  'json-object': ['{"name":"a","arguments":{}}', '{}', '{', '}', '[', ']', ',', ' ', '"x":1', '"x":', '"', '\\', '0'],
};

/** Streams of likely and unlikely tokens; `native`: tool deltas too. */
function streams(protocol: Protocol): fc.Arbitrary<StreamEvent[]> {
  const token = fc.constantFrom(...TOKENS[protocol]);
  const identity = fc.constantFrom({}, {}, { name: 'a' }, { name: 'b', id: 'c1' });
  const texts = fc.array(token.map(text), { maxLength: 14 });
  const toolDelta = fc.tuple(fc.nat(2), token, identity).map(([call, args, who]) => delta(call, args, who));
  const rare = fc.constantFrom<StreamEvent>(
    finish('complete'),
    finish('cut'),
    refused(0, 'bad_delta'),
    refused(null, 'orphan_delta'),
    done(),
    failure('stream_error'),
  );
  const mixed = fc.array(
    fc.oneof(
      { weight: 6, arbitrary: toolDelta },
      { weight: 2, arbitrary: token.map(text) },
      { weight: 1, arbitrary: rare },
    ),
    { maxLength: 12 },
  );
  return fc.oneof(texts, mixed).map(namedOnce);
}

/** As the stream reader gives them: a name and an id are set once. */
function namedOnce(events: StreamEvent[]): StreamEvent[] {
  const named = new Set<number>();
  return events.map((event) => {
    if (event.type !== 'tool-delta' || event.name === undefined) return event;
    if (named.has(event.call)) return { type: event.type, at: event.at, call: event.call, bytes: event.bytes };
    named.add(event.call);
    return event;
  });
}

/** Every byte of content alone; what an event says besides its bytes comes with the first of them. */
function byteByByte(events: readonly StreamEvent[]): StreamEvent[] {
  return events.flatMap((event): StreamEvent[] => {
    if ((event.type !== 'text' && event.type !== 'tool-delta') || event.bytes.length < 2) return [event];
    const [first, ...rest] = Array.from(event.bytes, (byte) => Uint8Array.of(byte));
    const later = (bytes: Uint8Array): StreamEvent =>
      event.type === 'text'
        ? { type: 'text', at: event.at, bytes }
        : { type: 'tool-delta', at: event.at, call: event.call, bytes };
    return [{ ...event, bytes: first! }, ...rest.map(later)];
  });
}

function read(protocol: Protocol, events: readonly StreamEvent[], end: StreamEnd): OracleReading {
  return ORACLES[protocol](events, end, OPTIONS);
}

describe.each(PROTOCOLS)('the oracle of %s', (protocol) => {
  it('reads the same whatever the chunks', () => {
    fc.assert(
      fc.property(streams(protocol), fc.constantFrom<StreamEnd>('complete', 'cut'), (events, end) => {
        expect(read(protocol, byteByByte(events), end)).toEqual(read(protocol, events, end));
      }),
      RUNS,
    );
  });

  it('never replaces an error that was noticed at a prefix', () => {
    fc.assert(
      fc.property(streams(protocol), (events) => {
        const bytes = byteByByte(events);
        let noticed: OracleReading['error'] = null;
        for (let length = 0; length <= bytes.length; length++) {
          const { error } = read(protocol, bytes.slice(0, length), 'cut');
          if (noticed !== null) expect(error).toEqual(noticed);
          noticed = error;
        }
        const { error } = read(protocol, events, 'complete');
        if (noticed !== null) expect(error).toEqual(noticed);
      }),
      { ...RUNS, numRuns: 400 },
    );
  });
});

describe('the oracle of ctl', () => {
  it('takes back no call of a prefix', () => {
    fc.assert(
      fc.property(streams('ctl'), fc.nat(60), (events, length) => {
        const bytes = byteByByte(events);
        const before = read('ctl', bytes.slice(0, length), 'cut').calls;
        expect(read('ctl', bytes, 'complete').calls.slice(0, before.length)).toEqual(before);
      }),
      RUNS,
    );
  });
});

describe('what only ends complete', () => {
  it.each(['xml', 'json-whole'] as const)('runs no call of %s in a cut', (protocol) => {
    fc.assert(
      fc.property(streams(protocol), (events) => {
        expect(read(protocol, events, 'cut').calls).toEqual([]);
      }),
      RUNS,
    );
  });
});
