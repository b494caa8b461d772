/**
 * S1, S2 and S3 at every prefix of one replay, in O(1) a prefix (properties.md "The four questions").
 *
 * A call is compared with the oracle's once, when it becomes executable; at every later prefix the frontier must still
 * hold the very same list, and at the end the very same bytes.
 */
import type { OracleCall } from '../oracles/oracle.ts';
import { callDifference, callFingerprint } from '../parsers/call.ts';
import type { ToolCall } from '../parsers/parser.ts';
import type { Level, ReplayObserver, ReplayStep } from '../replay/replay.ts';
import { type Counterexample, holds, type Verdict, violated } from './verdict.ts';

export type SafetyProperty = 'S1' | 'S2' | 'S3';

/** A call at the prefix that made it executable. */
export interface Execution {
  readonly call: ToolCall;
  readonly ordinal: number;
  /** Length of that prefix, in bytes of the level and in content bytes. */
  readonly prefix: number;
  readonly delivered: number;
  /** It was made executable by the end of the stream. */
  readonly atEnd: boolean;
}

export class SafetyCheck implements ReplayObserver {
  readonly executions: Execution[] = [];
  /** Prefixes looked at: bytes and the end. */
  prefixes = 0;

  readonly #level: Level;
  readonly #oracle: ReadonlyMap<number, OracleCall>;
  readonly #fingerprints: string[] = [];
  readonly #found = new Map<SafetyProperty, { count: number; first: Counterexample }>();
  #count = 0;

  constructor(level: Level, oracleCalls: readonly OracleCall[]) {
    this.#level = level;
    this.#oracle = new Map(oracleCalls.map((call) => [call.ordinal, call]));
  }

  step(step: ReplayStep): void {
    this.prefixes = step.prefix;
    const { calls } = step.frontier;
    if (calls.length !== this.#count) this.#countChanged(step);
    else if (this.#count > 0 && calls[this.#count - 1] !== this.executions[this.#count - 1]?.call) {
      this.#replaced(step, this.#count - 1);
    }
    if (step.ended) this.#compareWithFirstSight(step);
    if (step.ended) this.prefixes++;
  }

  verdicts(): readonly Verdict[] {
    return (['S1', 'S2', 'S3'] as const).map((property) => {
      const found = this.#found.get(property);
      return found === undefined ? holds(property, this.prefixes) : violated(property, found.count, found.first);
    });
  }

  #countChanged(step: ReplayStep): void {
    const { calls } = step.frontier;
    if (calls.length < this.#count) {
      this.#report('S3', step, `${this.#count} calls were executable, now ${calls.length}`);
      this.executions.length = calls.length;
      this.#fingerprints.length = calls.length;
    }
    for (let i = this.#count; i < calls.length; i++) {
      const call = calls[i];
      if (call === undefined) continue;
      const { prefix, delivered, ended } = step;
      this.executions.push({ call, ordinal: call.ordinal, prefix, delivered, atEnd: ended });
      this.#fingerprints.push(callFingerprint(call));
      this.#judge(call, step);
    }
    this.#count = calls.length;
  }

  #judge(call: ToolCall, step: ReplayStep): void {
    const truth = this.#oracle.get(call.ordinal);
    if (truth === undefined) {
      this.#report('S1', step, `call ${call.id} (${call.name}) is executable and is no call of the whole stream`);
      return;
    }
    if (!step.ended && truth.end >= step.delivered) {
      const missing = truth.end + 1 - step.delivered;
      this.#report('S1', step, `call ${call.id} (${call.name}) is executable ${missing} bytes before its frame ends`);
    }
    const difference = callDifference(call, truth);
    if (difference !== null) {
      this.#report(
        'S2',
        step,
        `call ${call.id} (${call.name}) differs from the same call in the whole stream: ${difference}`,
      );
    }
  }

  #replaced(step: ReplayStep, index: number): void {
    const call = step.frontier.calls[index];
    const before = this.executions[index];
    if (call === undefined || before === undefined) return;
    const difference = callDifference(call, before.call);
    if (difference !== null) this.#report('S2', step, `call ${before.call.id} changed after it ran: ${difference}`);
    this.executions[index] = { ...before, call };
  }

  #compareWithFirstSight(step: ReplayStep): void {
    for (const [i, call] of step.frontier.calls.entries()) {
      if (callFingerprint(call) !== this.#fingerprints[i]) {
        this.#report('S2', step, `call ${call.id} (${call.name}) changed after it ran`);
      }
    }
  }

  #report(property: SafetyProperty, step: ReplayStep, what: string): void {
    const found = this.#found.get(property);
    if (found !== undefined) found.count++;
    else this.#found.set(property, { count: 1, first: { level: this.#level, prefix: step.prefix, what } });
  }
}
