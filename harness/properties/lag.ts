/** Lag: content bytes between the end of a call's frame, by the oracle, and the prefix that made it executable. */
import type { OracleCall } from '../oracles/oracle.ts';
import type { Execution } from './safety.ts';

export interface Lag {
  /** Ordinal of the call. */
  readonly call: number;
  /** Content offset of the last byte of its frame. */
  readonly frameEnd: number;
  /** Content bytes delivered when it became executable. */
  readonly executableAt: number;
  /** In bytes; 0 is perfect. */
  readonly lag: number;
}

/** Only calls that both the parser and the oracle have. A call run before its frame ends has no lag: that is S1. */
export function lags(executions: readonly Execution[], oracleCalls: readonly OracleCall[]): readonly Lag[] {
  const truth = new Map(oracleCalls.map((call) => [call.ordinal, call]));
  return executions.flatMap(({ ordinal, delivered }) => {
    const call = truth.get(ordinal);
    if (call === undefined) return [];
    return [{ call: ordinal, frameEnd: call.end, executableAt: delivered, lag: Math.max(0, delivered - call.end - 1) }];
  });
}
