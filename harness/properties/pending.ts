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
  /** Prefixes by pending value, up to EXACT; grows with the values seen. */
  #exact = new Uint32Array(64);
  /** Prefixes by bucket, above. Both are bounded, whatever the length of the stream. */
  readonly #buckets = new Map<number, number>();
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
    const { pending } = step.frontier;
    if (pending !== this.#last) this.#flush(pending);
    this.#run++;
    this.#heldMax = step.heldMost;
    if (this.#bound !== null && pending > this.#bound) this.#violation(step, pending);
  }

  /** The pending bytes of the step before stay for `count` further prefixes. */
  quiet(count: number): void {
    this.#run += count;
    if (this.#bound !== null && this.#last > this.#bound) this.#violations += count;
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
      this.#count(this.#last, this.#run);
      this.#sum += this.#last * this.#run;
      this.#prefixes += this.#run;
      if (this.#last > this.#max) this.#max = this.#last;
      this.#run = 0;
    }
    this.#last = next;
  }

  #count(value: number, prefixes: number): void {
    if (value >= EXACT) {
      const bucket = bucketOf(value);
      this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + prefixes);
      return;
    }
    if (value >= this.#exact.length) {
      const larger = new Uint32Array(Math.min(EXACT, 2 ** Math.ceil(Math.log2(value + 1))));
      larger.set(this.#exact);
      this.#exact = larger;
    }
    this.#exact[value] = (this.#exact[value] ?? 0) + prefixes;
  }

  #percentile(share: number): number {
    const rank = Math.ceil(share * this.#prefixes);
    let seen = 0;
    for (const [value, prefixes] of this.#exact.entries()) {
      seen += prefixes;
      if (prefixes > 0 && seen >= rank) return value;
    }
    for (const bucket of [...this.#buckets.keys()].sort((a, b) => a - b)) {
      seen += this.#buckets.get(bucket) ?? 0;
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

/** The largest value of the bucket that a value from EXACT on falls in. */
function bucketOf(value: number): number {
  const width = 2 ** Math.floor(Math.log2(value)) / BUCKETS_AN_OCTAVE;
  return Math.floor(value / width) * width + width - 1;
}
