/** Signals that end a long command in good order. */

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * The first signal aborts; those that follow change nothing: on a terminal, Ctrl-C reaches a process and what started it,
 * and that one may pass it on.
 */
export class Interrupt {
  readonly #controller = new AbortController();
  readonly #onSignal = (): void => this.#controller.abort();

  constructor() {
    for (const name of SIGNALS) process.on(name, this.#onSignal);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Signals do again what they did. */
  release(): void {
    for (const name of SIGNALS) process.off(name, this.#onSignal);
  }
}
