/**
 * The sub-grammar that the text dialects share: where does the first of some markers stand?
 *
 * How to use it: one `MarkerScan` for each state of a grammar, made once with the markers that end the state and a
 * `release` that takes every byte that is in no marker (text, a value, a body). `scan` reads until a marker is whole,
 * sets `found` and returns the index behind it; else it returns `to` and `found` is null. Markers may be split anywhere:
 * what can still become one is held back (`held` bytes, the first at content offset `start`), and released as soon as it
 * cannot. `flush` releases what is held at the end of the message. O(1) a byte (Aho and Corasick, CACM 18:6, 1975);
 * nothing but the place in the automaton and the offsets of the held bytes is kept.
 *
 * `text-dialect.ts` builds a parser of such states; most dialects need no more than that.
 */
import { countLineFeeds, indexOfByte } from './bytes.ts';

/** Takes `bytes[from, to)`, whose first byte has the content offset `offset`; contiguous in content. Lent for the call. */
export type Release = (bytes: Uint8Array, from: number, to: number, offset: number) => void;

const BYTES = 256;

export class MarkerScan<Name extends string> {
  /** The marker that the last `scan` stopped behind, or null. */
  found: Name | null = null;
  readonly #names: readonly Name[];
  readonly #release: Release;
  readonly #automaton: Automaton;
  #state = 0;
  /** Content offsets of the bytes held, or of the marker found. */
  #offsets: number[] = [];

  /** @throws RangeError if a marker is empty or part of another: then it is not clear which comes first. */
  constructor(markers: Readonly<Record<Name, string>>, release: Release) {
    this.#names = Object.keys(markers) as Name[];
    this.#automaton = automatonOf(this.#names.map((name) => markers[name]));
    this.#release = release;
  }

  /** Bytes held back because they may still become a marker. */
  get held(): number {
    return this.#automaton.depth[this.#state]!;
  }

  /** LF bytes among those held. */
  get heldLineFeeds(): number {
    const { markers, markerOf } = this.#automaton;
    return countLineFeeds(markers[markerOf[this.#state]!]!, 0, this.held);
  }

  /** Content offset of the first byte of the marker that was found, or of the first byte held. */
  get start(): number {
    return this.#offsets[0] ?? 0;
  }

  /** Bytes of the marker that was found; 0 if none was. */
  get length(): number {
    return this.found === null ? 0 : this.#offsets.length;
  }

  scan(bytes: Uint8Array, from: number, to: number, offset: number): number {
    const { next, depth, ends, first } = this.#automaton;
    const heldState = this.#state;
    let state = heldState;
    let i = from;
    this.found = null;
    while (i < to) {
      if (state === 0 && first !== -1) {
        i = indexOfByte(bytes, first, i, to);
        if (i === -1) {
          i = to;
          break;
        }
      }
      state = next[state * BYTES + bytes[i++]!]!;
      const end = ends[state]!;
      if (end === -1) continue;
      this.found = this.#names[end]!;
      break;
    }
    this.#state = this.found === null ? state : 0;
    if (heldState === 0 && state === 0) this.#release(bytes, from, i, offset);
    else this.#settle({ heldState, keep: depth[state]! }, bytes.subarray(from, i), offset);
    return i;
  }

  /** What is held is no marker. */
  flush(): void {
    const state = this.#state;
    this.#state = 0;
    this.#settle({ heldState: state, keep: 0 }, EMPTY, 0);
  }

  /** Releases all but the last `keep` bytes of what was held followed by `piece`. */
  #settle({ heldState, keep }: { heldState: number; keep: number }, piece: Uint8Array, offset: number): void {
    const { depth, markerOf, markers } = this.#automaton;
    const held = depth[heldState]!;
    const drop = held + piece.length - keep;
    const ofHeld = Math.min(held, drop);
    const heldBytes = markers[markerOf[heldState]!]!;
    const offsets = this.#offsets;
    const kept = offsets.slice(ofHeld, held);
    for (let i = drop - ofHeld; i < piece.length; i++) kept.push(offset + i);
    this.#offsets = kept;
    for (let i = 0; i < ofHeld; i++) this.#release(heldBytes, i, i + 1, offsets[i]!);
    if (drop > ofHeld) this.#release(piece, 0, drop - ofHeld, offset);
  }
}

const EMPTY = new Uint8Array(0);

/** A grammar's markers are few and fixed, and its parsers many: a check makes one for every way to split a stream. */
const AUTOMATA = new Map<string, Automaton>();

function automatonOf(markers: readonly string[]): Automaton {
  const key = JSON.stringify(markers);
  const known = AUTOMATA.get(key);
  if (known !== undefined) return known;
  const made = new Automaton(markers.map((marker) => Buffer.from(marker)));
  AUTOMATA.set(key, made);
  return made;
}

/** States are numbered from 0, where nothing has matched. Not changed once it is made. */
class Automaton {
  /** State × byte → state. */
  readonly next: Int16Array;
  /** Bytes that have matched in a state. */
  readonly depth: number[] = [0];
  /** Place of the marker that is whole in a state, or -1. */
  readonly ends: number[] = [-1];
  /** Place of a marker that begins with what has matched in a state. */
  readonly markerOf: number[] = [0];
  /** The byte that all markers begin with, or -1. */
  readonly first: number;

  readonly markers: readonly Buffer[];

  constructor(markers: readonly Buffer[]) {
    for (const [i, marker] of markers.entries()) {
      const other = markers.findIndex((text, j) => i !== j && text.includes(marker));
      if (marker.length === 0 || other !== -1) throw new RangeError(`marker ${marker} is empty or part of another`);
    }
    this.markers = markers;
    const children = this.#trie(markers);
    this.next = new Int16Array(children.length * BYTES);
    const failure = children.map(() => 0);
    const queue = [0];
    for (let state = queue.shift(); state !== undefined; state = queue.shift()) {
      const behind = failure[state]!;
      for (let byte = 0; byte < BYTES; byte++) {
        const fallback = state === 0 ? 0 : this.next[behind * BYTES + byte]!;
        const child = children[state]!.get(byte);
        this.next[state * BYTES + byte] = child ?? fallback;
        if (child === undefined) continue;
        failure[child] = fallback;
        queue.push(child);
      }
    }
    const firsts = new Set(markers.map((marker) => marker[0]!));
    this.first = firsts.size === 1 ? markers[0]![0]! : -1;
  }

  #trie(markers: readonly Uint8Array[]): readonly Map<number, number>[] {
    const children: Map<number, number>[] = [new Map()];
    for (const [place, marker] of markers.entries()) {
      let state = 0;
      for (const [at, byte] of marker.entries()) {
        const known = children[state]!.get(byte);
        const child = known ?? children.push(new Map()) - 1;
        if (known === undefined) {
          children[state]!.set(byte, child);
          this.depth.push(at + 1);
          this.ends.push(-1);
          this.markerOf.push(place);
        }
        state = child;
      }
      this.ends[state] = place;
    }
    return children;
  }
}
