/** The every-prefix check of the harness: S1 to S3 and K in one replay, as the experiments run it. */

import type { OracleCall } from '../../harness/oracles/oracle.ts';
import { ORACLES } from '../../harness/oracles/oracles.ts';
import { DEFAULT_OPTIONS } from '../../harness/parsers/parser.ts';
import { PARSERS, type Protocol } from '../../harness/parsers/protocols.ts';
import { PrefixChecks } from '../../harness/properties/prefix-checks.ts';
import {
  type DecodedStream,
  type Level,
  type ReplayObserver,
  replayContent,
  replayWire,
} from '../../harness/replay/replay.ts';
import { readStream } from '../../harness/stream/reader.ts';
import { StreamReader } from '../../harness/stream/stream-reader.ts';
import type { MessageEvent } from './framings.ts';

const WIRE = 'openai-chat';

/** A stream with what its check needs: the oracle has read it before the clock starts. */
interface CheckedStream {
  readonly protocol: Protocol;
  readonly bytes: Uint8Array;
  readonly calls: readonly OracleCall[];
}

export function checkedStream(protocol: Protocol, bytes: Uint8Array): CheckedStream {
  const { events, end } = readStream(bytes, WIRE);
  const { calls, error } = ORACLES[protocol](events, end, DEFAULT_OPTIONS);
  if (calls.length !== 1 || error !== null) throw new Error(`a ${protocol} stream without its call`);
  return { protocol, bytes, calls };
}

/** Wire bytes one by one: SSE, stream events, parser, and the checks at every prefix. */
export function checkWire({ protocol, bytes, calls }: CheckedStream): number {
  const checks = newChecks(protocol, 'wire', calls);
  replayWire({ bytes, wire: WIRE }, PARSERS[protocol](DEFAULT_OPTIONS), checks.observer);
  return checks.conclude();
}

/** Content bytes one by one: parser and checks. */
export function checkContent(protocol: Protocol, stream: DecodedStream, calls: readonly OracleCall[]): number {
  const checks = newChecks(protocol, 'content', calls);
  replayContent(stream, PARSERS[protocol](DEFAULT_OPTIONS), checks.observer);
  return checks.conclude();
}

interface Checks {
  readonly observer: ReplayObserver;
  /** Verdicts; throws if one is bad. Returns the largest pending. */
  conclude(): number;
}

function newChecks(protocol: Protocol, level: Level, calls: readonly OracleCall[]): Checks {
  const bounded = protocol === 'ctl' || protocol === 'ctl-heredoc';
  const checks = new PrefixChecks(level, calls, bounded ? DEFAULT_OPTIONS.lineLimit : null);
  return {
    observer: checks,
    conclude: () => {
      const bad = checks.verdicts().find((verdict) => verdict.status === 'violated');
      if (bad !== undefined) throw new Error(`${bad.property} is violated`);
      return checks.pending.figures().max;
    },
  };
}

/** What a check without incremental parsers would do at the wire prefix of `size` bytes: read it all again. */
export function freshWireParse({ protocol, bytes }: CheckedStream, size: number): number {
  const parser = PARSERS[protocol](DEFAULT_OPTIONS);
  const reader = new StreamReader(WIRE, (event) => parser.push(event));
  reader.push(bytes, 0, size);
  return parser.calls.length + parser.pending;
}

/** The same at a content prefix; the prefix is one piece. */
export function freshContentParse(protocol: Protocol, event: MessageEvent, size: number): number {
  const parser = PARSERS[protocol](DEFAULT_OPTIONS);
  parser.push(event, 0, size);
  return parser.calls.length + parser.pending;
}
