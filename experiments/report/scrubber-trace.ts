/**
 * What each content byte is at each position of a stream, taken from the frontier of a parser at every prefix.
 *
 * The frontier counts pending bytes; which ones they are follows from two facts. A text protocol confirms in the order of
 * the stream, so the newest bytes are pending. A JSON protocol releases the bytes of a native call when it runs. That
 * both counts agree is checked at every step.
 */
import type { Frontier, ToolCall, UnfinishedCall } from '../../harness/parsers/parser.ts';
import type { ReplayObserver, ReplayStep } from '../../harness/replay/replay.ts';
import type { StreamEvent } from '../../harness/stream/event.ts';
import { BYTE_STATES, type ByteState, type Place, type Ramp, type Segment } from './scrubber-types.ts';

/** Owner of the bytes of text; those of a native call are owned by its ordinal. */
const NOBODY = -1;

/** (position, state index), flat; the first pair is the arrival. */
type History = number[];

export class ByteTrace implements ReplayObserver {
  /** Position at which the contract error was raised, or null. */
  errorFrom: number | null = null;

  readonly #owners: Int32Array;
  /** The calls are native ones, not written in text. */
  readonly #isNative: boolean;
  readonly #histories: History[] = [];
  #waiting: number[] = [];
  #position = 0;
  #ran = 0;
  /** Offset of the first byte of the call under way in text, or null. */
  #frameFrom: number | null = null;
  readonly #pending: number[] = [];
  readonly #places: Place[] = [];
  readonly #placeAt: number[] = [];
  readonly #arrivedAt: number[] = [];

  constructor(events: readonly StreamEvent[], readsToolDeltas: boolean) {
    this.#owners = ownersOf(events);
    this.#isNative = readsToolDeltas && events.some((event) => event.type === 'tool-delta');
    this.#note({ calls: [], pending: 0, error: null, unfinished: null });
  }

  step({ frontier, prefix, ended }: ReplayStep): void {
    this.#position = ended ? this.#owners.length + 1 : prefix;
    for (let i = this.#histories.length; i < prefix; i++) {
      this.#histories.push([]);
      this.#waiting.push(i);
      this.#set(i, 'pending');
    }
    for (const call of frontier.calls.slice(this.#ran)) this.#run(call);
    this.#ran = frontier.calls.length;
    this.#frameFrom = frontier.unfinished === null ? null : (this.#frameFrom ?? prefix - frontier.pending);
    const settled = this.#waiting.length - frontier.pending;
    if (settled < 0)
      throw new Error(`${frontier.pending} bytes pending at position ${this.#position}, not so many left`);
    for (const i of this.#waiting.splice(0, settled)) this.#set(i, this.#settledState(i, frontier));
    this.#note(frontier);
  }

  /** Neighbours that have always been in one state once both had come are one segment. */
  segments(): Segment[] {
    const segments: Segment[] = [];
    let first: History | null = null;
    for (const [i, history] of this.#histories.entries()) {
      const unchanged = first !== null && (first[2] ?? Number.POSITIVE_INFINITY) > i;
      if (first !== null && unchanged && future(first, i + 1) === future(history, i + 1)) continue;
      first = history;
      segments.push([i, ...history.slice(1)]);
    }
    return segments;
  }

  pending(): Ramp[] {
    return ramps(this.#pending);
  }

  underWay(): { runs: [from: number, place: number, arrived: number, slope: number][]; places: Place[] } {
    const runs = ramps(this.#arrivedAt, this.#placeAt).map(
      ([from, arrived, slope]): [number, number, number, number] => [from, this.#placeAt[from]!, arrived, slope],
    );
    return { runs, places: this.#places };
  }

  #run(call: ToolCall): void {
    if (this.#isNative) {
      const isOwn = (i: number): boolean => this.#owners[i] === call.ordinal;
      for (const i of this.#waiting.filter(isOwn)) this.#set(i, 'executable');
      this.#waiting = this.#waiting.filter((i) => !isOwn(i));
      return;
    }
    for (let i = this.#frameFrom ?? this.#histories.length; i < this.#histories.length; i++) this.#set(i, 'executable');
    this.#waiting = this.#waiting.filter((i) => i < (this.#frameFrom ?? 0));
  }

  /** What a byte becomes that is no longer pending, and that no call ran with. */
  #settledState(i: number, { error, unfinished }: Frontier): ByteState {
    if (this.#isNative) return this.#owners[i] === NOBODY ? 'text' : 'discarded';
    if (error !== null) return 'discarded';
    return unfinished === null ? 'text' : 'confirmed';
  }

  #set(i: number, state: ByteState): void {
    const history = this.#histories[i]!;
    const index = BYTE_STATES.indexOf(state);
    // Of several steps about one position the last one counts.
    if (history.at(-2) === this.#position) history.splice(-2);
    if (history.at(-1) !== index) history.push(this.#position, index);
  }

  #note({ pending, error, unfinished }: Frontier): void {
    const at = this.#position;
    if (error !== null) this.errorFrom ??= at;
    this.#pending[at] = pending;
    this.#placeAt[at] = unfinished === null ? NOBODY : this.#placeOf(unfinished);
    this.#arrivedAt[at] = unfinished?.arrived ?? 0;
  }

  #placeOf({ id, name, key, declared, arrived }: UnfinishedCall): number {
    const last = this.#places.at(-1);
    const counts = arrived !== undefined;
    const isLast = last?.id === id && last?.name === name && last?.key === key && last?.declared === declared;
    if (last === undefined || !isLast || last.counts !== counts) {
      const argument = { ...(key === undefined ? {} : { key }), ...(declared === undefined ? {} : { declared }) };
      const call = { ...(id === undefined ? {} : { id }), ...(name === undefined ? {} : { name }) };
      this.#places.push({ ...call, ...argument, counts });
    }
    return this.#places.length - 1;
  }
}

function ownersOf(events: readonly StreamEvent[]): Int32Array {
  return Int32Array.from(
    events.flatMap((event) => {
      if (event.type === 'text') return new Array<number>(event.bytes.length).fill(NOBODY);
      return event.type === 'tool-delta' ? new Array<number>(event.bytes.length).fill(event.call) : [];
    }),
  );
}

/** The state at `position` and the changes after it, in a form to compare. */
function future(history: History, position: number): string {
  let at = 0;
  while (at + 2 < history.length && history[at + 2]! <= position) at += 2;
  return history.slice(at + 1).join();
}

/** Runs of values that stay, or grow by one a position, within one group. */
function ramps(values: readonly number[], groups: readonly number[] = []): Ramp[] {
  const found: [from: number, value: number, slope: number][] = [];
  for (const [at, value] of values.entries()) {
    const last = found.at(-1);
    if (last !== undefined && groups[at] === groups[at - 1]) {
      const [from, base] = last;
      if (from === at - 1 && value === base + 1) last[2] = 1;
      if (value === base + last[2] * (at - from)) continue;
    }
    found.push([at, value, 0]);
  }
  return found;
}
