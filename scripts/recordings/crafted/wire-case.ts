/** Crafted streams in the wire formats other than OpenAI chat: the events are written out, as a provider sends them. */
import type { RecordingLimits } from '../../../harness/replay/recording.ts';
import type { StreamEnd } from '../../../harness/stream/event.ts';
import type { WireFormat } from '../../../harness/stream/wire-format.ts';
import { bytesOf, type CraftedCase, expectation, type Outcome } from './case.ts';
import { called } from './native-case.ts';

/** The call of most cases. */
export const C1 = called('c1', 't', '{"k":1}');
/** Its sibling. */
export const C2 = called('c2', 'u', '{"k":2}');

export interface WireCase {
  readonly id: string;
  /** The heading in docs/wire-formats.md that says so. */
  readonly rule: string;
  readonly events: string;
  readonly note?: string;
  readonly limits?: RecordingLimits;
  /** `complete` if absent. */
  readonly end?: StreamEnd;
  /** The call C1 and no error if absent. */
  readonly whole?: Outcome;
  /** As `whole` if absent. */
  readonly object?: Outcome;
  /** Content offset of the error in bytes. */
  readonly offset?: number;
}

export function wireCase(wire: WireFormat, prefix: string, written: WireCase): CraftedCase {
  const { id, rule, note, events, end = 'complete', whole = { calls: [C1] }, object = whole, offset } = written;
  const place = offset === undefined ? null : { offset, line: 1 };
  return {
    id: `${prefix}-${id}`,
    framing: 'native',
    wire,
    rule: `docs/wire-formats.md: ${rule}`,
    ...(note !== undefined && { note }),
    bytes: bytesOf(events),
    expect: [
      expectation('json-whole', end, { ...whole, place }),
      expectation('json-object', end, { ...object, place }),
    ],
  };
}

/** An event whose name is its type. */
export function namedEvent(event: { readonly type: string; readonly [field: string]: unknown }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
