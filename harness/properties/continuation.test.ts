import { expect, it } from 'vitest';
import type { ParserFactory, ToolCall, ToolCallParser } from '../parsers/parser.ts';
import { PARSERS } from '../parsers/protocols.ts';
import { withCalls } from '../parsers/with-calls.ts';
import type { StreamEnd } from '../stream/event.ts';
import { chunk, sse } from '../testing/chat-streams.ts';
import { checkRecording } from './recording-check.ts';

/** One call, and nothing behind its last byte but what decides the end. */
const bytes = sse(chunk({ content: 'call c1 t\narg k 1\nv\nend\n' }), chunk({}, 'stop'), '[DONE]');

/** A right parser, but for the calls that it has when the stream is over. */
function wrongAtEnd(callsAt: (how: StreamEnd, parser: ToolCallParser) => readonly ToolCall[]): ParserFactory {
  return (options) => {
    const parser = PARSERS.ctl(options);
    let calls: readonly ToolCall[] | null = null;
    return withCalls(
      parser,
      () => calls ?? parser.calls,
      (how) => {
        calls = callsAt(how, parser);
        parser.end(how);
      },
    );
  };
}

const givesUp = wrongAtEnd((how, parser) => (how === 'cut' ? [] : parser.calls));
const runsAtCut = wrongAtEnd((how, { calls, unfinished }) => {
  if (how === 'complete' || unfinished === null) return calls;
  return [...calls, { ordinal: 0, id: 'c1', name: 't', args: { form: 'values', values: [] }, end: 0 }];
});

it.each([
  ['holds for a parser that keeps its call', PARSERS.ctl, null],
  ['finds one that takes its only call back in a cut right behind it', givesUp, 'call c1 did not stay as it ran'],
  ['finds one that runs a call under way when the stream is cut off', runsAtCut, 'call c1 (t) ran and is no call'],
])('the check of continuations %s', (_, parser, what) => {
  const scope = { beyondTheRecording: true, byteBudget: 0 };
  const { outcomes } = checkRecording(bytes, { protocol: 'ctl', parser, scope, name: 'x' });
  const verdict = outcomes.find(({ verdict: { property } }) => property === 'continuation')?.verdict;
  if (what === null) expect(verdict?.status).toBe('holds');
  else expect(verdict).toMatchObject({ status: 'violated', first: { what: expect.stringContaining(what) } });
});
