/** Salvage: what has been executed of the calls that are complete, if the stream is cut after some of its content. */
import type { OracleCall } from '../oracles/oracle.ts';
import type { Execution } from './safety.ts';

/** Cut points in percent of the content; the same for every framing. At 100 the stream's own end has come, too. */
export const CUT_POINTS = [5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 85, 90, 95, 100] as const;

export interface Salvage {
  readonly cut: number;
  readonly executed: number;
  /** Calls whose frame is complete in what has arrived. */
  readonly present: number;
}

export function salvage(
  executions: readonly Execution[],
  oracleCalls: readonly OracleCall[],
  contentBytes: number,
): readonly Salvage[] {
  return CUT_POINTS.map((cut) => {
    const length = Math.floor((contentBytes * cut) / 100);
    const whole = cut === 100;
    return {
      cut,
      executed: executions.filter(({ delivered, atEnd }) => (atEnd ? whole : delivered <= length)).length,
      present: oracleCalls.filter(({ end }) => whole || end < length).length,
    };
  });
}
