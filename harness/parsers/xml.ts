/**
 * The MiniMax tool-call parser (xml.md). It looks like XML and is not: values are raw bytes.
 *
 * Nothing inside a block can be confirmed before the message ends, since a value may hold the whole closing sequence:
 * from the first opener on every byte is pending, and at the end of a complete stream all calls run or none does.
 */
import { contentLength, type StreamEnd, type StreamEvent } from '../stream/event.ts';
import { ByteBuffer } from '../wire/byte-buffer.ts';
import { Runway } from '../wire/runway.ts';
import { countLineFeeds, indexOfByte, isBlank, LF } from './bytes.ts';
import type { ContractError, Evidence } from './contract-error.ts';
import { LeadingThink } from './leading-think.ts';
import type { ArgumentValue, ParserOptions, ToolCall, ToolCallParser, UnfinishedCall } from './parser.ts';

const TAGS = {
  block: Buffer.from('<minimax:tool_call>'),
  endBlock: Buffer.from('</minimax:tool_call>'),
  invoke: Buffer.from('<invoke name="'),
  endInvoke: Buffer.from('</invoke>'),
  parameter: Buffer.from('<parameter name="'),
  endParameter: Buffer.from('</parameter>'),
} as const;
type Tag = keyof typeof TAGS;

/** Where the reader stands between tags: only blanks and these tags may come. */
const NEXT = {
  blockStart: ['invoke'],
  block: ['invoke', 'endBlock'],
  invoke: ['parameter', 'endInvoke'],
  after: ['block'],
} as const satisfies Record<string, readonly Tag[]>;
type Between = keyof typeof NEXT;

/** The inside of a tag that carries a name, of a value, and the states outside blocks. */
type State = Between | 'text' | 'name' | 'key' | 'value' | 'dead';

const INSIDE: Record<Exclude<State, 'text' | 'after' | 'dead'>, 'block' | 'invoke' | 'parameter'> = {
  blockStart: 'block',
  block: 'block',
  name: 'block',
  invoke: 'invoke',
  key: 'invoke',
  value: 'parameter',
};

const LESS_THAN = 0x3c;
const GREATER_THAN = 0x3e;
const QUOTE = 0x22;
/** Bytes of room, at least, that a value under way is given. */
const RESERVE = 128;
const UP_TO_TAG = { stop: LESS_THAN };

export class XmlParser implements ToolCallParser {
  readonly calls: ToolCall[] = [];
  error: ContractError | null = null;
  readonly #options: ParserOptions;

  #state: State = 'text';
  #ended = false;
  #received = 0;
  /** In text: the line may still begin with the opener. */
  #lineStart = true;
  /** LF bytes outside values; those inside are counted when an error wants its line. */
  #lineFeeds = 0;
  /** Bytes that have matched of the tag under way; in a value, of its closing tag. */
  #matched = 0;
  #candidates: readonly Tag[] = [];
  /** Content offset of the first byte of the tag under way. */
  #tagOffset = 0;
  /** Content offset of the first opener. */
  #blockOffset = 0;
  /** The name, key or value under way; in a value, with the matched bytes of its closing tag. */
  readonly #bytes = new ByteBuffer();
  #nameClosed = false;
  #name = '';
  #key = '';
  #values: ArgumentValue[] = [];
  #opened = 0;
  /** The call under way when the contract was left. */
  #brokenOff: UnfinishedCall | null = null;
  readonly #closed: Omit<ToolCall, 'end'>[] = [];

  readonly #runway = new Runway();
  readonly #think = new LeadingThink({
    text: (bytes, from, to, offset) => this.#feed(bytes, from, to, offset),
    startLine: (lineFeeds) => {
      this.#lineFeeds += lineFeeds;
      this.#lineStart = true;
    },
  });

  constructor(options: ParserOptions) {
    this.#options = options;
  }

  get pending(): number {
    if (this.#state === 'text') return this.#matched + this.#think.held;
    if (this.#state === 'dead') return 0;
    return this.#received - this.#blockOffset + this.#runway.taken;
  }

  get unfinished(): UnfinishedCall | null {
    if (this.#state === 'dead') return this.#brokenOff;
    if (this.#state === 'text') return null;
    const name = this.#name === '' ? this.#closed[0]?.name : this.#name;
    const call = name === undefined ? {} : { name };
    if (this.#state !== 'value') return call;
    return { ...call, key: this.#key, arrived: this.#bytes.length - this.#matched + this.#runway.taken };
  }

  push(event: StreamEvent, from = 0, to = contentLength(event)): void {
    const runway = this.#runway;
    let next = from;
    if (runway.at < runway.end && event.type === 'text') {
      if (to - from === 1) {
        const byte = event.bytes[from]!;
        if (!runway.isStop(byte)) {
          runway.put(byte);
          return;
        }
      } else {
        next = runway.take(event.bytes, from, to);
        if (next === to) return;
      }
    }
    this.#look(event, next, to);
  }

  /** Every event, and every piece that the runway leaves. */
  #look(event: StreamEvent, from: number, to: number): void {
    if (this.#ended || this.#state === 'dead') return;
    this.#settle();
    if (event.type === 'text') {
      const offset = this.#received;
      this.#received = offset + (to - from);
      if (this.#think.over) this.#feed(event.bytes, from, to, offset);
      else this.#think.text(event.bytes, from, to, offset);
    } else if (event.type === 'tool-delta') {
      this.#received += to - from;
    } else if (event.type === 'failure') {
      this.#fail({ kind: event.kind, detail: event.detail }, { offset: this.#received, line: 1 });
    }
    if (this.#state === 'value' && this.#matched === 0) this.#openRunway();
  }

  /** Counts what the runway has taken of the value under way. */
  #settle(): void {
    const taken = this.#runway.settle();
    this.#received += taken;
    this.#bytes.length += taken;
  }

  #openRunway(): void {
    const value = this.#bytes;
    value.reserve(RESERVE);
    const target = value.bytes;
    const room = Math.min(target.length, this.#options.argumentLimit) - value.length;
    this.#runway.open(target, value.length, room, UP_TO_TAG);
  }

  end(how: StreamEnd): void {
    if (this.#ended) return;
    this.#settle();
    if (how === 'complete') {
      this.#think.release();
      this.#endOfMessage();
    }
    this.#ended = true;
  }

  #feed(bytes: Uint8Array, from: number, to: number, offset: number): void {
    const base = offset - from;
    let i = from;
    while (i < to) {
      switch (this.#state) {
        case 'text':
          i = this.#inText(bytes, i, to, base);
          break;
        case 'name':
        case 'key':
          i = this.#inName(bytes, i, to);
          break;
        case 'value':
          i = this.#inValue(bytes, i, to);
          break;
        case 'dead':
          return;
        default:
          i = this.#between(bytes[i]!, i, base, this.#state);
      }
    }
  }

  //   text␊ <minimax: tool_call>
  //                  ^
  #inText(bytes: Uint8Array, from: number, to: number, base: number): number {
    let i = from;
    if (this.#lineStart) {
      while (i < to && bytes[i] === TAGS.block[this.#matched]) {
        if (this.#matched === 0) this.#tagOffset = base + i;
        this.#matched++;
        i++;
        if (this.#matched === TAGS.block.length) {
          this.#blockOffset = this.#tagOffset;
          this.#enter('blockStart');
          return i;
        }
      }
      if (i === to) return to;
      this.#confirmText(TAGS.block, 0, this.#matched);
      this.#matched = 0;
      this.#lineStart = false;
    }
    const lf = indexOfByte(bytes, LF, i, to);
    const next = lf === -1 ? to : lf + 1;
    this.#confirmText(bytes, i, next);
    if (lf !== -1) {
      this.#lineFeeds++;
      this.#lineStart = true;
    }
    return next;
  }

  //   </parameter>␊ <par ameter name="
  //                     ^
  #between(byte: number, i: number, base: number, state: Between): number {
    if (this.#matched === 0) {
      if (isBlank(byte)) {
        if (byte === LF) this.#lineFeeds++;
        return i + 1;
      }
      this.#tagOffset = base + i;
      this.#candidates = NEXT[state];
    }
    const alive = this.#candidates.filter((tag) => TAGS[tag][this.#matched] === byte);
    if (alive.length === 0) {
      this.#unexpected(Buffer.concat([this.#matchedBytes(), Uint8Array.of(byte)]));
      return i + 1;
    }
    this.#candidates = alive;
    this.#matched++;
    if (this.#matched === TAGS[alive[0]!].length) this.#takeTag(alive[0]!, base + i);
    return i + 1;
  }

  #takeTag(tag: Tag, at: number): void {
    switch (tag) {
      case 'block':
        return this.#enter('blockStart');
      case 'invoke':
        return this.#enter('name');
      case 'parameter':
        return this.#enter('key');
      case 'endInvoke':
        return this.#closeCall(at);
      case 'endBlock':
        return this.#enter('after');
      default:
    }
  }

  //   <invoke name="wri te_file">
  //                    ^
  #inName(bytes: Uint8Array, from: number, to: number): number {
    for (let i = from; i < to; i++) {
      const byte = bytes[i]!;
      if (this.#nameClosed && byte === GREATER_THAN) {
        this.#takeName();
        return i + 1;
      }
      if (!this.#nameClosed && byte === QUOTE && this.#bytes.length > 0) {
        this.#nameClosed = true;
      } else if (this.#nameClosed || byte === QUOTE || byte === GREATER_THAN || byte === LF) {
        const name = this.#bytes.copy();
        const quote = Buffer.from(this.#nameClosed ? '"' : '');
        this.#unexpected(Buffer.concat([this.#matchedBytes(), name, quote, Uint8Array.of(byte)]));
        return to;
      } else {
        this.#bytes.append(bytes, i, i + 1);
      }
    }
    return to;
  }

  #takeName(): void {
    const name = this.#bytes.text();
    if (this.#state === 'name') {
      const limit = this.#options.callsPerMessage;
      if (this.#opened === limit) return this.#fail({ kind: 'limit', what: 'calls', limit });
      this.#name = name;
      this.#opened++;
      return this.#enter('invoke');
    }
    if (this.#values.some((value) => value.key === name)) return this.#fail({ kind: 'duplicate_key' }, { key: name });
    const limit = this.#options.argumentsPerCall;
    if (this.#values.length === limit) return this.#fail({ kind: 'limit', what: 'arguments', limit }, { key: name });
    this.#key = name;
    this.#enter('value');
  }

  // The closing tag grows at the end of the value, and is taken off when it is whole.
  //   if (a < b && c)</para meter>
  //                        ^
  #inValue(bytes: Uint8Array, from: number, to: number): number {
    const closer = TAGS.endParameter;
    let i = from;
    while (i < to) {
      if (this.#matched === 0) {
        const start = indexOfByte(bytes, LESS_THAN, i, to);
        const next = start === -1 ? to : start;
        this.#bytes.append(bytes, i, next);
        if (this.#valueIsTooLong()) return to;
        i = next;
        if (start === -1) return to;
      }
      const byte = bytes[i]!;
      this.#matched = byte === closer[this.#matched] ? this.#matched + 1 : byte === LESS_THAN ? 1 : 0;
      this.#bytes.append(bytes, i, i + 1);
      i++;
      if (this.#matched === closer.length) {
        this.#closeValue();
        return i;
      }
      if (this.#valueIsTooLong()) return to;
    }
    return to;
  }

  #valueIsTooLong(): boolean {
    const limit = this.#options.argumentLimit;
    if (this.#bytes.length - this.#matched <= limit) return false;
    this.#bytes.length = 0;
    this.#fail({ kind: 'limit', what: 'argument bytes', limit }, { key: this.#key });
    return true;
  }

  #closeValue(): void {
    this.#values.push({ key: this.#key, bytes: this.#bytes.copy(0, this.#bytes.length - this.#matched) });
    this.#enter('invoke');
  }

  #closeCall(at: number): void {
    const ordinal = this.#opened - 1;
    const args = { form: 'values', values: this.#values } as const;
    this.callClosed({ ordinal, id: `call_${ordinal}`, name: this.#name, args }, at);
    this.#name = '';
    this.#values = [];
    this.#enter('block');
  }

  /** A call whose closing tag ends at content offset `at`. It waits for the end of the message. */
  protected callClosed(call: Omit<ToolCall, 'end'>, _at: number): void {
    this.#closed.push(call);
  }

  #enter(state: State): void {
    this.#state = state;
    this.#matched = 0;
    this.#nameClosed = false;
    this.#bytes.length = 0;
  }

  #endOfMessage(): void {
    const offset = this.#received;
    const state = this.#state;
    if (state === 'dead') return;
    if (state === 'text') {
      this.#confirmText(TAGS.block, 0, this.#matched);
      return this.#enter('text');
    }
    if (state !== 'after') return this.#fail({ kind: 'xml_unclosed', inside: INSIDE[state] }, { offset });
    if (this.#matched > 0) return this.#unexpected(this.#matchedBytes());
    for (const closed of this.#closed) {
      const call = { ...closed, end: offset };
      this.calls.push(call);
      this.#options.onConfirmed?.({ type: 'executable', call });
    }
    this.#lineStart = false;
    this.#enter('text');
  }

  /** What has matched of the tag under way, name tags whole. */
  #matchedBytes(): Uint8Array {
    if (this.#state === 'name') return TAGS.invoke;
    if (this.#state === 'key') return TAGS.parameter;
    const tag = this.#candidates[0];
    return tag === undefined ? new Uint8Array(0) : TAGS[tag].subarray(0, this.#matched);
  }

  #unexpected(found: Uint8Array): void {
    const kind = this.#state === 'after' ? 'xml_after_block' : 'xml_unexpected_text';
    this.#fail({ kind, text: shownBytes(found) });
  }

  #fail(evidence: Evidence, where: { offset?: number; line?: number; key?: string } = {}): void {
    const call = this.#state === 'invoke' || this.#state === 'key' || this.#state === 'value';
    this.error = {
      ...evidence,
      offset: where.offset ?? this.#tagOffset,
      line: where.line ?? 1 + this.#lineFeeds + this.#lineFeedsInValues(),
      ...(call ? { call: `call_${this.#opened - 1}` } : {}),
      ...(where.key === undefined ? {} : { key: where.key }),
    };
    this.#brokenOff = this.unfinished;
    this.#state = 'dead';
  }

  #lineFeedsInValues(): number {
    let count = this.#state === 'value' ? countLineFeeds(this.#bytes.bytes, 0, this.#bytes.length) : 0;
    for (const value of this.#values) count += countLineFeeds(value.bytes);
    for (const call of this.#closed) {
      if (call.args.form === 'values') for (const value of call.args.values) count += countLineFeeds(value.bytes);
    }
    return count;
  }

  #confirmText(bytes: Uint8Array, from: number, to: number): void {
    if (to > from) this.#options.onConfirmed?.({ type: 'text', bytes: bytes.subarray(from, to) });
  }
}

/** Text, with a last byte that is only the beginning of a character as its number. */
function shownBytes(bytes: Uint8Array): string {
  const last = bytes.at(-1);
  if (last === undefined || last < 0x80) return Buffer.from(bytes).toString('utf8');
  return `${Buffer.from(bytes.subarray(0, -1)).toString('utf8')}<byte ${last.toString(16)}>`;
}
