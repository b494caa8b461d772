/**
 * How crafted streams are written down. `␊` stands for LF and `␍` for CR, as in the worked cases of ctl.md, and `▸`
 * stands before the byte at which the contract error lies: nobody has to count bytes.
 */

import type { ContractErrorKind } from '../../../harness/parsers/contract-error.ts';
import type { Protocol } from '../../../harness/parsers/protocols.ts';
import { chunkEvent, DONE_EVENT } from '../../../harness/replay/envelope.ts';
import type { Expectation, ExpectedCall, Framing, RecordingLimits } from '../../../harness/replay/recording.ts';
import { READERS } from '../../../harness/replay/recording.ts';
import type { StreamEnd } from '../../../harness/stream/event.ts';
import type { WireFormat } from '../../../harness/stream/wire-format.ts';

export interface CraftedCase {
  /** The `task` of its recording, unique in the suite together with the framing. */
  readonly id: string;
  readonly framing: Framing;
  /** OpenAI chat if absent. */
  readonly wire?: WireFormat;
  /** Where the rule stands: `ctl.md: worked cases`. */
  readonly rule: string;
  readonly note?: string;
  readonly limits?: RecordingLimits;
  readonly bytes: Uint8Array;
  readonly expect: readonly Expectation[];
}

/** What one protocol makes of a stream; the place of an error is the `▸` of the content. */
export interface Outcome {
  readonly calls?: readonly ExpectedCall[];
  readonly error?: ContractErrorKind;
}

export interface Place {
  /** Content offset in bytes. */
  readonly offset: number;
  readonly line: number;
}

/** How a stream comes to its end: `[DONE]` after a finish reason, a finish reason alone, or nothing at all. */
export type Ending = 'stop' | 'tool_calls' | 'nothing' | { readonly finish: string; readonly done?: boolean };

export const HEAD = { id: 'x', model: 'm' };
export const MARK = '▸';

export function text(written: string): string {
  return written.replaceAll('␊', '\n').replaceAll('␍', '\r');
}

export function unmarked(written: string): string {
  return text(written).replaceAll(MARK, '');
}

/** One event of choice 0 with this `delta`. */
export function delta(value: object, finish: string | null = null): string {
  return chunkEvent(HEAD, value, finish);
}

/** Events that end a stream. */
export function ending(how: Ending): string {
  if (how === 'nothing') return '';
  const { finish, done = true } = typeof how === 'string' ? { finish: how } : how;
  return `${delta({}, finish)}${done ? DONE_EVENT : ''}`;
}

export function bytesOf(events: string): Uint8Array {
  return new TextEncoder().encode(events);
}

/** Where `▸` stands in `written`; null without one. */
export function markedPlace(written: string): Place | null {
  const at = text(written).indexOf(MARK);
  if (at === -1) return null;
  const before = text(written).slice(0, at);
  return { offset: Buffer.byteLength(before), line: before.split('\n').length };
}

export function expectation(
  protocol: Protocol,
  end: StreamEnd,
  outcome: Outcome & { readonly place?: Place | null },
): Expectation {
  const { calls = [], error, place } = outcome;
  return { protocol, end, calls, error: error === undefined ? null : { kind: error, ...place } };
}

/** The same outcome for every protocol that reads the framing. */
export function forReaders(
  framing: Framing,
  end: StreamEnd,
  outcome: Outcome & { readonly place?: Place | null },
): readonly Expectation[] {
  return READERS[framing].map((protocol) => expectation(protocol, end, outcome));
}
