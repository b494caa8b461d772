/** Crafted streams of the text protocols: one text delta, and an end. */
import type { ExpectedCall, Framing, RecordingLimits } from '../../../harness/replay/recording.ts';
import {
  bytesOf,
  type CraftedCase,
  delta,
  ending,
  forReaders,
  markedPlace,
  type Outcome,
  type Place,
  unmarked,
} from './case.ts';

export interface TextCase extends Outcome {
  readonly id: string;
  readonly rule: string;
  /** The text of the message, with `␊`, `␍` and `▸`. */
  readonly text: string;
  readonly note?: string;
  /** Where `▸` cannot say it: inside a character. */
  readonly place?: Place;
  readonly limits?: RecordingLimits;
  /** The text comes in deltas of so many UTF-16 units, not in one. */
  readonly deltas?: number;
  /** The transport ends after the text; else finish reason `stop` and `[DONE]` follow. */
  readonly cut?: boolean;
}

/** A stream that ends in two ways, and what it makes then. */
export interface TwoEnds {
  readonly id: string;
  readonly rule: string;
  readonly text: string;
  readonly complete: Outcome;
  readonly cut: Outcome;
}

export function call(id: string, name: string, args: Readonly<Record<string, string>> = {}): ExpectedCall {
  return { id, name, args };
}

export function textCase(framing: Framing, written: TextCase): CraftedCase {
  const { id, rule, note, calls, error, limits, cut = false } = written;
  const end = cut ? 'cut' : 'complete';
  return {
    id,
    framing,
    rule,
    ...(note !== undefined && { note }),
    ...(limits !== undefined && { limits }),
    bytes: bytesOf(deltasOf(written) + ending(cut ? 'nothing' : 'stop')),
    expect: forReaders(framing, end, {
      ...(calls !== undefined && { calls }),
      ...(error !== undefined && { error, place: written.place ?? markedPlace(written.text) }),
    }),
  };
}

function deltasOf({ text, deltas = Number.POSITIVE_INFINITY }: TextCase): string {
  const content = unmarked(text);
  const events = [delta({ content: content.slice(0, deltas) })];
  for (let at = deltas; at < content.length; at += deltas)
    events.push(delta({ content: content.slice(at, at + deltas) }));
  return events.join('');
}

/** `<id>` with a complete end, and `<id>-cut` with none. */
export function twoEnds(framing: Framing, written: TwoEnds): readonly CraftedCase[] {
  const { id, rule, text } = written;
  return [
    textCase(framing, { id, rule, text, ...written.complete }),
    textCase(framing, { id: `${id}-cut`, rule, text, cut: true, ...written.cut }),
  ];
}
