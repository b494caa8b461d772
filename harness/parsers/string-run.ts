/** The short path of the two JSON protocols through the inside of a string. */
import type { StreamEvent, ToolDeltaEvent } from '../stream/event.ts';
import { Runway } from '../wire/runway.ts';

/** What may mean something inside a string: its end, and an escape. */
const BACKSLASH = 0x5c;
export const STRING_STOPS = { stop: 0x22, otherStop: BACKSLASH };

/**
 * The short path of the delta taken last: its call is open, its id and name are known, and inside of a string its bytes
 * mean nothing to the grammar.
 */
export class StringRun {
  delta: ToolDeltaEvent | null = null;
  readonly runway = new Runway();

  /** Takes what it can of `[from, to)` of the event; returns where it stopped. */
  take(event: StreamEvent, from: number, to: number): number {
    const { runway, delta } = this;
    if (event !== delta || runway.at === runway.end) return from;
    if (to - from === 1) {
      const byte = delta.bytes[from]!;
      if (!runway.escaped && !runway.isStop(byte)) {
        runway.put(byte);
        return to;
      }
      return runway.putEscape(byte, BACKSLASH) ? to : from;
    }
    return runway.escaped ? from : runway.take(delta.bytes, from, to);
  }
}
