/** One wire format: turns the events of an SSE stream into stream events. */
import type { EventOutlet } from './event-outlet.ts';
import type { StreamNotes } from './notes.ts';

export interface WireReader {
  /**
   * One SSE event; not called any more once the outlet is closed.
   * @param payload the data lines, joined with LF
   * @param name value of the `event` field, or ''
   * @param at wire offset of the byte that completed it
   */
  event(payload: string, name: string, at: number): void;
  /** The transport has closed after `at` bytes: settles what was held back. Called once, and not on a closed outlet. */
  end(at: number): void;
  readonly notes: Omit<StreamNotes, 'unreadBytes'>;
}

export type WireReaderFactory = (outlet: EventOutlet) => WireReader;
