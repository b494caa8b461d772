/** One native call, as its argument bytes arrive. What both JSON protocols know of it; when it runs is theirs. */
import { isUtf8 } from 'node:buffer';
import { ByteBuffer } from '../wire/byte-buffer.ts';
import { countLineFeeds } from './bytes.ts';
import type { Evidence } from './contract-error.ts';
import { countKeys, findRepeatedKey, ObjectScanner } from './json-scan.ts';
import type { CallArguments, JsonObject } from './parser.ts';

/** Why a call's arguments are not one JSON object, and at which byte of them (from 0) that was noticed. */
export interface ArgumentsProblem {
  readonly evidence: Evidence;
  readonly argsOffset: number;
  readonly key?: string;
}

/** Bytes of room, at least, that `reserve` makes. */
const ROOM = 64;

export class NativeCall {
  readonly ordinal: number;
  id: string | undefined;
  name: string | undefined;
  /** The arguments, as soon as they are one JSON object. */
  object: JsonObject | null = null;
  /** Bad for good: it never runs, whatever follows. */
  bad = false;
  /** Its argument is free text, and no JSON object. */
  isText = false;
  /** Only an event of its own closes it, or a complete end: a provider that announces so, or free text. */
  closesAlone = false;
  /** Something has come that is taken as its end (json-object only). */
  closed = false;
  /** Its provider has closed it: no byte is its own any more. */
  sealed = false;
  ran = false;
  /** Half a character is held behind its bytes: whatever they are, they are not all. */
  half = false;
  /** What its own bytes have shown to be wrong with its arguments. */
  problem: ArgumentsProblem | null = null;
  /** What is wrong with arguments that came before the name: of a call that never gets one, nothing is said but that. */
  unnamedProblem: { readonly problem: ArgumentsProblem; readonly offset: number } | null = null;
  /** Content offset of its first argument byte, or null. */
  firstByte: number | null = null;

  /** A complete end has found nothing missing. */
  #ended = false;
  /** Source of `object`, and its length in bytes. */
  #parsed: { readonly text: string; readonly size: number } | null = null;

  readonly #bytes = new ByteBuffer();
  readonly #scanner = new ObjectScanner();

  constructor(ordinal: number) {
    this.ordinal = ordinal;
  }

  /** Number of argument bytes so far. */
  get size(): number {
    return this.#bytes.length;
  }

  /** The arguments as they have arrived so far; an open string may end inside a UTF-8 sequence. */
  get text(): string {
    const parsed = this.#parsed;
    return parsed !== null && parsed.size === this.size ? parsed.text : this.#bytes.text();
  }

  /** The arguments are all that they must be: one object, or some text. That there are none is decided at a complete end. */
  get whole(): boolean {
    return this.isText ? this.size > 0 || this.#ended : this.object !== null;
  }

  /** As a tool gets them; free text is the one value `input`. */
  get args(): CallArguments {
    if (!this.isText) return { form: 'json', text: this.text, object: this.object ?? {} };
    return {
      form: 'values',
      values: [{ key: 'input', bytes: Uint8Array.from(this.#bytes.bytes.subarray(0, this.size)) }],
    };
  }

  get callId(): string {
    return this.id ?? `call_${this.ordinal}`;
  }

  /** The next byte is inside of a string and not escaped. */
  get insideString(): boolean {
    return this.#scanner.insideString;
  }

  /** The buffer of the arguments with some room behind `size`; bytes written there count once `grow` is told. */
  reserve(): Uint8Array {
    this.#bytes.reserve(ROOM);
    return this.#bytes.bytes;
  }

  /** `escaped`: the last of the bytes escapes the one to come. */
  grow(count: number, escaped: boolean): void {
    this.#bytes.length += count;
    if (escaped) this.#scanner.escapeNext();
  }

  /** Takes as much of `bytes[from, to)` as is inside of a string, where nothing can happen. Returns where it stopped. */
  appendString(bytes: Uint8Array, from: number, to: number): number {
    if (this.bad || this.ran) return from;
    let next = from;
    for (; next < to && this.#scanner.takeInString(bytes[next]!); next++) this.#bytes.appendByte(bytes[next]!);
    return next;
  }

  /**
   * Takes bytes of `bytes[from, to)`: all of them, or those up to the one that closes the object or makes the call bad, so
   * that what a byte does cannot depend on what follows it in the same delta. Returns where it stopped.
   */
  append(bytes: Uint8Array, from: number, to: number): number {
    if (this.isText) {
      this.#bytes.append(bytes, from, to);
      return to;
    }
    const wasAfter = this.#scanner.state === 'after';
    const next = this.#scanner.scan(bytes, from, to);
    this.#bytes.append(bytes, from, next);
    const last = this.size - 1;
    if (this.#scanner.state === 'not-object') this.problem = notObject('unexpected byte', last);
    else if (this.#scanner.state === 'after' && !wasAfter) this.problem = this.#parse(last);
    return next;
  }

  /** What is missing if the stream is complete now; null if the arguments are one object, or no byte came at all (`{}`). */
  missing(): ArgumentsProblem | null {
    this.#ended = true;
    if (this.whole && !this.half) return null;
    if (this.size > 0 || this.half) return notObject('the object is not closed', this.size);
    this.object = {};
    return null;
  }

  /** 1 + the LF bytes before byte `argsOffset` of the arguments. */
  lineAt(argsOffset: number): number {
    return 1 + countLineFeeds(this.#bytes.bytes, 0, Math.min(argsOffset, this.size));
  }

  #parse(last: number): ArgumentsProblem | null {
    if (!isUtf8(this.#bytes.bytes.subarray(0, last + 1))) return notObject('the bytes are not UTF-8', last);
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
    this.#parsed = { text, size: last + 1 };
    return null;
  }
}

function notObject(detail: string, argsOffset: number): ArgumentsProblem {
  return { evidence: { kind: 'args_not_object', argsOffset, detail }, argsOffset };
}
