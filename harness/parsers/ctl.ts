/**
 * The CTL parser (ctl.md), for both `ctl` and `ctl-heredoc`: one grammar.
 *
 * Its memory is the unfinished line (less than `lineLimit` bytes), the current value, and what it has confirmed.
 * `pending` is computed from the phase, so that it cannot disagree with it.
 */
import { contentLength, type StreamEnd, type StreamEvent } from '../stream/event.ts';
import { ByteBuffer } from '../wire/byte-buffer.ts';
import { Runway } from '../wire/runway.ts';
import { copyOf, countLineFeeds, excerpt, indexOfByte, isBlank, LF, latin1 } from './bytes.ts';
import type { ContractError, Evidence } from './contract-error.ts';
import { type ArgLine, readArgLine, readCallLine } from './ctl-line.ts';
import { LeadingThink } from './leading-think.ts';
import type { ArgumentValue, ParserOptions, ToolCall, ToolCallParser, UnfinishedCall } from './parser.ts';

const PHASE = {
  /** At the start of a text line: `matched` bytes of `call ` have come. */
  lineStart: 0,
  /** In a text line that is no call header. */
  text: 1,
  /** In a line that began with `call `; its bytes are in `line`. */
  callLine: 2,
  /** At or in a line inside a call; its bytes are in `line`. */
  frameLine: 3,
  /** In a length-prefixed body: `arrived` bytes of `body` have come. */
  body: 4,
  /** Directly after a length-prefixed body: one LF may follow that belongs to nothing. */
  separator: 5,
  /** In a heredoc: the unfinished line is the end of `value`, from `lineFrom`. */
  heredoc: 6,
  /** The contract was left: nothing is read any more. */
  dead: 7,
} as const;
type Phase = (typeof PHASE)[keyof typeof PHASE];

const CALL = Buffer.from('call ');
const NO_BYTES = Buffer.alloc(0);
/** Bytes of room that a heredoc line is given at least. */
const RESERVE = 128;
const ANY_BYTE = {};
const UP_TO_LF = { stop: LF };

/** The call under way. */
interface OpenCall {
  readonly ordinal: number;
  readonly id: string;
  readonly name: string;
  readonly values: ArgumentValue[];
}

/** Where an error is, as far as it is not the line under way of the call under way. */
interface Elsewhere {
  readonly offset?: number;
  readonly line?: number;
  readonly call?: string;
  readonly key?: string;
}

export class CtlParser implements ToolCallParser {
  readonly calls: ToolCall[] = [];
  error: ContractError | null = null;
  protected readonly options: ParserOptions;
  readonly #lineLimit: number;
  readonly #listens: boolean;

  #phase: Phase = PHASE.lineStart;
  #ended = false;
  /** Content bytes received. */
  #received = 0;
  #matched = 0;
  readonly #line = new ByteBuffer();
  /** Content offset of the first byte of the line under way. */
  #lineOffset = 0;
  /** LF bytes seen outside values; those inside are counted when an error wants its line. */
  #lineFeeds = 0;

  #call: OpenCall | null = null;
  readonly #ids = new Set<string>();
  #key = '';
  /** The last length-prefixed argument of the call, which may be under way. */
  #lengthPrefixed: { readonly key: string; readonly declared: number } | null = null;
  readonly #value = new ByteBuffer();
  /** The length-prefixed value under way, at its full length, and how much of it has come; empty before its first piece. */
  #body: Uint8Array = NO_BYTES;
  #arrived = 0;
  /** The line under way follows a body without the separator that was asked for. */
  #isUnseparated = false;
  readonly #runway = new Runway();
  #tag: Uint8Array = CALL;
  #lineFrom = 0;
  #indentedTagSeen = false;

  readonly #think = new LeadingThink({
    text: (bytes, from, to, offset) => this.#text(bytes, from, to, offset),
    startLine: (lineFeeds) => {
      this.#lineFeeds += lineFeeds;
      this.#phase = PHASE.lineStart;
    },
  });

  constructor(options: ParserOptions) {
    this.options = options;
    this.#lineLimit = options.lineLimit;
    this.#listens = options.onConfirmed !== undefined;
  }

  get pending(): number {
    switch (this.#phase) {
      case PHASE.lineStart:
        return this.#matched + this.#think.held;
      case PHASE.text:
        return this.#think.held;
      case PHASE.callLine:
      case PHASE.frameLine:
        return this.#line.length;
      case PHASE.heredoc:
        return this.#value.length - this.#lineFrom + this.#runway.taken;
      default:
        return 0;
    }
  }

  get unfinished(): UnfinishedCall | null {
    const call = this.#call;
    if (call === null) return this.#phase === PHASE.callLine ? {} : null;
    const identity = { id: call.id, name: call.name };
    if (this.#phase === PHASE.body && this.#lengthPrefixed !== null) {
      return { ...identity, ...this.#lengthPrefixed, arrived: this.#arrived + this.#runway.taken };
    }
    if (this.#phase === PHASE.heredoc) return { ...identity, key: this.#key, arrived: this.#lineFrom };
    return identity;
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
    if (this.#ended || this.#phase === PHASE.dead) return;
    this.#settle();
    if (event.type === 'text') {
      const offset = this.#received;
      this.#received = offset + (to - from);
      if (this.#think.over) this.#text(event.bytes, from, to, offset);
      else this.#think.text(event.bytes, from, to, offset);
    } else if (event.type === 'tool-delta') {
      this.#received += to - from;
    } else if (event.type === 'failure') {
      this.#fail({ kind: event.kind, detail: event.detail }, { offset: this.#received, line: 1 });
    }
    if (!this.#listens) this.#openRunway();
  }

  /** Counts what the runway has taken of the value under way. */
  #settle(): void {
    const taken = this.#runway.settle();
    this.#received += taken;
    if (this.#phase === PHASE.body) this.#arrived += taken;
    else this.#value.length += taken;
  }

  #openRunway(): void {
    if (this.#phase === PHASE.body && this.#arrived > 0) {
      const body = this.#body;
      this.#runway.open(body, this.#arrived, body.length - this.#arrived - 1, ANY_BYTE);
    } else if (this.#phase === PHASE.heredoc) {
      const value = this.#value;
      const held = value.length - this.#lineFrom;
      if (held === 0) this.#lineOffset = this.#received;
      value.reserve(RESERVE);
      const target = value.bytes;
      const room = Math.min(target.length - value.length, this.#lineLimit - 1 - held);
      this.#runway.open(target, value.length, room, UP_TO_LF);
    }
  }

  end(how: StreamEnd): void {
    if (this.#ended) return;
    this.#settle();
    if (how === 'complete' && this.#phase !== PHASE.dead) {
      this.#think.release();
      this.#endOfLine();
      this.#endOfMessage();
    }
    this.#ended = true;
  }

  /** The line under way inside a call. For the control that misreads it. */
  protected get frameLine(): string {
    return this.#phase === PHASE.frameLine ? latin1(this.#line.bytes, 0, this.#line.length) : '';
  }

  #text(bytes: Uint8Array, from: number, to: number, offset: number): void {
    const base = offset - from;
    let i = from;
    while (i < to) {
      switch (this.#phase) {
        case PHASE.lineStart:
          i = this.#atLineStart(bytes, i, to, base);
          break;
        case PHASE.text:
          i = this.#inText(bytes, i, to);
          break;
        case PHASE.callLine:
        case PHASE.frameLine:
          i = this.#inLine(bytes, i, to, base);
          break;
        case PHASE.body:
          i = this.#inBody(bytes, i, to);
          break;
        case PHASE.separator:
          i = this.#afterBody(bytes, i);
          break;
        case PHASE.heredoc:
          i = this.#inHeredoc(bytes, i, to, base);
          break;
        default:
          return;
      }
    }
  }

  //   ca ll c1 shell␊          some text␊
  //     ^                      ^
  #atLineStart(bytes: Uint8Array, from: number, to: number, base: number): number {
    let i = from;
    while (i < to && bytes[i] === CALL[this.#matched]) {
      if (this.#matched === 0) this.#lineOffset = base + i;
      this.#matched++;
      i++;
      if (this.#matched === CALL.length) {
        this.#matched = 0;
        this.#line.append(CALL, 0, CALL.length);
        this.#phase = PHASE.callLine;
        return i;
      }
    }
    if (i < to) {
      this.#confirmText(CALL, 0, this.#matched);
      this.#matched = 0;
      this.#phase = PHASE.text;
    }
    return i;
  }

  #inText(bytes: Uint8Array, from: number, to: number): number {
    const lf = indexOfByte(bytes, LF, from, to);
    const next = lf === -1 ? to : lf + 1;
    this.#confirmText(bytes, from, next);
    if (lf !== -1) {
      this.#lineFeeds++;
      this.#phase = PHASE.lineStart;
    }
    return next;
  }

  //   arg content 4 95␊
  //                ^
  #inLine(bytes: Uint8Array, from: number, to: number, base: number): number {
    const line = this.#line;
    if (line.length === 0) this.#lineOffset = base + from;
    const lf = indexOfByte(bytes, LF, from, to);
    const stop = lf === -1 ? to : lf;
    if (line.length + (stop - from) >= this.options.lineLimit) {
      this.#fail({ kind: 'line_too_long', limit: this.options.lineLimit, what: 'header' });
      return to;
    }
    if (lf === -1 || line.length > 0) line.append(bytes, from, stop);
    if (lf === -1) return to;
    if (line.length > 0) this.#takeLine(line.bytes, 0, line.length, base + lf);
    else this.#takeLine(bytes, from, lf, base + lf);
    this.#lineFeeds++;
    return lf + 1;
  }

  /** A whole line without its LF, which has the content offset `at` (the content length where the end stands for it). */
  #takeLine(bytes: Uint8Array, from: number, to: number, at: number): void {
    const line = latin1(bytes, from, to);
    if (this.#phase === PHASE.callLine) this.#takeCallLine(line, excerpt(bytes, from, to));
    else if (this.#isUnseparated) this.#unexpectedLine(excerpt(bytes, from, to));
    else if (line === 'end') this.execute(at);
    else if (line.startsWith('arg ')) this.#takeArgLine(readArgLine(line), bytes, from, to);
    else this.#unexpectedLine(excerpt(bytes, from, to));
    this.#line.length = 0;
  }

  #takeCallLine(line: string, text: string): void {
    const header = readCallLine(line);
    if (header === null) return this.#fail({ kind: 'bad_call', reason: 'malformed', text });
    if (this.#ids.has(header.id)) {
      return this.#fail({ kind: 'bad_call', reason: 'repeated_id', text }, { call: header.id });
    }
    const limit = this.options.callsPerMessage;
    if (this.#ids.size >= limit) return this.#fail({ kind: 'limit', what: 'calls', limit }, { call: header.id });
    const call = { ordinal: this.#ids.size, id: header.id, name: header.name };
    this.#ids.add(header.id);
    this.#call = { ...call, values: [] };
    this.#lengthPrefixed = null;
    this.#phase = PHASE.frameLine;
    this.options.onConfirmed?.({ type: 'call', ...call });
  }

  #unexpectedLine(text: string): void {
    const after = this.#lengthPrefixed;
    if (after === null) this.#fail({ kind: 'unexpected_line', text });
    else this.#fail({ kind: 'unexpected_line', text, after }, { key: after.key });
  }

  #takeArgLine(arg: ArgLine, bytes: Uint8Array, from: number, to: number): void {
    if (arg.form === 'malformed') {
      return this.#fail({ kind: 'bad_arg', reason: 'malformed', text: excerpt(bytes, from, to) });
    }
    const { key } = arg;
    if (arg.form === 'empty_value' || arg.form === 'bad_tag') {
      return this.#fail({ kind: 'bad_arg', reason: arg.form, text: excerpt(bytes, from, to) }, { key });
    }
    const values = this.#call?.values ?? [];
    if (values.some((value) => value.key === key)) {
      return this.#fail({ kind: 'bad_arg', reason: 'repeated_key', text: excerpt(bytes, from, to) }, { key });
    }
    const limit = this.options.argumentsPerCall;
    if (values.length >= limit) return this.#fail({ kind: 'limit', what: 'arguments', limit }, { key });
    this.#key = key;
    if (arg.form === 'length') this.#openBody(arg.declared);
    else if (arg.form === 'heredoc') this.#openHeredoc(arg.tag);
    else this.#takeInline(bytes, to - arg.valueLength, to);
  }

  #takeInline(bytes: Uint8Array, from: number, to: number): void {
    this.#confirmArgument();
    this.#confirmValue(bytes, from, to);
    this.#closeArgument(copyOf(bytes, from, to));
  }

  #openBody(declared: number): void {
    const limit = this.options.argumentLimit;
    if (declared > limit) {
      return this.#fail(
        {
          kind: 'limit',
          what: 'argument bytes',
          limit,
          ...(Number.isSafeInteger(declared) ? { actual: declared } : {}),
        },
        { key: this.#key },
      );
    }
    this.#lengthPrefixed = { key: this.#key, declared };
    this.#confirmArgument(declared);
    this.#phase = PHASE.body;
    if (declared === 0) this.#closeBody(NO_BYTES);
  }

  //   <exactly nby tes bytes>
  //               ^
  #inBody(bytes: Uint8Array, from: number, to: number): number {
    const declared = this.#lengthPrefixed?.declared ?? 0;
    const next = Math.min(to, from + declared - this.#arrived);
    this.#confirmValue(bytes, from, next);
    if (next - from === declared) {
      this.#closeBody(copyOf(bytes, from, next));
      return next;
    }
    if (this.#arrived === 0) this.#body = Buffer.allocUnsafeSlow(declared);
    this.#body.set(bytes.subarray(from, next), this.#arrived);
    this.#arrived += next - from;
    if (this.#arrived === declared) this.#closeBody(this.#body);
    return next;
  }

  #closeBody(bytes: Uint8Array): void {
    this.#closeArgument(bytes);
    this.#body = NO_BYTES;
    this.#arrived = 0;
    this.#phase = PHASE.separator;
  }

  #afterBody(bytes: Uint8Array, i: number): number {
    this.#phase = PHASE.frameLine;
    if (bytes[i] !== LF) {
      this.#isUnseparated = this.options.separator === 'mandatory';
      return i;
    }
    this.#lineFeeds++;
    return i + 1;
  }

  #openHeredoc(tag: string): void {
    this.#tag = Buffer.from(tag, 'latin1');
    this.#lineFrom = 0;
    this.#indentedTagSeen = false;
    this.#confirmArgument();
    this.#phase = PHASE.heredoc;
  }

  // The unfinished line grows at the end of the value, and is taken off again if it turns out to be TAG.
  //   port=1␊ EO F␊
  //             ^
  #inHeredoc(bytes: Uint8Array, from: number, to: number, base: number): number {
    const value = this.#value;
    let i = from;
    while (i < to) {
      const lf = indexOfByte(bytes, LF, i, to);
      const held = value.length - this.#lineFrom;
      if (held === 0) this.#lineOffset = base + i;
      if (held + ((lf === -1 ? to : lf) - i) >= this.options.lineLimit) {
        this.#fail({ kind: 'line_too_long', limit: this.options.lineLimit, what: 'heredoc line' }, { key: this.#key });
        return to;
      }
      const next = lf === -1 ? to : lf + 1;
      value.append(bytes, i, next);
      i = next;
      if (lf === -1) return to;
      if (this.#isTag(value.length - 1)) {
        this.#closeHeredoc();
        this.#lineFeeds++;
        return i;
      }
      if (!this.#takeHeredocLine()) return to;
    }
    return i;
  }

  /** Is the line from `lineFrom` to `to` (without LF) byte-equal to TAG? */
  #isTag(to: number): boolean {
    return isEqual(this.#value.bytes, this.#lineFrom, to, this.#tag);
  }

  #closeHeredoc(): void {
    this.#value.length = this.#lineFrom;
    this.#closeArgument(this.#value.copy());
    this.#phase = PHASE.frameLine;
  }

  /** The line at the end of the value is body. False if it goes over the limit. */
  #takeHeredocLine(): boolean {
    const value = this.#value;
    const limit = this.options.argumentLimit;
    if (value.length > limit) {
      this.#fail({ kind: 'limit', what: 'argument bytes', limit }, { key: this.#key });
      return false;
    }
    this.#indentedTagSeen ||= isIndented(value.bytes, this.#lineFrom, value.length, this.#tag);
    this.#confirmValue(value.bytes, this.#lineFrom, value.length);
    this.#lineFrom = value.length;
    return true;
  }

  #closeArgument(bytes: Uint8Array): void {
    this.#call?.values.push({ key: this.#key, bytes });
    this.#value.length = 0;
    this.#lineFrom = 0;
  }

  /** The call under way is executable, from the byte at content offset `at` on. */
  protected execute(at: number): void {
    const open = this.#call;
    if (open === null) return;
    const call: ToolCall = {
      ordinal: open.ordinal,
      id: open.id,
      name: open.name,
      args: { form: 'values', values: open.values },
      end: at,
    };
    this.calls.push(call);
    this.#call = null;
    this.#line.length = 0;
    this.#phase = PHASE.lineStart;
    this.options.onConfirmed?.({ type: 'executable', call });
  }

  /** EOF sufficiency: a complete end stands for the LF of an unfinished last line. */
  #endOfLine(): void {
    const at = this.#received;
    const line = this.#line;
    if (line.length > 0) {
      this.#takeLine(line.bytes, 0, line.length, at);
    } else if (this.#phase === PHASE.heredoc && this.#value.length > this.#lineFrom) {
      this.#endOfHeredocLine();
    }
  }

  #endOfHeredocLine(): void {
    const value = this.#value;
    if (this.#isTag(value.length)) return this.#closeHeredoc();
    const limit = this.options.argumentLimit;
    if (value.length + 1 > limit) this.#fail({ kind: 'limit', what: 'argument bytes', limit }, { key: this.#key });
    else this.#indentedTagSeen ||= isIndented(value.bytes, this.#lineFrom, value.length, this.#tag);
  }

  #endOfMessage(): void {
    const offset = this.#received;
    if (this.#phase === PHASE.body && this.#lengthPrefixed !== null) {
      const { key, declared } = this.#lengthPrefixed;
      this.#fail({ kind: 'body_eof', declared, arrived: this.#arrived }, { offset, key });
    } else if (this.#phase === PHASE.heredoc) {
      const tag = latin1(this.#tag, 0, this.#tag.length);
      this.#fail({ kind: 'heredoc_eof', tag, indentedTagSeen: this.#indentedTagSeen }, { offset, key: this.#key });
    } else if (this.#phase === PHASE.frameLine || this.#phase === PHASE.separator) {
      this.#fail({ kind: 'call_eof' }, { offset });
    } else if (this.#phase === PHASE.lineStart) {
      this.#confirmText(CALL, 0, this.#matched);
      this.#matched = 0;
    }
  }

  #fail(evidence: Evidence, where: Elsewhere = {}): void {
    const call = where.call ?? this.#call?.id;
    this.error = {
      ...evidence,
      offset: where.offset ?? this.#lineOffset,
      line: where.line ?? 1 + this.#lineFeeds + this.#lineFeedsInValues(),
      ...(call === undefined ? {} : { call }),
      ...(where.key === undefined ? {} : { key: where.key }),
    };
    this.#phase = PHASE.dead;
  }

  #lineFeedsInValues(): number {
    let count = countLineFeeds(this.#body, 0, this.#arrived);
    count += countLineFeeds(this.#value.bytes, 0, this.#phase === PHASE.heredoc ? this.#lineFrom : this.#value.length);
    for (const value of this.#call?.values ?? []) count += countLineFeeds(value.bytes);
    for (const call of this.calls) {
      if (call.args.form === 'values') for (const value of call.args.values) count += countLineFeeds(value.bytes);
    }
    return count;
  }

  #confirmText(bytes: Uint8Array, from: number, to: number): void {
    if (to > from) this.options.onConfirmed?.({ type: 'text', bytes: bytes.subarray(from, to) });
  }

  #confirmArgument(declared?: number): void {
    const listener = this.options.onConfirmed;
    if (listener === undefined || this.#call === null) return;
    const argument = { type: 'argument', ordinal: this.#call.ordinal, key: this.#key } as const;
    listener(declared === undefined ? argument : { ...argument, declared });
  }

  #confirmValue(bytes: Uint8Array, from: number, to: number): void {
    const listener = this.options.onConfirmed;
    if (listener === undefined || this.#call === null || from === to) return;
    listener({ type: 'bytes', ordinal: this.#call.ordinal, key: this.#key, bytes: bytes.subarray(from, to) });
  }
}

/** Does the line `bytes[from, to)` hold TAG after blanks? A hint for the error message only. */
function isIndented(bytes: Uint8Array, from: number, to: number, tag: Uint8Array): boolean {
  if (!isBlank(bytes[from]!) || to - from > tag.length + MAX_INDENT) return false;
  let start = from;
  let end = to;
  while (start < end && isBlank(bytes[start]!)) start++;
  while (start < end && isBlank(bytes[end - 1]!)) end--;
  return isEqual(bytes, start, end, tag);
}

function isEqual(bytes: Uint8Array, from: number, to: number, tag: Uint8Array): boolean {
  if (to - from !== tag.length) return false;
  for (let i = 0; i < tag.length; i++) if (bytes[from + i] !== tag[i]) return false;
  return true;
}

const MAX_INDENT = 64;
