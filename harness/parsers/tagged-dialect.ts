/**
 * What the dialects share that write a call as tags with raw values between them (qwen-xml, glm): name and key from the
 * bytes of a tag, values under their limits, keys once.
 */
import { ByteBuffer } from '../wire/byte-buffer.ts';
import { LF } from './bytes.ts';
import { isCallName, textOfName } from './call-name.ts';
import type { Release } from './marker-scan.ts';
import type { ArgumentValue, UnfinishedCall } from './parser.ts';
import { TextDialect } from './text-dialect.ts';

const LESS_THAN = 0x3c;
const GREATER_THAN = 0x3e;

/** Whether a byte may stand in a name; in a key. */
export type InName = (byte: number) => boolean;

/** A name or key that stands inside a tag: anything but the brackets of tags and LF. */
export const inTag: InName = (byte) => byte !== LESS_THAN && byte !== GREATER_THAN && byte !== LF;

export abstract class TaggedDialect extends TextDialect {
  /** The name, key or value under way. */
  protected readonly bytes = new ByteBuffer();
  /** Name of the open call; empty where none is. */
  #name = '';
  /** Key of the value under way; empty where none is. */
  #key = '';
  #values: ArgumentValue[] = [];
  /** Content offset and line of the tag that the name, key or value under way came with. */
  #tag = { offset: 0, line: 1 };
  #inCall = false;

  /** One LF on each side of a value is frame. */
  protected abstract readonly lineFrame: boolean;

  protected underWay(): UnfinishedCall | null {
    if (!this.#inCall) return null;
    const call = this.#name === '' ? {} : { name: this.#name };
    return this.#key === '' ? call : { ...call, key: this.#key, arrived: this.#value(this.bytes.length).length };
  }

  /** A call opens at the marker that was found last: its name comes next. False if it is one too many. */
  protected beginCall(): boolean {
    if (!this.openCall()) return false;
    this.#inCall = true;
    this.beginName();
    return true;
  }

  /** A name or key comes next; `fail` points to the marker that was found last. */
  protected beginName(): void {
    this.#tag = { offset: this.markerStart, line: 1 + this.lineFeeds };
    this.bytes.length = 0;
  }

  /** Bytes of a name or key of the form `form`. */
  protected intoName(allowed: InName, form: string): Release {
    return (bytes, from, to) => {
      for (let i = from; i < to; i++) {
        this.bytes.appendByte(bytes[i]!);
        if (!allowed(bytes[i]!)) return this.badName(form);
      }
    };
  }

  /** The name or key is none. */
  protected badName(form: string): void {
    const text = Buffer.from(this.bytes.copy()).toString('utf8');
    this.fail({ kind: 'bad_call', reason: 'malformed', form, text }, this.#tag);
  }

  /** The name is whole; false if it can name no tool. */
  protected takeName(form: string): boolean {
    const name = textOfName(this.bytes);
    if (name === null || !isCallName(name)) {
      this.badName(form);
      return false;
    }
    this.#name = name;
    this.bytes.length = 0;
    return true;
  }

  /** The key is whole; false if it is empty, no UTF-8, repeated, or one too many. */
  protected takeKey(form: string): boolean {
    const key = textOfName(this.bytes) ?? '';
    const limit = this.options.argumentsPerCall;
    const place = { ...this.#tag, key };
    if (key === '') this.badName(form);
    else if (this.#values.some((value) => value.key === key)) this.fail({ kind: 'duplicate_key' }, place);
    else if (this.#values.length === limit) this.fail({ kind: 'limit', what: 'arguments', limit }, place);
    else this.#key = key;
    this.bytes.length = 0;
    return this.error === null;
  }

  /** Bytes of the value; a limit points to the tag of its key. */
  protected readonly intoValue: Release = (bytes, from, to) => {
    this.bytes.append(bytes, from, to);
    const limit = this.options.argumentLimit;
    if (this.#value(this.bytes.length).length <= limit) return;
    // How much of it had come would depend on the pieces.
    this.bytes.length = 0;
    this.fail({ kind: 'limit', what: 'argument bytes', limit }, { ...this.#tag, key: this.#key });
  };

  protected takeValue(): void {
    const { from, length } = this.#value(this.bytes.length);
    this.#values.push({ key: this.#key, bytes: this.bytes.copy(from, from + length) });
    this.bytes.clear();
    this.#key = '';
  }

  /** The call is closed with the byte at content offset `at`, and runs. */
  protected runCall(at: number): void {
    const args = { form: 'values', values: this.#values } as const;
    const name = this.#name;
    this.#name = '';
    this.#values = [];
    this.#inCall = false;
    this.run({ name, args }, at);
  }

  /** Where the value lies in `bytes[0, end)`: without one LF on each side, if they are frame. */
  #value(end: number): { readonly from: number; readonly length: number } {
    if (!this.lineFrame) return { from: 0, length: end };
    const { bytes } = this.bytes;
    const from = end > 0 && bytes[0] === LF ? 1 : 0;
    const to = end > from && bytes[end - 1] === LF ? end - 1 : end;
    return { from, length: to - from };
  }
}
