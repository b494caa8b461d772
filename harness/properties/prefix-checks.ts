/** S1, S2, S3 and K in one walk over the prefixes. */
import type { OracleCall } from '../oracles/oracle.ts';
import type { Level, ReplayObserver, ReplayStep } from '../replay/replay.ts';
import { PendingCheck } from './pending.ts';
import { SafetyCheck } from './safety.ts';
import type { Verdict } from './verdict.ts';

export class PrefixChecks implements ReplayObserver {
  readonly safety: SafetyCheck;
  readonly pending: PendingCheck;

  /** @param bound K in bytes, or null where the protocol promises no bound. */
  constructor(level: Level, oracleCalls: readonly OracleCall[], bound: number | null) {
    this.safety = new SafetyCheck(level, oracleCalls);
    this.pending = new PendingCheck(level, bound);
  }

  step(step: ReplayStep): void {
    this.safety.step(step);
    this.pending.step(step);
  }

  quiet(count: number): void {
    this.pending.quiet(count);
  }

  verdicts(): readonly Verdict[] {
    return [...this.safety.verdicts(), this.pending.verdict()];
  }
}
