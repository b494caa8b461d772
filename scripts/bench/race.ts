/** Timing: contestants take turns, so that whatever else the machine does falls on all of them. */

/** One thing to be timed. A run is complete when it returns, or when the promise that it returns settles. */
export interface Contestant {
  run(): unknown;
  /** What a run stands for, in runs: one that looks at every 50th prefix only stands for 50. 1 if absent. */
  readonly standsFor?: number;
}

export interface Effort {
  readonly rounds: number;
  /** Shortest sample, in ms: short runs are repeated within one. */
  readonly sampleMs: number;
  /** Time for each contestant before the first round, in ms. */
  readonly warmUpMs: number;
}

export const FULL: Effort = { rounds: 9, sampleMs: 6, warmUpMs: 250 };
/** A smoke run: it shows that everything runs, and its figures say nothing. */
export const QUICK: Effort = { rounds: 1, sampleMs: 0, warmUpMs: 0 };

/** Median ms of one run of each contestant, in their order. */
export async function race(contestants: readonly Contestant[], effort: Effort): Promise<readonly number[]> {
  const repeats: number[] = [];
  for (const contestant of contestants) repeats.push(await warmUp(contestant, effort));
  const samples = contestants.map((): number[] => []);
  for (let round = 0; round < effort.rounds; round++) {
    for (const [i, contestant] of contestants.entries()) {
      emptyNursery();
      samples[i]!.push((await time(contestant, repeats[i]!)) * (contestant.standsFor ?? 1));
    }
  }
  return samples.map(median);
}

/** How many runs make a sample. */
async function warmUp(contestant: Contestant, effort: Effort): Promise<number> {
  let spent = 0;
  let last = 0;
  let repeats = 1;
  do {
    last = await time(contestant, repeats);
    spent += last * repeats;
    if (last * repeats < effort.sampleMs) repeats = Math.min(repeats * 2, MOST_REPEATS);
  } while (spent < effort.warmUpMs);
  return Math.max(1, Math.min(MOST_REPEATS, Math.ceil(effort.sampleMs / last)));
}

const MOST_REPEATS = 10_000;

/**
 * Garbage of one contestant is not to be paid for by the next. Minor collections only (and with --expose-gc only): after
 * a few full ones V8 throws away the compiled code of whoever has not run in between.
 */
function emptyNursery(): void {
  globalThis.gc?.({ type: 'minor' });
}

async function time(contestant: Contestant, repeats: number): Promise<number> {
  const start = performance.now();
  for (let i = 0; i < repeats; i++) {
    const result = contestant.run();
    if (result instanceof Promise) await result;
  }
  const elapsed = performance.now() - start;
  return Math.max(elapsed, SHORTEST_MS) / repeats;
}

/** A clock may be too coarse for one run of a smoke test. */
const SHORTEST_MS = 1e-6;

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2;
}
