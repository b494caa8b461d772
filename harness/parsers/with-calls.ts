/** A parser that another one is made of: the same but for its calls. */
import type { StreamEnd } from '../stream/event.ts';
import type { ToolCall, ToolCallParser } from './parser.ts';

/** @param end in place of the parser's own */
export function withCalls(
  parser: ToolCallParser,
  calls: () => readonly ToolCall[],
  end = (how: StreamEnd): void => parser.end(how),
): ToolCallParser {
  return {
    push: (event, from, to) => parser.push(event, from, to),
    end,
    get calls() {
      return calls();
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
}
