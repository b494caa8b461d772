/**
 * One answer run by the rules of a protocol in virtual time: no clock, only the times at which its events arrive and how
 * long its tools take (runtime.md "Irrevocable": calls run one at a time, in order of confirmation; while one runs, nothing
 * is read, the server goes on, and bytes wait in the socket, which is taken to hold them all).
 */
import type { ToolCall, ToolCallParser } from '../harness/parsers/parser.ts';
import type { Arrival } from '../harness/replay/times.ts';
import type { StreamEnd, StreamEvent } from '../harness/stream/event.ts';

export interface TimedStream {
  readonly events: readonly StreamEvent[];
  readonly end: StreamEnd;
  /** In order; the last one has all bytes. */
  readonly arrivals: readonly Arrival[];
}

export interface VirtualCall {
  readonly call: ToolCall;
  /** ms since the request. */
  readonly startedAt: number;
  readonly endedAt: number;
}

export interface VirtualRun {
  readonly calls: readonly VirtualCall[];
  /** When the last byte of the answer arrives. */
  readonly generatedAt: number;
  /** When the answer has been read and the last call has its result. */
  readonly doneAt: number;
}

/** @param toolTime how long a call takes, in ms. */
export function runVirtually(
  { events, end, arrivals }: TimedStream,
  parser: ToolCallParser,
  toolTime: (call: ToolCall) => number,
): VirtualRun {
  const calls: VirtualCall[] = [];
  const generatedAt = arrivals.at(-1)?.ms ?? 0;
  let now = 0;
  const runNew = (): void => {
    for (const call of parser.calls.slice(calls.length)) {
      const startedAt = now;
      now += toolTime(call);
      calls.push({ call, startedAt, endedAt: now });
    }
  };
  let next = 0;
  for (const event of events) {
    while (next < arrivals.length - 1 && arrivals[next]!.bytes <= event.at) next++;
    now = Math.max(now, arrivals[next]?.ms ?? 0);
    parser.push(event);
    runNew();
  }
  now = Math.max(now, generatedAt);
  parser.end(end);
  runNew();
  return { calls, generatedAt, doneAt: now };
}
