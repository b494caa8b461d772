/** Pending bytes at every prefix of one replay, and the bound K (properties.md "K"; ctl.md "Pending"). */
import type { Level, ReplayObserver, ReplayStep } from '../replay/replay.ts';
import { type Counterexample, holds, notApplicable, type Verdict, violated } from './verdict.ts';

/** Values below this are counted one by one; above, in buckets that are at most 1/256 of a value wide. */
const EXACT = 8192;
const BUCKETS_AN_OCTAVE = 256;

export interface PendingFigures {
  readonly max: number;
  readonly mean: number;
  /** 95th percentile over prefixes; above 8191 the upper end of a bucket 1/256 wide (never above `max`). */
  readonly p95: number;
  /** Most wire bytes that the decoder held of an unfinished event. */
  readonly heldMax: number;
}

export class PendingCheck implements ReplayObserver {
  readonly #level: Level;
  /** K in bytes, or null where the protocol promises no bound. */
  readonly #bound: number | null;
  /** Prefixes by pending value (exact) or bucket. Bounded, whatever the length of the stream. */
  readonly #counts = new Map<number, number>();
  #last = 0;
  #run = 0;
  #max = 0;
  #sum = 0;
  #prefixes = 0;
  #heldMax = 0;
  #violations = 0;
  #first: Counterexample | null = null;

  constructor(level: Level, bound: number | null) {
    this.#level = level;
    this.#bound = bound;
  }

  step(step: ReplayStep): void {
    const pending = step.quiet ? this.#last : step.frontier.pending;
    if (pending !== this.#last) this.#flush(pending);
    this.#run++;
    if (step.held > this.#heldMax) this.#heldMax = step.held;
    if (this.#bound !== null && pending > this.#bound) this.#violation(step, pending);
  }

  figures(): PendingFigures {
    this.#flush(this.#last);
    const mean = this.#prefixes === 0 ? 0 : this.#sum / this.#prefixes;
    return { max: this.#max, mean, p95: this.#percentile(0.95), heldMax: this.#heldMax };
  }

  verdict(): Verdict {
    this.#flush(this.#last);
    if (this.#bound === null) return notApplicable('K', 'the protocol promises no bound');
    return this.#first === null ? holds('K', this.#prefixes) : violated('K', this.#violations, this.#first);
  }

  #flush(next: number): void {
    if (this.#run > 0) {
      const bucket = bucketOf(this.#last);
      this.#counts.set(bucket, (this.#counts.get(bucket) ?? 0) + this.#run);
      this.#sum += this.#last * this.#run;
      this.#prefixes += this.#run;
      if (this.#last > this.#max) this.#max = this.#last;
      this.#run = 0;
    }
    this.#last = next;
  }

  #percentile(share: number): number {
    const rank = Math.ceil(share * this.#prefixes);
    let seen = 0;
    for (const bucket of [...this.#counts.keys()].sort((a, b) => a - b)) {
      seen += this.#counts.get(bucket) ?? 0;
      if (seen >= rank) return Math.min(bucket, this.#max);
    }
    return 0;
  }

  #violation(step: ReplayStep, pending: number): void {
    this.#violations++;
    this.#first ??= {
      level: this.#level,
      prefix: step.prefix,
      what: `${pending} bytes are pending, K is ${this.#bound}`,
    };
  }
}

/** The value itself, or the largest value of its bucket. */
function bucketOf(value: number): number {
  if (value < EXACT) return value;
  const width = 2 ** Math.floor(Math.log2(value)) / BUCKETS_AN_OCTAVE;
  return Math.floor(value / width) * width + width - 1;
}
