/** One native call, as its argument bytes arrive. What both JSON protocols know of it; when it runs is theirs. */
import { ByteBuffer, countLineFeeds } from './bytes.ts';
import type { Evidence } from './contract-error.ts';
import { countKeys, findRepeatedKey, ObjectScanner } from './json-scan.ts';
import type { JsonObject } from './parser.ts';

/** Why a call's arguments are not one JSON object, and at which byte of them (from 0) that was noticed. */
export interface ArgumentsProblem {
  readonly evidence: Evidence;
  readonly argsOffset: number;
  readonly key?: string;
}

export class NativeCall {
  readonly ordinal: number;
  id: string | undefined;
  name: string | undefined;
  /** The arguments, as soon as they are one JSON object. */
  object: JsonObject | null = null;
  /** Bad for good: it never runs, whatever follows. */
  bad = false;
  /** Later than this call something has come that is taken as its end (json-object only). */
  closed = false;
  ran = false;
  /** What is wrong with arguments that came before the name: of a call that never gets one, nothing is said but that. */
  unnamedProblem: { readonly problem: ArgumentsProblem; readonly offset: number } | null = null;
  /** Content offset of its first argument byte, or null. */
  firstByte: number | null = null;

  readonly #bytes = new ByteBuffer();
  readonly #scanner = new ObjectScanner();
  #text = '';

  constructor(ordinal: number) {
    this.ordinal = ordinal;
  }

  /** Number of argument bytes so far. */
  get size(): number {
    return this.#bytes.length;
  }

  /** The arguments as they arrived; valid once `object` is set or no byte has come. */
  get text(): string {
    return this.#text;
  }

  /** What has arrived so far; it may end inside a UTF-8 sequence. For the control that repairs it. */
  get textSoFar(): string {
    return this.#bytes.text();
  }

  get callId(): string {
    return this.id ?? `call_${this.ordinal}`;
  }

  /** Takes argument bytes `bytes[from, to)`. Returns the problem that makes the call bad, if they do. */
  append(bytes: Uint8Array, from: number, to: number): ArgumentsProblem | null {
    const wasClosed = this.object !== null;
    const before = this.size;
    this.#bytes.append(bytes, from, to);
    for (let i = from; i < to; ) {
      const wasAfter = this.#scanner.state === 'after';
      i = this.#scanner.scan(bytes, i, to);
      const last = before + (i - from) - 1;
      if (this.#scanner.state === 'not-object') return notObject('unexpected byte', last);
      if (this.#scanner.state === 'after' && !wasAfter) {
        const problem = this.#parse(last);
        if (problem !== null) return problem;
      }
    }
    // Blanks may follow the object: the text is what arrived, the object stays.
    if (this.object !== null && (wasClosed || this.#text.length === 0)) this.#text = this.#bytes.text();
    return null;
  }

  /** What is missing if the stream is complete now; null if the arguments are one object, or no byte came at all (`{}`). */
  missing(): ArgumentsProblem | null {
    if (this.object !== null) return null;
    if (this.size > 0) return notObject('the object is not closed', this.size);
    this.object = {};
    return null;
  }

  /** 1 + the LF bytes before byte `argsOffset` of the arguments. */
  lineAt(argsOffset: number): number {
    return 1 + countLineFeeds(this.#bytes.bytes, 0, Math.min(argsOffset, this.size));
  }

  #parse(last: number): ArgumentsProblem | null {
    const text = this.#bytes.text(0, last + 1);
    let object: JsonObject;
    try {
      object = JSON.parse(text) as JsonObject;
    } catch {
      return notObject('what the closing brace closes is not JSON', last);
    }
    if (countKeys(object) !== this.#scanner.keys) {
      const key = findRepeatedKey(text);
      return { evidence: { kind: 'duplicate_key' }, argsOffset: last, ...(key === null ? {} : { key }) };
    }
    this.object = object;
    this.#text = text;
    return null;
  }
}

function notObject(detail: string, argsOffset: number): ArgumentsProblem {
  return { evidence: { kind: 'args_not_object', argsOffset, detail }, argsOffset };
}
