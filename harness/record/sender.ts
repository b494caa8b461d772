/** Requests that are tried again where that can help, and no sooner than the server wants. */
import { seededDraw } from '../replay/seeded.ts';
import { type AttemptOptions, attempt, type FailedAttempt, type ReceivedAnswer } from './attempt.ts';

const FIRST_WAIT = 500;
const LONGEST_WAIT = 60_000;
/** A server that wants to be left alone for longer is not waited for. ms */
const LONGEST_RETRY_AFTER = 600_000;
/** Requests that wait for the same moment do not all come at it. ms */
const SPREAD = 250;

export interface Retry {
  /** The attempt to come, from 2. */
  readonly attempt: number;
  readonly of: number;
  readonly problem: string;
  /** ms until then. */
  readonly wait: number;
}

export interface SenderOptions extends AttemptOptions {
  /** Further attempts at one request. */
  readonly retries: number;
}

export class Sender {
  readonly #options: SenderOptions;
  /** Nobody asks before: a limit of rate is of the key, not of one request. The clock's ms. */
  #notBefore = 0;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /**
   * Rejects only when the signal is aborted.
   * @param label names the draws of its waits
   */
  async send(body: string, label: string, onRetry: (retry: Retry) => void): Promise<ReceivedAnswer | FailedAttempt> {
    const { retries, clock, signal } = this.#options;
    const draw = seededDraw(label);
    for (let number = 1; ; number++) {
      await this.#turn();
      const outcome = await attempt(body, this.#options);
      if (!('problem' in outcome)) return outcome;
      const { problem, again, wait: wanted } = outcome;
      if (!again || number > retries) return outcome;
      if (wanted !== undefined && wanted > LONGEST_RETRY_AFTER) {
        return { ...outcome, problem: `${problem}; it wants to be asked again after ${Math.ceil(wanted / 1000)} s` };
      }
      if (wanted !== undefined) this.#notBefore = Math.max(this.#notBefore, clock.now() + wanted);
      const usual = Math.min(FIRST_WAIT * 2 ** (number - 1), LONGEST_WAIT);
      const wait = wanted === undefined ? usual / 2 + draw(usual / 2) : wanted + draw(SPREAD);
      onRetry({ attempt: number + 1, of: retries + 1, problem, wait });
      await clock.sleep(wait, signal);
    }
  }

  /** Waits until the server may be asked. */
  async #turn(): Promise<void> {
    const { clock, signal } = this.#options;
    for (let left = this.#notBefore - clock.now(); left > 0; left = this.#notBefore - clock.now()) {
      await clock.sleep(left, signal);
    }
    signal.throwIfAborted();
  }
}
