/**
 * Calls written as JSON in the text of a message without tool deltas (streams.md "The two JSON protocols"):
 * `{"name":…,"arguments":{…}}`, or an array of them. A message whose first element is no call is text.
 */

import { isUtf8 } from 'node:buffer';
import { rawValue } from '../stream/raw-json.ts';
import { LONE_SURROGATE } from '../stream/surrogates.ts';
import { ByteBuffer } from '../wire/byte-buffer.ts';
import { countLineFeeds, isBlank } from './bytes.ts';
import type { Evidence } from './contract-error.ts';
import { countKeys, findRepeatedKey, ObjectScanner } from './json-scan.ts';
import type { JsonObject } from './parser.ts';

export interface TextCall {
  readonly name: string;
  /** Source text of the member `arguments`. */
  readonly text: string;
  readonly object: JsonObject;
  /** Content offset of its closing brace. */
  readonly at: number;
}

export interface TextProblem {
  readonly evidence: Evidence;
  readonly offset: number;
  readonly line: number;
  readonly key?: string;
}

type State =
  /** Only blanks so far. */
  | 'start'
  /** Behind `[`: the first element is to come. */
  | 'first'
  | 'element'
  /** Behind an element of an array. */
  | 'between'
  /** Behind a comma. */
  | 'next'
  /** The message is whole: only blanks may follow. */
  | 'after'
  /** It is text, and holds no calls. */
  | 'text'
  | 'failed';

const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

export class TextCalls {
  readonly calls: TextCall[] = [];
  problem: TextProblem | null = null;

  #state: State = 'start';
  #inArray = false;
  #scanner = new ObjectScanner();
  /** The message from its first `{` or `[` on, as long as it may still be text; then the element under way. */
  readonly #bytes = new ByteBuffer();
  #elementFrom = 0;
  #lineFeeds = 0;
  /** Content offset of the first `{` or `[`. */
  #startOffset = 0;
  /** Content offset up to which bytes have been taken. */
  #taken = 0;

  /** Bytes since the message began that are not text: what waits if calls run at the end of the stream. */
  get heldToEnd(): number {
    return this.#state === 'start' || this.#state === 'text' || this.#state === 'failed'
      ? 0
      : this.#taken - this.#startOffset;
  }

  /** Bytes of the element under way, or of what may still become the first: what waits if each runs as it closes. */
  get heldToClose(): number {
    return this.#state === 'first' || this.#state === 'element' ? this.#bytes.length : 0;
  }

  /** It is settled that the message is text. */
  get isText(): boolean {
    return this.#state === 'text';
  }

  /** The calls have run: nothing is held any more. */
  settle(): void {
    this.#state = 'text';
  }

  /** There are tool deltas: the text is not read for calls. */
  abandon(): void {
    if (this.#state !== 'failed') this.#state = 'text';
  }

  text(bytes: Uint8Array, from: number, to: number, offset: number): void {
    let i = from;
    while (i < to && this.#state !== 'text' && this.#state !== 'failed') {
      const at = offset + (i - from);
      i = this.#state === 'element' ? this.#inElement(bytes, i, to, at) : this.#outside(bytes, i, at, this.#state);
      this.#taken = offset + (i - from);
    }
  }

  startLine(lineFeeds: number): void {
    this.#lineFeeds += lineFeeds;
  }

  /** A complete end at content offset `offset`. */
  endComplete(offset: number): void {
    if (this.#state === 'start' || this.#state === 'after' || this.#state === 'failed') return;
    if (this.calls.length === 0) this.#state = 'text';
    else if (this.#state !== 'text') this.#fail('the array is not closed', offset);
  }

  #outside(bytes: Uint8Array, i: number, at: number, state: Exclude<State, 'element' | 'text' | 'failed'>): number {
    const byte = bytes[i]!;
    if (state === 'first') this.#bytes.append(bytes, i, i + 1);
    if (isBlank(byte)) {
      if (byte === 0x0a) this.#lineFeeds++;
      return i + 1;
    }
    if (byte === OPEN_BRACE && state !== 'between' && state !== 'after') {
      if (state === 'start') this.#startOffset = at;
      if (state === 'first') this.#bytes.length--;
      this.#elementFrom = this.#bytes.length;
      this.#scanner = new ObjectScanner();
      this.#state = 'element';
      return i;
    }
    if (state === 'start' && byte === OPEN_BRACKET) {
      this.#startOffset = at;
      this.#inArray = true;
      this.#bytes.append(bytes, i, i + 1);
      this.#state = 'first';
    } else if (state === 'start' || state === 'first') {
      this.#state = 'text';
      return state === 'start' ? i : i + 1;
    } else if (state === 'between' && byte === COMMA) {
      this.#state = 'next';
    } else if (state === 'between' && byte === CLOSE_BRACKET) {
      this.#state = 'after';
    } else {
      this.#fail('unexpected text', at);
    }
    return i + 1;
  }

  #inElement(bytes: Uint8Array, from: number, to: number, at: number): number {
    const next = this.#scanner.scan(bytes, from, to);
    this.#bytes.append(bytes, from, next);
    if (this.#scanner.state === 'inside') return next;
    this.#takeElement(at + (next - from) - 1);
    return next;
  }

  /** The element in `#bytes` is over at content offset `at`. */
  #takeElement(at: number): void {
    const source = this.#bytes.text(this.#elementFrom);
    const isText = isUtf8(this.#bytes.bytes.subarray(this.#elementFrom, this.#bytes.length));
    const call = this.#scanner.state === 'after' && isText ? readCall(source) : null;
    if (call === null) {
      if (this.calls.length === 0) this.#state = 'text';
      else this.#fail('an element is no call', at);
      return;
    }
    if (countKeys(call.element) !== this.#scanner.keys) {
      const key = findRepeatedKey(source);
      this.#setProblem({ kind: 'duplicate_key' }, at, key ?? undefined);
      return;
    }
    this.calls.push({ name: call.name, object: call.object, text: rawValue(source, ['arguments']) ?? '{}', at });
    this.#lineFeeds += countLineFeeds(this.#bytes.bytes, this.#elementFrom, this.#bytes.length);
    this.#bytes.length = 0;
    this.#state = this.#inArray ? 'between' : 'after';
  }

  #fail(detail: string, offset: number): void {
    this.#setProblem({ kind: 'args_not_object', detail }, offset);
  }

  #setProblem(evidence: Evidence, offset: number, key?: string): void {
    const inElement =
      this.#state === 'element' ? countLineFeeds(this.#bytes.bytes, this.#elementFrom, this.#bytes.length) : 0;
    this.problem = { evidence, offset, line: 1 + this.#lineFeeds + inElement, ...(key === undefined ? {} : { key }) };
    this.#state = 'failed';
  }
}

/** The call that the source of one JSON object is: exactly a name and an object of arguments; else null. */
function readCall(source: string): { name: string; object: JsonObject; element: JsonObject } | null {
  let element: JsonObject;
  try {
    element = JSON.parse(source) as JsonObject;
  } catch {
    return null;
  }
  const { name, arguments: object } = element as { name?: unknown; arguments?: unknown };
  if (Object.keys(element).length !== 2 || typeof name !== 'string' || name === '' || LONE_SURROGATE.test(name))
    return null;
  if (typeof object !== 'object' || object === null || Array.isArray(object)) return null;
  return { name, object: object as JsonObject, element };
}
