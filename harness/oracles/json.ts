/**
 * The oracles of the two JSON protocols (spec: streams.md "The two JSON protocols"; where it is silent:
 * docs/decisions/0002). They agree on what a call is and on the first error, and differ in which calls of a message
 * may run.
 */
import { firstNoticed, type NativeCall, type Noticed, nativeCalls, strayDeltas } from './json-native.ts';
import { readTextCalls } from './json-text.ts';
import type { Oracle, OracleReading } from './oracle.ts';
import { type Readable, readable } from './readable.ts';

/** All calls, if the stream is complete and nothing in it is wrong. */
export const readJsonWhole: Oracle = (events, end) => {
  const stream = readable(events, end);
  const { calls, error } = readMessage(stream, () => true);
  return { calls: stream.complete && error === null ? calls : [], error };
};

/** Every good call that was closed before any cut. */
export const readJsonObject: Oracle = (events, end) => readMessage(readable(events, end), (call) => call.closed);

/** The good native calls that `counts` takes; of a stream without a tool delta, the calls in its text. */
function readMessage(stream: Readable, counts: (call: NativeCall) => boolean): OracleReading {
  if (!stream.events.some(({ type }) => type === 'tool-delta' || type === 'refused-delta')) {
    const { calls, error } = readTextCalls(stream);
    return { calls, error: error ?? stream.failure };
  }
  const native = nativeCalls(stream);
  const noticed = [...native.map((call) => call.error), ...strayDeltas(stream)].reduce(firstNoticed, null);
  const calls = native.flatMap((call) => (call.runs !== null && counts(call) ? [call.runs] : []));
  return { calls, error: placeOf(noticed) ?? stream.failure };
}

function placeOf(noticed: Noticed | null): OracleReading['error'] {
  return noticed === null ? null : { kind: noticed.kind, offset: noticed.offset };
}
