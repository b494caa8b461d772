/** `json-whole` (`native-eos`): at the end of a complete stream all calls run if every one is good, else none. */
import { JsonParser } from './json-parser.ts';

export class JsonWholeParser extends JsonParser {
  get pending(): number {
    if (this.error !== null) return 0;
    return this.waiting + (this.sawToolDelta ? 0 : this.textCalls.heldToEnd + this.pendingThink);
  }

  protected get textUnderWay(): boolean {
    return this.textCalls.heldToEnd > 0;
  }

  protected progressed(): void {
    // Nothing runs before the end.
  }

  protected opened(): void {
    // Nothing closes before the end.
  }

  protected terminal(): void {
    // An announced end is not the end.
  }

  protected textProgressed(): void {
    // A tool delta may still come, and then the text is not read: its problems wait for the end, too.
  }

  protected endComplete(): void {
    this.judgeAtEnd();
    this.endCut();
    if (this.error !== null) return;
    for (const call of this.nativeCalls) this.run(call, this.received);
    if (this.sawToolDelta) return;
    for (const [ordinal, call] of this.textCalls.calls.entries()) this.runText(call, ordinal, this.received);
    this.textCalls.settle();
  }

  protected endCut(): void {
    if (!this.sawToolDelta) this.takeTextProblem();
  }
}
