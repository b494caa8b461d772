/** A frontier as the answers of a parser that is asked by lines: what has changed since the last one. */
import type { CallArguments, Frontier, ToolCall } from '../parsers/parser.ts';
import type { GuardedParser } from './guarded-parser.ts';
import { NO_END } from './reported.ts';

export class FrontierTeller {
  #told: Frontier = { calls: [], pending: -1, error: null, unfinished: null };
  #toldError = false;

  /** The members of an answer; nothing is told that the parser does not report. */
  tell({ calls, pending, error, unfinished, fault, tells }: GuardedParser): object {
    if (fault !== null) return { fault };
    const before = this.#told;
    this.#told = { calls, pending, error, unfinished };
    const tellsError = tells.error && (!this.#toldError || error !== before.error);
    this.#toldError ||= tells.error;
    return {
      ...(calls !== before.calls && newCalls(before.calls, calls)),
      ...(tells.pending && pending !== before.pending && { pending }),
      ...(tellsError && { error }),
      ...(unfinished !== before.unfinished && { unfinished }),
    };
  }
}

function newCalls(before: readonly ToolCall[], calls: readonly ToolCall[]): object {
  let keep = 0;
  while (keep < before.length && calls[keep] === before[keep]) keep++;
  return {
    ...(keep < before.length && { keep }),
    calls: calls
      .slice(keep)
      .map(({ args, end, ...call }) => ({ ...call, ...told(args), ...(end !== NO_END && { end }) })),
  };
}

function told(args: CallArguments): object {
  if (args.form === 'json') return { arguments: args.text };
  const values = args.values.map(({ key, bytes }) => [key, { base64: Buffer.from(bytes).toString('base64') }]);
  return { values };
}
