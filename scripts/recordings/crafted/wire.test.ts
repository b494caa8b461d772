import { describe, expect, it } from 'vitest';
import { checkRecording } from '../../../harness/properties/recording-check.ts';
import { detectWireFormat } from '../../../harness/stream/dialect.ts';
import { ANTHROPIC_CASES } from './wire-anthropic.ts';
import { CHAT_CASES } from './wire-chat.ts';
import { GEMINI_CASES } from './wire-gemini.ts';
import { RESPONSES_CASES } from './wire-responses.ts';

const CASES = [...ANTHROPIC_CASES, ...RESPONSES_CASES, ...GEMINI_CASES];

describe('a crafted stream with free text in OpenAI chat', () => {
  it.each(CHAT_CASES.flatMap(({ id, ...rest }) => rest.expect.map((expectation) => ({ id, ...rest, expectation }))))(
    '$id keeps every property in $expectation.protocol',
    ({ bytes, expectation }) => {
      const { outcomes, report } = checkRecording(bytes, { protocol: expectation.protocol, expectation });
      expect(outcomes.filter(({ verdict, accepted }) => verdict.status === 'violated' && accepted === null)).toEqual(
        [],
      );
      expect(report.executed).toBe(expectation.calls.length);
    },
  );
});

describe('a crafted stream of a format whose provider closes each call', () => {
  it.each(CASES.flatMap(({ id, ...rest }) => rest.expect.map((expectation) => ({ id, ...rest, expectation }))))(
    '$id keeps every property in $expectation.protocol, also when a closed call is come back to',
    ({ id, bytes, wire, expectation }) => {
      const { outcomes, report } = checkRecording(bytes, {
        protocol: expectation.protocol,
        expectation,
        ...(wire === undefined ? {} : { wire }),
        strict: true,
        name: id,
        scope: { beyondTheRecording: true, byteBudget: 64 * 1024 },
      });
      expect(outcomes.filter(({ verdict }) => verdict.status === 'violated')).toEqual([]);
      expect(report.executed).toBe(expectation.calls.length);
    },
  );

  it.each(CASES)('$id is told from its content', ({ bytes, wire }) => {
    expect(detectWireFormat(bytes)).toBe(wire);
  });
});
