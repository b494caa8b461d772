/** Keys are shown nowhere: not in the session, an event, a message to the model, or what a tool prints. */
import type { ToolOutcome } from './tool.ts';

/** Bytes; shorter values are no keys, and would be found everywhere. */
const SHORTEST_KEY = 8;
/** Bytes of a key that a piece at the edge of a gap must have to be taken away. */
const SHORTEST_PIECE = 4;
const MASK = '[key]';
/** Where a text was cut to be shown. */
const CUT = '…';

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

/** Whether a variable with this value gives the key away. A short key is looked for as the whole value only. */
export function holdsKey(value: string, key: string): boolean {
  if (key === '') return false;
  return Buffer.byteLength(key) < SHORTEST_KEY ? value.trim() === key : value.includes(key);
}

/** What of a text may be shown, and what must wait: it may be the beginning of a key. */
export interface OpenText {
  readonly shown: string;
  readonly held: string;
}

export class KeyMask {
  /** Also as they stand in the source of a JSON string. Longest first: a key may begin with another. */
  readonly #keys: readonly string[];
  /** The same in bytes. */
  readonly #patterns: readonly Buffer[];

  constructor(keys: readonly string[]) {
    const long = keys.filter((key) => Buffer.byteLength(key) >= SHORTEST_KEY);
    const forms = new Set(long.flatMap((key) => [key, JSON.stringify(key).slice(1, -1)]));
    this.#keys = [...forms].sort((a, b) => b.length - a.length);
    this.#patterns = this.#keys.map((key) => Buffer.from(key, 'utf8'));
  }

  /** Whole keys, and the beginning of one where the text was cut: before `…` and at its end. */
  text(text: string): string {
    return this.#keys.length === 0 ? text : this.#whole(text).split(CUT).map(this.#withoutBeginning).join(CUT);
  }

  /** Of a text that goes on. */
  open(text: string): OpenText {
    const masked = this.#whole(text);
    const held = longestPiece(this.#keys, 1, (key, n) => masked.endsWith(key.slice(0, n)));
    return { shown: masked.slice(0, masked.length - held), held: masked.slice(masked.length - held) };
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
    if (isBase64(value)) return { base64: this.#bytes(Buffer.from(value.base64, 'base64')).toString('base64') };
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [this.text(name), this.#masked(inner)]));
  }

  #whole(text: string): string {
    return this.#keys.reduce((masked, key) => masked.replaceAll(key, MASK), text);
  }

  readonly #withoutBeginning = (text: string): string => {
    const length = longestPiece(this.#keys, SHORTEST_KEY, (key, n) => text.endsWith(key.slice(0, n)));
    return length === 0 ? text : `${text.slice(0, -length)}${MASK}`;
  };

  /** As latin1, so that every other byte stays what it is. */
  #bytes(bytes: Buffer): Buffer {
    const patterns = this.#patterns.filter((pattern) => bytes.includes(pattern));
    if (patterns.length === 0) return bytes;
    const text = patterns.reduce(
      (masked, key) => masked.replaceAll(key.toString('latin1'), MASK),
      bytes.toString('latin1'),
    );
    return Buffer.from(text, 'latin1');
  }

  /** Length of the longest beginning of a key that the bytes end with. */
  #beginsAtEnd(bytes: Buffer): number {
    return longestPiece(this.#patterns, SHORTEST_PIECE, (key, n) => bytes.subarray(-n).equals(key.subarray(0, n)));
  }

  /** Length of the longest end of a key that the bytes begin with. */
  #endsAtStart(bytes: Buffer): number {
    return longestPiece(this.#patterns, SHORTEST_PIECE, (key, n) => bytes.subarray(0, n).equals(key.subarray(-n)));
  }
}

/** Length of the longest proper piece of any key, from `shortest` on, that is there; 0 if none is. */
function longestPiece<Key extends { readonly length: number }>(
  keys: readonly Key[],
  shortest: number,
  isThere: (key: Key, length: number) => boolean,
): number {
  const lengthOf = (key: Key): number => {
    for (let length = key.length - 1; length >= shortest; length--) if (isThere(key, length)) return length;
    return 0;
  };
  return Math.max(0, ...keys.map(lengthOf));
}

/** A value that is no UTF-8, as records have it (`session-record.ts`). */
function isBase64(value: object): value is { readonly base64: string } {
  return 'base64' in value && typeof value.base64 === 'string' && Object.keys(value).length === 1;
}
