/** Dialects of special tokens: parser against oracle at every prefix, and the parser against itself at every split. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDeepseek } from './oracles/deepseek.ts';
import { readHarmony } from './oracles/harmony.ts';
import { readKimi } from './oracles/kimi.ts';
import { DeepseekParser } from './parsers/deepseek.ts';
import { HarmonyParser } from './parsers/harmony.ts';
import { KimiParser } from './parsers/kimi.ts';
import { DEFAULT_OPTIONS, type ParserOptions } from './parsers/parser.ts';
import { disagreement } from './properties/agreement.ts';
import { stateDifference } from './properties/final-state.ts';
import type { StreamEnd, StreamEvent } from './stream/event.ts';
import { readStream } from './stream/reader.ts';
import { perhapsDamaged } from './testing/byte-damage.ts';
import { deepseekMessages } from './testing/deepseek-messages.ts';
import { feed } from './testing/feed.ts';
import { harmonyMessages } from './testing/harmony-messages.ts';
import { kimiMessages } from './testing/kimi-messages.ts';
import { PATIENCE, runs } from './testing/runs.ts';

const DIALECTS = [
  ['deepseek', { Parser: DeepseekParser, oracle: readDeepseek, messages: deepseekMessages() }],
  ['kimi', { Parser: KimiParser, oracle: readKimi, messages: kimiMessages() }],
  ['harmony', { Parser: HarmonyParser, oracle: readHarmony, messages: harmonyMessages() }],
] as const;

const ENDS: readonly StreamEnd[] = ['complete', 'cut'];
const OPTIONS: fc.Arbitrary<ParserOptions> = fc
  .constantFrom(1, 2, 256, 256)
  .map((callsPerMessage) => ({ ...DEFAULT_OPTIONS, callsPerMessage }));

function asText(bytes: Uint8Array): StreamEvent {
  return { type: 'text', at: 0, bytes };
}

describe.each(DIALECTS)('%s', (_, { Parser, oracle, messages }) => {
  it('is read by the parser as by the oracle at every prefix, whichever way it ends', { timeout: PATIENCE }, () => {
    const count = { cases: 0, withCalls: 0, withError: 0 };
    fc.assert(
      fc.property(fc.oneof(messages, perhapsDamaged(messages)), OPTIONS, (message, options) => {
        for (let length = 0; length <= message.length; length++) {
          const events = [asText(message.subarray(0, length))];
          for (const end of ENDS) {
            const parser = new Parser(options);
            feed(parser, { events, end }, [7, 1, 3]);
            expect(disagreement(parser, oracle(events, end, options))).toBeNull();
            if (length < message.length) continue;
            count.cases++;
            if (parser.calls.length > 0) count.withCalls++;
            if (parser.error !== null) count.withError++;
          }
        }
      }),
      runs(12, 250),
    );
    expect(count.withCalls).toBeGreaterThan(count.cases / 8);
    expect(count.withError).toBeGreaterThan(count.cases / 8);
  });

  it('comes to the same state whichever byte it is split at', { timeout: PATIENCE }, () => {
    fc.assert(
      fc.property(perhapsDamaged(messages), (message) => {
        const whole = new Parser(DEFAULT_OPTIONS);
        feed(whole, { events: [asText(message)], end: 'complete' }, [message.length]);
        for (let at = 1; at < message.length; at++) {
          const split = new Parser(DEFAULT_OPTIONS);
          const events = [asText(message.subarray(0, at)), asText(message.subarray(at))];
          feed(split, { events, end: 'complete' }, [message.length]);
          expect(stateDifference(whole, split)).toBeNull();
        }
      }),
      runs(12, 250),
    );
  });
});

const CORPUS = fileURLToPath(new URL('../../shared/corpus/openai-chat/openai-chat-', import.meta.url));
const BEIJING = 'get_current_weather {"location": "Beijing", "format": "celsius"}';
const SHANGHAI = 'get_current_weather {"location": "Shanghai", "format": "celsius"}';
const RECORDED = [
  ['vllm-dynamo-deepseek-v3-chat-completion-stream-tool', DeepseekParser, [BEIJING, SHANGHAI]],
  ['vllm-dynamo-deepseek-v3-1-chat-completion-stream-tool', DeepseekParser, [BEIJING, SHANGHAI]],
  [
    'sglang-dynamo-gpt-oss-20b-chat-completion-stream-19c97899-tool',
    HarmonyParser,
    ['get_weather {"location":"Tokyo","unit":"celsius"}'],
  ],
  [
    'vllm-dynamo-gpt-oss-20b-chat-completion-stream-f0c86d72-tool',
    HarmonyParser,
    ['get_weather {"location":"San Francisco, CA","unit":"celsius"}'],
  ],
  ['vllm-dynamo-gpt-oss-20b-chat-completion-stream-49f581c1-no-tool', HarmonyParser, []],
] as const;

describe.skipIf(!existsSync(`${CORPUS}${RECORDED[0][0]}.sse`))('a stream of a server', () => {
  it.each(RECORDED)('%s has its calls', (slug, Parser, calls) => {
    const parser = new Parser(DEFAULT_OPTIONS);
    feed(parser, readStream(readFileSync(`${CORPUS}${slug}.sse`), 'openai-chat'), [1]);
    const made = parser.calls.map(({ name, args }) => `${name} ${args.form === 'json' ? args.text : ''}`);
    expect([made, parser.error]).toEqual([calls, null]);
  });
});
