/**
 * What a `ctl` message means when its declared lengths are not believed (properties.md "Experiment D").
 *
 * A *reading* ends each length-prefixed body at a line start where a valid `arg` header or `end` follows, closes every
 * call, and leaves nothing but blanks outside frames after the first call. The shortest reading says what was meant.
 * Only the grammar and these rules decide: no number in the message is looked at.
 *
 * All positions are indices into the message, which holds one character a byte.
 */
import { skipBlanks } from '../harness/oracles/readable.ts';
import { type ArgumentLine, type CallHeader, type FrameLine, Frames, type InsideLine } from './d-frame-lines.ts';

export interface MeantArgument {
  readonly key: string;
  readonly declared: number;
  /** Where the body begins, and where it is meant to end; `null` where the readings do not say. */
  readonly from: number;
  readonly to: number | null;
  readonly status: 'decided' | 'ambiguous' | 'unrecoverable';
  /** The end in the shortest reading, also where another reading says otherwise; `null` if there is no reading. */
  readonly shortestTo: number | null;
  /** The end by the naive rule: before the first line that could continue the frame; `null` if none comes. */
  readonly naiveTo: number | null;
}

export interface MeantFrame {
  /** Where its header begins. */
  readonly start: number;
  readonly id: string;
  readonly name: string;
  /** Every argument in its order: the length-prefixed ones, and the values of the others as they stand. */
  readonly args: readonly (MeantArgument | StatedArgument)[];
}

/** An inline or heredoc value: it says itself where it ends. */
export interface StatedArgument {
  readonly key: string;
  readonly status: 'stated';
  readonly from: number;
  readonly to: number;
}

export interface MeantMessage {
  /** `false`: no reading; the calls are then those of the naive walk, and every length-prefixed argument is unrecoverable. */
  readonly isReadable: boolean;
  readonly calls: readonly MeantFrame[];
}

/** @param message One character a byte, from where text may hold calls; `lineLimit` in bytes, as the parser's. */
export function readMeant(message: string, lineLimit: number): MeantMessage {
  const frames = new Frames(message, lineLimit);
  const first = frames.firstCall();
  if (first === null) return { isReadable: !frames.hasHeader, calls: [] };
  const readings = new Readings(frames);
  const shortest = readings.shortest(first);
  if (shortest === null) return { isReadable: false, calls: naiveWalk(frames, first) };
  const doubtful = readings.doubtful(first, shortest);
  return { isReadable: true, calls: callsOf(frames, shortest, doubtful) };
}

/** The lines that give the message its structure, in order: calls, arguments, ends. */
type Reading = readonly FrameLine[];

/** Steps of the search, and arguments of one call, beyond which a message counts as one whose readings cannot be told. */
const MOST_STEPS = 3_000_000;
const MOST_ARGUMENTS = 500;

/** At a line inside a call, with the keys that the call has already: those that no later line repeats do not matter. */
interface State {
  readonly line: InsideLine;
  readonly used: ReadonlySet<string>;
}

class TooManyReadings extends Error {}

class Readings {
  readonly #frames: Frames;
  /** By state: the first line after it in the shortest completion; `null` if there is no completion. */
  readonly #next = new Map<string, InsideLine | null>();
  /** By `end` line: can the rest of the message be read? Known from the last line backwards. */
  readonly #closes = new Map<InsideLine, boolean>();
  #steps = 0;

  constructor(frames: Frames) {
    this.#frames = frames;
  }

  /** Each body as short as it can be, the first one first; `null` if there is none, or if too many would have to be tried. */
  shortest(call: CallHeader): Reading | null {
    try {
      for (const end of this.#frames.ends.toReversed()) this.#closes.set(end, this.#isReadableAfter(end));
      const reading: FrameLine[] = [];
      for (let header: CallHeader | null = call; header !== null; header = this.#callAfter(reading.at(-1)!)) {
        if (!this.#follow(header, reading)) return null;
      }
      return reading;
    } catch (error) {
      if (error instanceof TooManyReadings) return null;
      throw error;
    }
  }

  /**
   * Arguments of the shortest reading that another reading ends at a line that the shortest one knows nothing of: it
   * does not merely merge whole arguments or calls. All of them, if too many readings would have to be tried.
   */
  doubtful(call: CallHeader, shortest: Reading): ReadonlySet<FrameLine> {
    const structure = new Set(shortest);
    const doubtful = new Set<FrameLine>();
    const seen = new Set<string>();
    const waiting = this.#firstStates(call);
    try {
      for (let state = waiting.pop(); state !== undefined; state = waiting.pop()) {
        if (seen.has(this.#name(state))) continue;
        seen.add(this.#name(state));
        if (state.line.type === 'end') waiting.push(...this.#firstStates(this.#callAfter(state.line)));
        const used = usedAfter(state);
        for (const next of this.#successors(state)) {
          if (!this.#completes(used, next)) continue;
          // Only after a counted value the next line is not given.
          if (structure.has(state.line) && !structure.has(next)) doubtful.add(state.line);
          waiting.push({ line: next, used });
        }
      }
    } catch (error) {
      if (error instanceof TooManyReadings) return structure;
      throw error;
    }
    return doubtful;
  }

  /** Adds the lines of one call, by its shortest completion; `false` if it has none. */
  #follow(call: CallHeader, reading: FrameLine[]): boolean {
    reading.push(call);
    let state = this.#firstStates(call)[0];
    while (state !== undefined) {
      reading.push(state.line);
      if (state.line.type === 'end') return this.#closes.get(state.line) ?? false;
      const next = this.#shortestNext(state);
      if (next === null) return false;
      state = { line: next, used: usedAfter(state) };
    }
    return false;
  }

  /** The state at the first line of a call: none if that line is no line of a frame, or there is no call. */
  #firstStates(call: CallHeader | null): State[] {
    const line = call === null ? undefined : this.#frames.insideAt(call.next);
    return line === undefined ? [] : [{ line, used: new Set() }];
  }

  #shortestNext(state: State): InsideLine | null {
    const name = this.#name(state);
    const known = this.#next.get(name);
    if (known !== undefined) return known;
    let found: InsideLine | null = null;
    const used = usedAfter(state);
    for (const next of this.#successors(state)) {
      if (!this.#completes(used, next)) continue;
      found = next;
      break;
    }
    this.#next.set(name, found);
    return found;
  }

  /** Lines that may come next after the argument at a state, nearest first. */
  *#successors({ line, used }: State): Generator<InsideLine> {
    if (line.type !== 'arg' || used.has(line.key)) return;
    if (line.form !== 'length') {
      const next = line.valueEnd === null ? undefined : this.#frames.insideAt(line.valueEnd);
      if (next !== undefined) yield next;
      return;
    }
    yield* this.#frames.insideFrom(line.next);
  }

  /** With the keys that the call has before `next`. A step costs what it takes to look at them. */
  #completes(used: ReadonlySet<string>, next: InsideLine): boolean {
    this.#steps += next.type === 'end' || used.has(next.key) ? 1 : used.size;
    if (this.#steps > MOST_STEPS || used.size > MOST_ARGUMENTS) throw new TooManyReadings();
    if (next.type === 'end') return this.#closes.get(next) ?? false;
    return !used.has(next.key) && this.#shortestNext({ line: next, used }) !== null;
  }

  /** Nothing but blanks follows, or blanks and a call that can be read in its turn. */
  #isReadableAfter(end: InsideLine): boolean {
    if (skipBlanks(this.#frames.message, end.next) === this.#frames.message.length) return true;
    const [state] = this.#firstStates(this.#callAfter(end));
    if (state === undefined) return false;
    return state.line.type === 'end' ? (this.#closes.get(state.line) ?? false) : this.#shortestNext(state) !== null;
  }

  /** The call header that follows an `end` after blanks alone. */
  #callAfter(end: FrameLine): CallHeader | null {
    return this.#frames.callAt(skipBlanks(this.#frames.message, end.next));
  }

  #name({ line, used }: State): string {
    const relevant = [...used].filter((key) => this.#frames.isRepeatedAfter(key, line.start)).sort();
    return `${line.start} ${relevant.join(' ')}`;
  }
}

function usedAfter({ line, used }: State): ReadonlySet<string> {
  return line.type === 'arg' ? new Set([...used, line.key]) : used;
}

function callsOf(frames: Frames, reading: Reading, doubtful: ReadonlySet<FrameLine>): MeantFrame[] {
  const calls: { start: number; id: string; name: string; args: (MeantArgument | StatedArgument)[] }[] = [];
  for (const [i, line] of reading.entries()) {
    if (line.type === 'call') calls.push({ start: line.start, id: line.id, name: line.name, args: [] });
    if (line.type !== 'arg') continue;
    const following = reading[i + 1]!;
    calls.at(-1)!.args.push(argumentOf(frames, line, { following, isDoubtful: doubtful.has(line) }));
  }
  return calls;
}

function argumentOf(
  frames: Frames,
  line: ArgumentLine,
  { following, isDoubtful }: { following: FrameLine | null; isDoubtful: boolean },
): MeantArgument | StatedArgument {
  if (line.form !== 'length')
    return { key: line.key, status: 'stated', from: line.valueFrom, to: line.valueTo ?? line.valueFrom };
  const naive = frames.insideFrom(line.next).next().value;
  const shortestTo = following === null ? null : bodyEnd(line.next, following);
  return {
    key: line.key,
    declared: line.declared,
    from: line.next,
    to: isDoubtful ? null : shortestTo,
    status: following === null ? 'unrecoverable' : isDoubtful ? 'ambiguous' : 'decided',
    shortestTo,
    naiveTo: naive === undefined ? null : bodyEnd(line.next, naive),
  };
}

/** The LF before the line that follows is the separator; directly after the header there is neither body nor separator. */
function bodyEnd(from: number, following: FrameLine): number {
  return Math.max(from, following.start - 1);
}

/** The frames as they are found when each body ends before the first line that could continue its frame. */
function naiveWalk(frames: Frames, first: CallHeader): MeantFrame[] {
  const calls: MeantFrame[] = [];
  for (let call: CallHeader | null = first; call !== null; ) {
    const args: (MeantArgument | StatedArgument)[] = [];
    let line = frames.insideAt(call.next);
    let last: FrameLine = call;
    while (line?.type === 'arg') {
      last = line;
      args.push(argumentOf(frames, line, { following: null, isDoubtful: false }));
      const { value }: { value: FrameLine | undefined } = frames.insideFrom(line.next).next();
      line = line.form === 'length' ? value : line.valueEnd === null ? undefined : frames.insideAt(line.valueEnd);
    }
    calls.push({ start: call.start, id: call.id, name: call.name, args });
    call = frames.nextCall((line ?? last).next);
  }
  return calls;
}
