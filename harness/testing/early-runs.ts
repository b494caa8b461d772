/**
 * Where `json-object` may differ from the oracle of the whole stream, by its own rule (streams.md "it is not sound"): what
 * was taken as closed got more, or text that ran was no message of calls. On such streams it must do exactly what the rule
 * says of every prefix; on all others it must agree with the whole.
 */
import type { Oracle, OracleCall, OracleReading } from '../oracles/oracle.ts';
import type { ParserOptions } from '../parsers/parser.ts';
import type { DecodedStream } from '../replay/replay.ts';
import { contentLength, type StreamEvent } from '../stream/event.ts';

/** A call that was taken as closed gets another byte, or a refused delta. */
export function comesBackToAClosedCall({ events }: DecodedStream): boolean {
  const opened = new Set<number>();
  const closed = new Set<number>();
  for (const event of events) {
    if (event.type === 'tool-delta' || event.type === 'refused-delta') {
      const call = event.call ?? -1;
      if (closed.has(call)) return true;
      if (event.type === 'refused-delta' || opened.has(call)) continue;
      for (const before of opened) closed.add(before);
      opened.add(call);
    } else if (event.type === 'finish') {
      for (const before of opened) closed.add(before);
    }
  }
  return false;
}

/** A tool delta comes after text. */
export function callsAfterText({ events }: DecodedStream): boolean {
  const first = events.findIndex(({ type }) => type === 'tool-delta' || type === 'refused-delta');
  return first > 0 && events.slice(0, first).some(({ type }) => type === 'text');
}

/** What a reader has done that does at every prefix, irrevocably, what the oracle says of that prefix. */
export function readEveryPrefix(oracle: Oracle, stream: DecodedStream, options: ParserOptions): OracleReading {
  const ran = new Map<string, OracleCall>();
  let error: OracleReading['error'] = null;
  const take = (reading: OracleReading, events: readonly StreamEvent[]): void => {
    const source = events.some(({ type }) => type === 'tool-delta' || type === 'refused-delta') ? 'native' : 'text';
    for (const call of reading.calls) {
      const key = `${source} ${call.ordinal}`;
      if (!ran.has(key)) ran.set(key, call);
    }
    error ??= reading.error;
  };
  for (const prefix of prefixes(stream.events)) take(oracle(prefix, 'cut', options), prefix);
  take(oracle(stream.events, stream.end, options), stream.events);
  return { calls: [...ran.values()].sort((a, b) => a.ordinal - b.ordinal), error };
}

/** Every prefix that ends behind a content byte, or behind what an event says besides its bytes. */
function* prefixes(events: readonly StreamEvent[]): Generator<StreamEvent[]> {
  for (const [place, event] of events.entries()) {
    const before = events.slice(0, place);
    if (event.type === 'text' || event.type === 'tool-delta') {
      for (let size = 0; size < contentLength(event); size++)
        yield [...before, { ...event, bytes: event.bytes.subarray(0, size) }];
    }
    yield [...before, event];
  }
}
