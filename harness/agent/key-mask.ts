/** Keys are shown nowhere: not in the session, an event, a message to the model, or what a tool prints. */
import type { ToolOutcome } from './tool.ts';

/** Bytes; shorter values are no keys, and would be found everywhere. */
const SHORTEST_KEY = 8;
/** Bytes of a key that a piece at the edge of a gap must have to be taken away. */
const SHORTEST_PIECE = 4;
const MASK = '[key]';

/** Variables that hold keys of models; what stands in one is a key wherever else it stands. */
export const KEY_VARIABLES: readonly string[] = [
  'CST_API_KEY',
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_API_KEY',
  'AZURE_OPENAI_API_KEY',
  'OPENROUTER_API_KEY',
];

export function keysIn(variables: Readonly<Record<string, string | undefined>>): readonly string[] {
  return [...new Set(KEY_VARIABLES.flatMap((name) => variables[name]?.trim() ?? []))];
}

export class KeyMask {
  /** Longest first: a key may begin with another. */
  readonly #keys: readonly string[];

  constructor(keys: readonly string[]) {
    this.#keys = keys.filter((key) => Buffer.byteLength(key) >= SHORTEST_KEY).sort((a, b) => b.length - a.length);
  }

  text(text: string): string {
    return this.#keys.reduce((masked, key) => masked.replaceAll(key, MASK), text);
  }

  /** The same value with every string in it masked, names of members too. */
  value<Value>(value: Value): Value {
    return this.#keys.length === 0 ? value : (this.#masked(value) as Value);
  }

  /** Before the output is cut: half a key is too much as well, also at a gap that the tool has left. */
  outcome(outcome: ToolOutcome): ToolOutcome {
    const { output, omitted } = outcome;
    if (this.#keys.length === 0) return outcome;
    const bytes = Buffer.from(output.buffer, output.byteOffset, output.byteLength);
    if (omitted === undefined) return { ...outcome, output: this.#bytes(bytes) };
    const head = bytes.subarray(0, omitted.at);
    const tail = bytes.subarray(omitted.at);
    const [ofHead, ofTail] = [this.#beginsAtEnd(head), this.#endsAtStart(tail)];
    const before = this.#bytes(head.subarray(0, head.length - ofHead));
    const after = this.#bytes(tail.subarray(ofTail));
    const gap = { at: before.length, bytes: omitted.bytes + ofHead + ofTail };
    return { ...outcome, output: Buffer.concat([before, after]), omitted: gap };
  }

  #masked(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map((item) => this.#masked(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [this.text(name), this.#masked(inner)]));
  }

  /** As latin1, so that every other byte stays what it is. */
  #bytes(bytes: Buffer): Buffer {
    const patterns = this.#patterns().filter((pattern) => bytes.includes(pattern));
    if (patterns.length === 0) return bytes;
    const text = patterns.reduce(
      (masked, key) => masked.replaceAll(key.toString('latin1'), MASK),
      bytes.toString('latin1'),
    );
    return Buffer.from(text, 'latin1');
  }

  #patterns(): readonly Buffer[] {
    return this.#keys.map((key) => Buffer.from(key, 'utf8'));
  }

  /** Length of the longest beginning of a key that the bytes end with. */
  #beginsAtEnd(bytes: Buffer): number {
    return Math.max(
      0,
      ...this.#patterns().map((key) => longestPiece(key, (n) => bytes.subarray(-n).equals(key.subarray(0, n)))),
    );
  }

  /** Length of the longest end of a key that the bytes begin with. */
  #endsAtStart(bytes: Buffer): number {
    return Math.max(
      0,
      ...this.#patterns().map((key) => longestPiece(key, (n) => bytes.subarray(0, n).equals(key.subarray(-n)))),
    );
  }
}

function longestPiece(key: Buffer, isThere: (length: number) => boolean): number {
  for (let length = key.length - 1; length >= SHORTEST_PIECE; length--) if (isThere(length)) return length;
  return 0;
}
