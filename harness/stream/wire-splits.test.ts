/** The formats whose provider closes each call, on streams drawn in any order: what must hold of every one of them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJsonObject, readJsonWhole } from '../oracles/json.ts';
import { JsonObjectParser } from '../parsers/json-object.ts';
import { JsonWholeParser } from '../parsers/json-whole.ts';
import { DEFAULT_OPTIONS } from '../parsers/parser.ts';
import { disagreement } from '../properties/agreement.ts';
import { SafetyCheck } from '../properties/safety.ts';
import { replayContent } from '../replay/replay.ts';
import type { StreamEvent } from './event.ts';
import { readStream } from './reader.ts';
import { StreamReader } from './stream-reader.ts';
import type { WireFormat } from './wire-format.ts';

const piece = fc.constantFrom('{}', '{"k":', '1}', '"\ud83d', '\ude00"', '', '}', ' ', '{"k":1}', '{"k":"😀"}');
const index = fc.nat(2);
const payload = (arbitrary: fc.Arbitrary<object>) => arbitrary.map((value) => JSON.stringify(value));

const anthropicDelta = (value: fc.Arbitrary<object>) =>
  fc.record({ type: fc.constant('content_block_delta'), index, delta: value });
const ANTHROPIC = fc.oneof(
  {
    weight: 4,
    arbitrary: payload(anthropicDelta(piece.map((partial_json) => ({ type: 'input_json_delta', partial_json })))),
  },
  { weight: 1, arbitrary: payload(anthropicDelta(fc.constant({ type: 'text_delta', text: 'é' }))) },
  {
    weight: 3,
    arbitrary: payload(
      fc.record({
        type: fc.constant('content_block_start'),
        index,
        content_block: fc.record({
          type: fc.constantFrom('tool_use', 'tool_use', 'text'),
          id: fc.constantFrom('a', 'b'),
          name: fc.constantFrom('f', 'g', 5),
          input: fc.constantFrom({}, {}, { k: 1 }),
        }),
      }),
    ),
  },
  { weight: 3, arbitrary: payload(fc.record({ type: fc.constant('content_block_stop'), index })) },
  {
    weight: 1,
    arbitrary: payload(
      fc
        .constantFrom('tool_use', 'max_tokens')
        .map((stop_reason) => ({ type: 'message_delta', delta: { stop_reason } })),
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom('{"type":"message_stop"}', '{"type":"error"}', '{') },
);

const responsesItem = fc.record({
  type: fc.constantFrom('function_call', 'function_call', 'custom_tool_call', 'web_search_call'),
  call_id: fc.constantFrom('a', 'b', null),
  name: fc.constantFrom('f', 'f', 'g'),
  arguments: piece,
  input: piece,
  status: fc.constantFrom('completed', 'completed', 'incomplete', 'in_progress', null),
});
const RESPONSES = fc.oneof(
  {
    weight: 3,
    arbitrary: payload(
      fc.record({
        type: fc.constant('response.output_item.added'),
        output_index: index,
        item: responsesItem.map((item) => ({ ...item, arguments: '', input: '' })),
      }),
    ),
  },
  {
    weight: 4,
    arbitrary: payload(
      fc.record({
        type: fc.constantFrom('response.function_call_arguments.delta', 'response.custom_tool_call_input.delta'),
        output_index: index,
        delta: piece,
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: payload(
      fc.record({ type: fc.constant('response.function_call_arguments.done'), output_index: index, arguments: piece }),
    ),
  },
  {
    weight: 3,
    arbitrary: payload(
      fc.record({ type: fc.constant('response.output_item.done'), output_index: index, item: responsesItem }),
    ),
  },
  {
    weight: 1,
    arbitrary: payload(
      fc.record({
        type: fc.constantFrom('response.completed', 'response.incomplete'),
        response: fc.record({ output: fc.array(responsesItem, { maxLength: 2 }) }),
      }),
    ),
  },
);

const geminiPiece = fc.record(
  {
    jsonPath: fc.constantFrom('$.k', '$.j', '$.l[0]', '$.l[1].m'),
    stringValue: fc.constantFrom('a', '\ud83d', '\ude00', ''),
    willContinue: fc.boolean(),
  },
  { requiredKeys: ['jsonPath', 'stringValue'] },
);
const GEMINI = payload(
  fc
    .record(
      {
        name: fc.constantFrom('f', 'g'),
        id: fc.constantFrom('a', 'b'),
        args: fc.constantFrom({}, { k: 1 }),
        partialArgs: fc.array(geminiPiece, { maxLength: 2 }),
        willContinue: fc.boolean(),
      },
      { requiredKeys: [] },
    )
    .chain((functionCall) =>
      fc.constantFrom<unknown>(undefined, undefined, undefined, 'STOP', 'MAX_TOKENS').map((finishReason) => ({
        candidates: [{ content: { parts: [{ functionCall }] }, finishReason }],
      })),
    ),
);

const FORMATS: readonly (readonly [WireFormat, fc.Arbitrary<string>])[] = [
  ['anthropic', ANTHROPIC],
  ['openai-responses', RESPONSES],
  ['gemini', GEMINI],
];

const streams = (event: fc.Arbitrary<string>): fc.Arbitrary<Uint8Array> =>
  fc
    .tuple(fc.array(event, { maxLength: 14 }), fc.constantFrom('\n', '\r\n', '\r'))
    .map(([events, end]) => Buffer.from(events.map((data) => `data: ${data}${end}${end}`).join('')));

function byteByByte(wire: WireFormat, bytes: Uint8Array): { events: StreamEvent[]; end: string } {
  const events: StreamEvent[] = [];
  const reader = new StreamReader(wire, (event) => events.push(event));
  for (let i = 0; i < bytes.length; i++) reader.push(bytes, i, i + 1);
  return { end: reader.end(), events };
}

describe.each(FORMATS)('a stream of %s, drawn', (wire, event) => {
  const always = (claim: (bytes: Uint8Array) => void): void =>
    fc.assert(fc.property(streams(event), claim), { seed: 20268, numRuns: 400 });

  it('gives the same events and end at every split', () => {
    always((bytes) => {
      const { events, end } = readStream(bytes, wire);
      expect(byteByByte(wire, bytes)).toEqual({ events, end });
    });
  });

  it('gives a call no byte and no second close once it is closed', () => {
    always((bytes) => {
      const closed = new Set<number>();
      for (const read of readStream(bytes, wire).events) {
        if (read.type === 'tool-delta' || read.type === 'tool-close') expect(closed).not.toContain(read.call);
        if (read.type === 'tool-close') closed.add(read.call);
      }
    });
  });

  it.each([
    ['json-object', JsonObjectParser, readJsonObject],
    ['json-whole', JsonWholeParser, readJsonWhole],
  ] as const)('keeps S1, S2 and S3 at every prefix in %s, and the oracle agrees', (_, Parser, oracle) => {
    always((bytes) => {
      const stream = readStream(bytes, wire);
      const reading = oracle(stream.events, stream.end, DEFAULT_OPTIONS);
      const parser = new Parser(DEFAULT_OPTIONS);
      const check = new SafetyCheck('content', reading.calls);
      replayContent(stream, parser, check);
      expect(check.verdicts().map(({ status }) => status)).toEqual(['holds', 'holds', 'holds']);
      expect(disagreement(parser, reading)).toBeNull();
    });
  });
});
