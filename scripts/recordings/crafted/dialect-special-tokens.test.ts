import { expect, it } from 'vitest';
import { DEFAULT_OPTIONS } from '../../../harness/parsers/parser.ts';
import { PARSERS } from '../../../harness/parsers/protocols.ts';
import { unexpected } from '../../../harness/properties/agreement.ts';
import { readStream } from '../../../harness/stream/reader.ts';
import { feed } from '../../../harness/testing/feed.ts';
import { DEEPSEEK_CASES } from './dialect-deepseek.ts';
import { HARMONY_CASES } from './dialect-harmony.ts';
import { KIMI_CASES } from './dialect-kimi.ts';

it.each([
  ['deepseek', DEEPSEEK_CASES],
  ['kimi', KIMI_CASES],
  ['harmony', HARMONY_CASES],
] as const)('the parser of %s makes of every crafted stream what is expected by hand', (protocol, cases) => {
  const wrong: string[] = [];
  for (const { id, bytes, expect: expectations } of cases) {
    const stream = readStream(bytes, 'openai-chat');
    const parser = PARSERS[protocol](DEFAULT_OPTIONS);
    feed(parser, stream, [1, 4]);
    for (const expectation of expectations) {
      const difference = unexpected(parser, stream.end, expectation);
      if (difference !== null) wrong.push(`${id}: ${difference}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(cases.length).toBeGreaterThan(40);
});
