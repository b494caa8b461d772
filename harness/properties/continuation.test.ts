import { expect, it } from 'vitest';
import type { ParserFactory, ToolCall } from '../parsers/parser.ts';
import { PARSERS } from '../parsers/protocols.ts';
import { chunk, sse } from '../testing/chat-streams.ts';
import { checkRecording } from './recording-check.ts';

/** One call, and nothing behind its last byte but what decides the end. */
const bytes = sse(chunk({ content: 'call c1 t\narg k 1\nv\nend\n' }), chunk({}, 'stop'), '[DONE]');

/** Gives every call up when the stream breaks off. */
const givesUp: ParserFactory = (options) => {
  const parser = PARSERS.ctl(options);
  let calls: readonly ToolCall[] | null = null;
  return {
    push: (event, from, to) => parser.push(event, from, to),
    end: (how) => {
      parser.end(how);
      if (how === 'cut') calls = [];
    },
    get calls() {
      return calls ?? parser.calls;
    },
    get pending() {
      return parser.pending;
    },
    get error() {
      return parser.error;
    },
    get unfinished() {
      return parser.unfinished;
    },
  };
};

it.each([
  ['holds for a parser that keeps its call', PARSERS.ctl, 'holds'],
  ['finds one that takes its only call back in a cut right behind it', givesUp, 'violated'],
])('the check of continuations %s', (_, parser, status) => {
  const scope = { beyondTheRecording: true, byteBudget: 0 };
  const { outcomes } = checkRecording(bytes, { protocol: 'ctl', parser, scope, name: 'x' });
  expect(outcomes.find(({ verdict }) => verdict.property === 'continuation')?.verdict.status).toBe(status);
});
