/**
 * How a parser in another process is judged by checks that are synchronous, and stay as they are: a check is run with
 * parsers that answer from a transcript; what the transcript does not know yet is noted, asked in one go, and the check is
 * run again. Checks are deterministic, so a few runs know everything.
 *
 * The transcript is a tree: a node is what a parser has been fed so far. Walks over all prefixes are one long branch, and
 * the many ways in which a check feeds the same events share theirs.
 */
import type { ContractError } from '../parsers/contract-error.ts';
import type { Frontier, ToolCall, ToolCallParser, UnfinishedCall } from '../parsers/parser.ts';
import { contentLength, type StreamEnd, type StreamEvent } from '../stream/event.ts';
import type { Granularity } from './judged-parser.ts';
import { endMessage, eventMessage } from './messages.ts';
import { pieceOf, wholeCharacters } from './pieces.ts';

export const EMPTY_FRONTIER: Frontier = { calls: [], pending: 0, error: null, unfinished: null };

export class TranscriptNode {
  readonly parent: TranscriptNode | null;
  /** The line that led here; empty at the root, which is the start of a stream. */
  readonly message: string;
  /** Content bytes fed up to here. */
  readonly delivered: number;
  /** Null: not asked yet. */
  frontier: Frontier | null = null;
  wanted = false;
  covered = false;
  #only: TranscriptNode | null = null;
  #others: Map<string, TranscriptNode> | null = null;

  constructor(parent: TranscriptNode | null, message: string, delivered: number) {
    this.parent = parent;
    this.message = message;
    this.delivered = delivered;
  }

  /** The node that was the first to follow, as the first parser of a check made it; null behind the last. */
  get first(): TranscriptNode | null {
    return this.#only;
  }

  /** The node after one more message, of `bytes` content bytes. */
  next(message: string, bytes: number): TranscriptNode {
    if (this.#only?.message === message) return this.#only;
    const known = this.#others?.get(message);
    if (known !== undefined) return known;
    const node = new TranscriptNode(this, message, this.delivered + bytes);
    if (this.#only === null) this.#only = node;
    else {
      this.#others ??= new Map();
      this.#others.set(message, node);
    }
    return node;
  }
}

export class Transcript {
  readonly root = new TranscriptNode(null, '', 0);
  readonly #granularity: Granularity;
  #wanted: TranscriptNode[] = [];

  constructor(granularity: Granularity) {
    this.#granularity = granularity;
  }

  readonly create = (): ToolCallParser => new TranscriptParser(this.root, this.#granularity, this.#want);

  /** The nodes that were read and not known, but for those on the way to another. */
  takeWanted(): readonly TranscriptNode[] {
    const wanted = this.#wanted;
    this.#wanted = [];
    for (const node of wanted) {
      for (let up = node.parent; up !== null && !up.covered; up = up.parent) up.covered = true;
    }
    const last = wanted.filter(({ covered }) => !covered);
    for (const node of wanted) {
      node.wanted = false;
      for (let up: TranscriptNode | null = node; up?.covered === true || up === node; up = up.parent)
        up.covered = false;
    }
    return last;
  }

  readonly #want = (node: TranscriptNode): void => {
    if (node.wanted) return;
    node.wanted = true;
    this.#wanted.push(node);
  };
}

/** The nodes from the start to `node`, without the root. */
export function branchTo(node: TranscriptNode): readonly TranscriptNode[] {
  const branch: TranscriptNode[] = [];
  for (let at: TranscriptNode | null = node; at !== null && at.parent !== null; at = at.parent) branch.push(at);
  return branch.reverse();
}

const NO_BYTES = new Uint8Array(0);

/** Answers from the transcript; what is not known yet is as it was when it was known last. */
class TranscriptParser implements ToolCallParser {
  readonly #granularity: Granularity;
  readonly #want: (node: TranscriptNode) => void;
  #node: TranscriptNode;
  #known: Frontier;
  /** Bytes that are kept back until a character, or a delta, is whole: by text, reasoning or call. */
  readonly #held = new Map<string, Uint8Array>();
  #heldBytes = 0;
  /** The part of a delta that has come. */
  #part: { readonly event: StreamEvent; readonly from: number; to: number } | null = null;

  constructor(root: TranscriptNode, granularity: Granularity, want: (node: TranscriptNode) => void) {
    this.#node = root;
    this.#known = root.frontier ?? EMPTY_FRONTIER;
    this.#granularity = granularity;
    this.#want = want;
  }

  get calls(): readonly ToolCall[] {
    return this.#frontier().calls;
  }
  get pending(): number {
    const part = this.#part === null ? 0 : this.#part.to - this.#part.from;
    return this.#frontier().pending + this.#heldBytes + part;
  }
  get error(): ContractError | null {
    return this.#frontier().error;
  }
  get unfinished(): UnfinishedCall | null {
    return this.#frontier().unfinished;
  }

  push(event: StreamEvent, from = 0, to = contentLength(event)): void {
    if (this.#granularity !== 'delta') return this.#take(event, from, to);
    const begun = this.#part?.event === event ? this.#part.from : from;
    this.#part = to < contentLength(event) ? { event, from: begun, to } : null;
    if (this.#part === null) this.#take(event, begun, to);
  }

  end(how: StreamEnd): void {
    this.#go(endMessage(how), 0);
  }

  #frontier(): Frontier {
    if (this.#node.frontier === null) this.#want(this.#node);
    return this.#known;
  }

  #take(event: StreamEvent, from: number, to: number): void {
    const piece = pieceOf(event, from, to);
    if (this.#granularity === 'byte' || !('bytes' in piece)) return this.#go(eventMessage(piece), contentLength(piece));
    const channel = piece.type === 'tool-delta' ? `call ${piece.call}` : piece.type;
    const held = this.#held.get(channel) ?? NO_BYTES;
    const bytes = held.length === 0 ? piece.bytes : Buffer.concat([held, piece.bytes]);
    const whole = wholeCharacters(bytes);
    this.#held.set(channel, whole === bytes.length ? NO_BYTES : Uint8Array.from(bytes.subarray(whole)));
    if (piece.type !== 'reasoning') this.#heldBytes += bytes.length - whole - held.length;
    const says = piece.type === 'tool-delta' && from === 0;
    if (whole === 0 && piece.bytes.length > 0 && !says) return;
    const counted = piece.type === 'reasoning' ? 0 : whole;
    this.#go(eventMessage({ ...piece, bytes: bytes.subarray(0, whole) }), counted);
  }

  #go(message: string, bytes: number): void {
    this.#node = this.#node.next(message, bytes);
    if (this.#node.frontier !== null) this.#known = this.#node.frontier;
  }
}
