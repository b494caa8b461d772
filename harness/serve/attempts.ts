/**
 * How often each turn of each conversation has been asked for: the only state that the server keeps between requests.
 */

/** Conversations that are remembered; the one asked for longest ago is forgotten first. */
const MOST_KEPT = 10_000;

export class Attempts {
  readonly #counts = new Map<string, number>();

  /** Counts one more and returns how many there have been, from 1. */
  next(turnKey: string): number {
    const attempt = (this.#counts.get(turnKey) ?? 0) + 1;
    this.#counts.delete(turnKey);
    this.#counts.set(turnKey, attempt);
    const [oldest] = this.#counts.keys();
    if (this.#counts.size > MOST_KEPT && oldest !== undefined) this.#counts.delete(oldest);
    return attempt;
  }
}
