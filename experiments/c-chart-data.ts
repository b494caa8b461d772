/** From table rows to what the charts of experiment C draw. Rows may come in any order; what is drawn does not depend on it. */
import type { Protocol } from '../harness/parsers/protocols.ts';
import { DRAWING_ORDER } from '../harness/report/theme.ts';
import type { AlongRow, ParserName, PendingRow, SalvageRow } from './c-rows.ts';

/** One call in growing sizes, of the reframed suite: made to show growth, and no answer to a task. */
export function isSweep(row: { readonly suite: string; readonly task: string }): boolean {
  return row.suite === 'reframed' && row.task.startsWith('sweep-');
}

export interface PendingPoint {
  readonly parser: Protocol;
  /** Longest argument in bytes, from 1. */
  readonly argument: number;
  /** Largest pending in bytes; 1 for 0, as the axis is logarithmic. */
  readonly max: number;
}

/** Content level only, protocols only, streams with an argument only. Equal points are drawn once. */
export function pendingPoints(rows: readonly PendingRow[]): PendingPoint[] {
  const drawn = rows.filter((row) => row.level === 'content' && row.longestArgument > 0);
  return DRAWING_ORDER.flatMap((parser) => {
    const own = drawn.filter((row) => row.parser === parser);
    const points = own.map((row) => ({ parser, argument: row.longestArgument, max: Math.max(1, row.max) }));
    return distinct(points.sort((a, b) => a.argument - b.argument || a.max - b.max));
  });
}

function distinct(sorted: readonly PendingPoint[]): PendingPoint[] {
  return sorted.filter((point, i) => {
    const before = sorted[i - 1];
    return before === undefined || before.argument !== point.argument || before.max !== point.max;
  });
}

export interface AlongStep {
  readonly parser: Protocol;
  /** Where the step begins, in percent of the message. */
  readonly percent: number;
  readonly pending: number;
}

/** Steps in a line; one is wide enough to be seen. */
const STEPS = 400;

/**
 * The largest pending within each four-hundredth of the message, and the one at its end. Thinning by the largest keeps
 * every peak: what the property K asks for is never drawn too small.
 */
export function alongSteps(rows: readonly AlongRow[]): AlongStep[] {
  return DRAWING_ORDER.flatMap((parser) => {
    const own = rows.filter((row) => row.parser === parser).sort((a, b) => a.offset - b.offset);
    const last = own.at(-1);
    if (last === undefined) return [];
    const peaks = new Map<number, number>();
    for (const { offset, pending } of own) {
      const step = last.offset === 0 ? 0 : Math.floor((offset * STEPS) / last.offset);
      peaks.set(step, Math.max(pending, peaks.get(step) ?? 0));
    }
    const steps = [...peaks].map(([step, pending]) => ({ parser, percent: (step * 100) / STEPS, pending }));
    return withoutRepeats(steps);
  });
}

/** Drops steps that change nothing, but for the first and the last. */
function withoutRepeats(steps: readonly AlongStep[]): AlongStep[] {
  return steps.filter((step, i) => i === steps.length - 1 || steps[i - 1]?.pending !== step.pending);
}

export interface MeanSalvage {
  readonly parser: ParserName;
  readonly cut: number;
  /** Mean of the shares, to six decimals. */
  readonly share: number;
  /** How many streams had a complete call at the cut. */
  readonly streams: number;
}

/** By protocol and cut point, over the streams with a complete call there; a point with none is left out. */
export function meanSalvage(rows: readonly SalvageRow[]): MeanSalvage[] {
  const cuts = [...new Set(rows.map((row) => row.cut))].sort((a, b) => a - b);
  return DRAWING_ORDER.flatMap((parser) =>
    cuts.flatMap((cut) => {
      const here = rows.filter((row) => row.parser === parser && row.cut === cut && row.present > 0);
      if (here.length === 0) return [];
      // Sorted, so that the sum of fractions is the same in every order of rows.
      const shares = here.map((row) => row.executed / row.present).sort((a, b) => a - b);
      const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
      return { parser, cut, share: Math.round(mean * 1e6) / 1e6, streams: here.length };
    }),
  );
}
