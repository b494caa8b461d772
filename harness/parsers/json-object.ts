/**
 * `json-object` (`native-inc`): a call runs when it is closed and its non-empty arguments are one object.
 *
 * Where nothing but a later event closes a call (OpenAI chat) this rule, the seed's, is not sound (streams.md): a provider
 * that comes back to a closed index changes a call that has run. The harness reports it on such streams; this parser does
 * not hide it. Where the provider closes each call itself (docs/wire-formats.md), that cannot happen.
 */
import { JsonParser } from './json-parser.ts';
import type { NativeCall } from './native-call.ts';

export class JsonObjectParser extends JsonParser {
  #closedCalls = 0;

  get pending(): number {
    return this.over && this.error !== null
      ? 0
      : this.waiting + (this.sawToolDelta ? 0 : this.textCalls.heldToClose + this.pendingThink);
  }

  protected get textUnderWay(): boolean {
    return this.textCalls.heldToClose > 0;
  }

  protected progressed(call: NativeCall, at: number): void {
    if (call.closed) this.#runIfGood(call, at);
  }

  protected opened(call: NativeCall): void {
    if (!this.isCut) this.#closeUpTo(call.ordinal);
  }

  protected override sealed(call: NativeCall): void {
    if (this.isCut) return;
    call.closed = true;
    this.#runIfGood(call, this.received);
  }

  protected terminal(): void {
    this.#closeUpTo(this.nativeCalls.length);
  }

  protected textProgressed(): void {
    this.#runText();
    this.takeTextProblem();
  }

  protected endComplete(): void {
    this.judgeAtEnd();
    this.#closeUpTo(this.nativeCalls.length);
    for (const call of this.nativeCalls) this.#runIfGood(call, this.received);
    if (!this.sawToolDelta) this.takeTextProblem();
  }

  protected endCut(): void {
    // The end of a cut closes nothing.
  }

  #closeUpTo(count: number): void {
    for (; this.#closedCalls < count; this.#closedCalls++) {
      const call = this.nativeCalls[this.#closedCalls];
      if (call === undefined) return;
      if (call.closesAlone) continue;
      call.closed = true;
      this.#runIfGood(call, this.received);
    }
  }

  #runIfGood(call: NativeCall, end: number): void {
    if (!call.ran && !call.bad && call.whole && !call.half && call.name !== undefined) this.run(call, end);
  }

  #runText(): void {
    for (let next = this.calls.length; next < this.textCalls.calls.length; next++) {
      const call = this.textCalls.calls[next];
      if (call !== undefined) this.runText(call, next, call.at);
    }
  }
}
