/**
 * What the two JSON protocols share (streams.md "The two JSON protocols"): the table of native calls, the text reading,
 * the first error. When a call runs is the business of `json-whole.ts` and `json-object.ts`.
 */
import {
  contentLength,
  type RefusedDeltaEvent,
  type StreamEnd,
  type StreamEvent,
  type ToolDeltaEvent,
} from '../stream/event.ts';
import type { ContractError, Evidence } from './contract-error.ts';
import { LeadingThink } from './leading-think.ts';
import { type ArgumentsProblem, NativeCall } from './native-call.ts';
import type { CallArguments, ParserOptions, ToolCall, ToolCallParser, UnfinishedCall } from './parser.ts';
import { STRING_STOPS, StringRun } from './string-run.ts';
import { type TextCall, TextCalls } from './text-calls.ts';

/** Longest piece, in bytes, for which a look at each byte costs less than a scan. */
const SHORT = 16;

export abstract class JsonParser implements ToolCallParser {
  readonly calls: ToolCall[] = [];
  error: ContractError | null = null;

  protected readonly nativeCalls: NativeCall[] = [];
  protected readonly textCalls = new TextCalls();
  /** Content bytes received. */
  protected received = 0;
  /** Nothing is read any more: the stream has failed, or its end has come. */
  protected over = false;
  /** `waiting` without what the runway has taken. */
  #waiting = 0;
  protected sawToolDelta = false;
  /** A finish reason that means cut has come: from now on nothing closes a call. */
  protected isCut = false;

  /** Ordinals of calls that were refused before any delta opened them: they are bad when they open. */
  readonly #refusedUnopened = new Set<number>();
  readonly #options: ParserOptions;
  readonly #run = new StringRun();
  readonly #think: LeadingThink;

  constructor(options: ParserOptions) {
    this.#options = options;
    this.#think = new LeadingThink(this.textCalls);
  }

  abstract get pending(): number;

  get unfinished(): UnfinishedCall | null {
    const waiting = this.nativeCalls.filter((call) => !call.ran && !call.bad);
    // The one that still lacks something; all may be whole and wait for the end, and then it is the last.
    const open = waiting.find((call) => !call.whole) ?? waiting.at(-1);
    if (open !== undefined) {
      return {
        ...(open.id === undefined ? {} : { id: open.id }),
        ...(open.name === undefined ? {} : { name: open.name }),
        arrived: open.size + (open.ordinal === this.#run.delta?.call ? this.#run.runway.taken : 0),
      };
    }
    return !this.sawToolDelta && this.textUnderWay ? {} : null;
  }

  push(event: StreamEvent, from = 0, to = contentLength(event)): void {
    const next = this.#run.take(event, from, to);
    if (next === to && to > from) return;
    this.#look(event, next, to);
  }

  /** Every event, and every piece that the runway leaves. */
  #look(event: StreamEvent, from: number, to: number): void {
    if (this.over) return;
    this.#settle();
    switch (event.type) {
      case 'tool-delta':
        if (event === this.#run.delta && to - from <= SHORT && event.half !== true) this.#recutDelta(event, from, to);
        else this.#toolDelta(event, from, to);
        return this.#openRunway(event);
      case 'text':
        return this.#text(event.bytes, from, to);
      case 'tool-close':
        return this.#toolClose(event.call);
      case 'refused-delta':
        return this.#refusedDelta(event);
      case 'finish':
        if (event.meaning === 'cut') this.isCut = true;
        else if (!this.isCut) this.terminal();
        return;
      case 'done':
        if (!this.isCut) this.terminal();
        return;
      case 'failure':
        // No tool delta can come any more: what was wrong in the text came first.
        if (!this.sawToolDelta) this.takeTextProblem();
        this.fail({ kind: event.kind, detail: event.detail }, { offset: this.received, line: 1 });
        this.over = true;
        return;
      default:
    }
  }

  end(how: StreamEnd): void {
    if (this.over) return;
    this.#settle();
    if (how === 'complete') {
      this.#think.release();
      if (!this.sawToolDelta) this.textCalls.endComplete(this.received);
      this.endComplete();
    } else {
      this.endCut();
    }
    this.over = true;
  }

  /** A call in the text is under way, or waits. */
  protected abstract get textUnderWay(): boolean;
  /** A call has got a name or bytes, of which `at` is the content offset of the last (of the byte to come, for a name). */
  protected abstract progressed(call: NativeCall, at: number): void;
  /** A new native call has opened. */
  protected abstract opened(call: NativeCall): void;
  /** The provider has closed a call. */
  protected sealed(_call: NativeCall): void {
    // For a parser that waits for the end, this says nothing.
  }
  /** An end has been announced that closes what is open: a finish reason that means complete, or `[DONE]`. */
  protected abstract terminal(): void;
  /** The text has grown. */
  protected abstract textProgressed(): void;
  protected abstract endComplete(): void;
  protected abstract endCut(): void;

  /** Argument bytes of calls that neither ran nor are bad. */
  protected get waiting(): number {
    return this.#waiting + this.#run.runway.taken;
  }

  /** Whether a parser must see every byte; else `progressed` is not told of bytes inside of strings. */
  protected get looksAtEveryByte(): boolean {
    return false;
  }

  protected get pendingThink(): number {
    return this.#think.held;
  }

  /** Makes the call executable; `end` is the content offset that did. */
  protected run(call: NativeCall, end: number): void {
    this.runWith(call, call.args, end);
  }

  protected runWith(call: NativeCall, args: CallArguments, end: number): void {
    call.ran = true;
    if (!call.bad) this.#waiting -= call.size;
    this.#emit({ ordinal: call.ordinal, id: call.callId, name: call.name ?? '', args, end });
  }

  protected runText(call: TextCall, ordinal: number, end: number): void {
    const args = { form: 'json', text: call.text, object: call.object } as const;
    this.#emit({ ordinal, id: `call_${ordinal}`, name: call.name, args, end });
  }

  /** What a complete end finds wanting, in the order of docs/decisions/0002 "JSON". */
  protected judgeAtEnd(): void {
    for (const call of this.nativeCalls) {
      if (call.name !== undefined || (call.bad && call.unnamedProblem === null)) continue;
      this.#makeBad(call);
      const offset = call.firstByte ?? this.received;
      this.fail(
        { kind: 'orphan_delta', detail: 'arguments arrived under an index that never got a name' },
        { offset, line: 1 },
      );
    }
    for (const call of this.nativeCalls) {
      const problem = call.bad || call.ran ? null : call.missing();
      if (problem !== null) this.#argumentsProblem(call, problem, this.received);
    }
  }

  /** The first error stands. */
  protected fail(evidence: Evidence, where: { offset: number; line: number; call?: string; key?: string }): void {
    this.error ??= { ...evidence, ...where };
  }

  protected takeTextProblem(): void {
    const problem = this.textCalls.problem;
    if (problem === null) return;
    const { evidence, offset, line, key } = problem;
    this.fail(evidence, { offset, line, ...(key === undefined ? {} : { key }) });
  }

  /** Counts what the runway has taken. */
  #settle(): void {
    const { escaped } = this.#run.runway;
    const taken = this.#run.runway.settle();
    if (taken === 0 || this.#run.delta === null) return;
    this.nativeCalls[this.#run.delta.call]?.grow(taken, escaped);
    this.received += taken;
    this.#waiting += taken;
  }

  #openRunway(event: ToolDeltaEvent): void {
    const call = this.nativeCalls[event.call];
    if (
      call === undefined ||
      call.bad ||
      call.ran ||
      event.half === true ||
      !call.insideString ||
      this.looksAtEveryByte
    )
      return;
    const target = call.reserve();
    this.#run.runway.open(target, call.size, target.length - call.size, STRING_STOPS);
  }

  /** A further short piece of the delta taken last: within a string nothing can happen but that the string grows. */
  #recutDelta(event: ToolDeltaEvent, from: number, to: number): void {
    const call = this.nativeCalls[event.call];
    const next = call === undefined ? from : call.appendString(event.bytes, from, to);
    if (call !== undefined && next > from) {
      this.received += next - from;
      this.#waiting += next - from;
      this.progressed(call, this.received - 1);
    }
    if (next < to) this.#toolDelta(event, next, to);
  }

  #toolDelta(event: ToolDeltaEvent, from: number, to: number): void {
    this.#run.delta = event;
    if (!this.sawToolDelta) {
      this.sawToolDelta = true;
      this.textCalls.abandon();
    }
    const call = this.#callAt(event);
    if (call.sealed) return this.#afterClose(to - from);
    call.id ??= event.id;
    if (event.name !== undefined && call.name === undefined) this.#named(call, event.name);
    const end = this.received + (to - from);
    if (to > from) call.half = false;
    for (let i = from; i < to && !call.bad; ) {
      i = this.#append(call, event.bytes, i, to);
      this.progressed(call, this.received - 1);
    }
    this.received = end;
    if (event.half === true && to === event.bytes.length) call.half = true;
  }

  /** Takes bytes up to one that changes what the call is; returns where it stopped. */
  #append(call: NativeCall, bytes: Uint8Array, from: number, to: number): number {
    const offset = this.received;
    call.firstByte ??= offset;
    const next = call.append(bytes, from, to);
    this.received += next - from;
    if (!call.ran) this.#waiting += next - from;
    const { problem } = call;
    if (problem === null) return next;
    if (call.name !== undefined) {
      this.#argumentsProblem(call, problem, this.received - 1);
    } else {
      this.#makeBad(call);
      call.unnamedProblem = { problem, offset: this.received - 1 };
    }
    return next;
  }

  #named(call: NativeCall, name: string): void {
    call.name = name;
    const held = call.unnamedProblem;
    if (held !== null) this.#argumentsProblem(call, held.problem, held.offset);
    this.progressed(call, this.received);
  }

  #argumentsProblem(call: NativeCall, problem: ArgumentsProblem, offset: number): void {
    this.#makeBad(call);
    const { evidence, argsOffset, key } = problem;
    const line = call.lineAt(argsOffset);
    this.fail(evidence, { offset, line, call: call.callId, ...(key === undefined ? {} : { key }) });
  }

  #makeBad(call: NativeCall): void {
    if (call.bad) return;
    call.bad = true;
    if (!call.ran) this.#waiting -= call.size;
  }

  /** The call of the delta; ordinals come in order of opening. */
  #callAt({ call: ordinal, input, closes }: ToolDeltaEvent): NativeCall {
    const known = this.nativeCalls[ordinal];
    if (known !== undefined) return known;
    const call = new NativeCall(ordinal);
    call.bad = this.#refusedUnopened.has(ordinal);
    call.isText = input === 'text';
    call.closesAlone = call.isText || closes === 'announced';
    this.nativeCalls.push(call);
    this.opened(call);
    return call;
  }

  #toolClose(ordinal: number): void {
    const call = this.nativeCalls[ordinal];
    if (call === undefined || call.sealed) return;
    call.sealed = true;
    this.sealed(call);
  }

  /** Bytes for a call that its provider has closed are nobody's: the call stays as it is. */
  #afterClose(count: number): void {
    if (count > 0) this.fail({ kind: 'bad_delta', detail: AFTER_CLOSE }, { offset: this.received, line: 1 });
    this.received += count;
  }

  #refusedDelta(event: RefusedDeltaEvent): void {
    this.sawToolDelta = true;
    this.textCalls.abandon();
    const call = event.call === null ? undefined : this.nativeCalls[event.call];
    // What comes behind its close does not touch a call.
    if (call !== undefined && !call.sealed) this.#makeBad(call);
    else if (call === undefined && event.call !== null) this.#refusedUnopened.add(event.call);
    const where = { offset: this.received, line: 1, ...(call === undefined ? {} : { call: call.callId }) };
    this.fail({ kind: event.kind, detail: event.detail }, where);
  }

  #text(bytes: Uint8Array, from: number, to: number): void {
    const offset = this.received;
    this.received += to - from;
    if (this.sawToolDelta || this.textCalls.isText) return;
    if (this.#think.over) this.textCalls.text(bytes, from, to, offset);
    else this.#think.text(bytes, from, to, offset);
    this.textProgressed();
  }

  #emit(call: ToolCall): void {
    this.calls.push(call);
    this.#options.onConfirmed?.({ type: 'executable', call });
  }
}

const AFTER_CLOSE = 'arguments came for a call that its provider has closed';
