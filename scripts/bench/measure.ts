/** All measurements of one run, one after the other in one process. */
import { measureDecoding } from './decoding.ts';
import type { Measurements } from './figures.ts';
import { measureGrowth } from './growth.ts';
import { measureParsing } from './parsing.ts';
import { measureChain, measurePrefixes } from './prefixes.ts';
import { type Effort, FULL, QUICK } from './race.ts';

export interface Plan {
  readonly effort: Effort;
  /** Sizes in bytes. */
  readonly parsing: readonly number[];
  readonly prefixes: readonly number[];
  readonly growth: readonly number[];
  readonly stream: number;
}

export const FULL_PLAN: Plan = {
  effort: FULL,
  parsing: [1000, 10_000, 100_000, 1_000_000],
  prefixes: [2000, 20_000, 200_000],
  growth: [10_000, 20_000, 40_000, 80_000, 160_000, 320_000, 640_000, 1_000_000],
  stream: 1_000_000,
};

export const QUICK_PLAN: Plan = {
  effort: QUICK,
  parsing: [1000, 10_000],
  prefixes: [2000],
  growth: [2000, 4000],
  stream: 20_000,
};

/** @param progress is told what comes next. */
export async function measure(plan: Plan, progress: (what: string) => void): Promise<Measurements> {
  const { effort } = plan;
  progress('parsers and peers');
  const parsing = await measureParsing(plan.parsing, effort);
  progress('SSE decoders');
  const decoding = await measureDecoding(plan.stream, effort);
  progress('the every-prefix check against fresh parses');
  const prefixes = await measurePrefixes(plan.prefixes, effort);
  progress('the whole chain');
  const chain = await measureChain(plan.stream, effort);
  progress('growth');
  const growths = await measureGrowth(plan.growth, effort);
  return { figures: [...parsing, ...decoding, ...prefixes, ...chain], growths };
}
