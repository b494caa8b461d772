/** What the user can do while an agent runs: cancel it, and answer its questions with a key. */

import type { Asker, PermissionAnswer } from '../agent/permission.ts';
import { EXIT } from './exit-code.ts';

/** Standard input, as far as keys need it. */
export interface KeyInput {
  readonly isTTY?: boolean;
  setRawMode?(on: boolean): unknown;
  on(event: 'data', listener: (bytes: Uint8Array) => void): unknown;
  off(event: 'data', listener: (bytes: Uint8Array) => void): unknown;
  resume(): unknown;
  pause(): unknown;
}

/** Signals of this process, and its end at once. */
export interface SignalSource {
  on(signal: CancelSignal, listener: () => void): unknown;
  off(signal: CancelSignal, listener: () => void): unknown;
  exit(code: number): unknown;
}

const CANCEL_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
type CancelSignal = (typeof CANCEL_SIGNALS)[number];

/** Esc that begins no control sequence: `ESC [ A` and `ESC O P` are keys. */
const ESC_KEY = new RegExp(`${String.fromCharCode(0x1b)}(?![[O])`);
const CTRL_C = '\u0003';
const ANSWERS: { readonly [key: string]: PermissionAnswer } = { y: 'yes', n: 'no', a: 'always' };

export interface ControlsOptions {
  readonly input: KeyInput;
  readonly signals: SignalSource;
  /** Shows a question without a line end, and what it was answered with. */
  readonly show: (text: string) => void;
  /** A question in one line. */
  readonly question: (asked: Parameters<Asker>[0]) => string;
}

/**
 * Esc, Ctrl-C and the usual signals cancel; a second Ctrl-C or signal ends the process as soon as no file is being written. On a terminal the keys are
 * taken as they are typed (raw mode) until `release`.
 */
export class AgentControls {
  readonly #options: ControlsOptions;
  readonly #controller = new AbortController();
  readonly #isInteractive: boolean;
  readonly #writing = new Set<Promise<unknown>>();
  #answer: ((answer: PermissionAnswer) => void) | null = null;
  readonly #onKeys = (bytes: Uint8Array): void => this.#keys(Buffer.from(bytes).toString('utf8'));
  readonly #onSignal = (): void => this.#interrupt();

  constructor(options: ControlsOptions) {
    this.#options = options;
    const { input, signals } = options;
    this.#isInteractive = input.isTTY === true && input.setRawMode !== undefined;
    for (const signal of CANCEL_SIGNALS) signals.on(signal, this.#onSignal);
    if (!this.#isInteractive) return;
    input.setRawMode?.(true);
    input.on('data', this.#onKeys);
    input.resume();
  }

  /** Aborted when the user cancels. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Waits for one of `y`, `n`, `a`. Keys that were typed before the question do not count. */
  readonly ask: Asker = async (asked) => {
    const { show, question } = this.#options;
    show(`${question(asked)} [y]es, [n]o, [a]lways ${asked.tool.name}? `);
    const answer = await new Promise<PermissionAnswer | null>((resolve) => {
      this.#answer = resolve;
      asked.signal.addEventListener('abort', () => resolve(null), { once: true });
    });
    this.#answer = null;
    show(`${answer ?? 'cancelled'}\n`);
    return answer ?? 'no';
  };

  /** The terminal is as it was, and signals do what they did. */
  release(): void {
    const { input, signals } = this.#options;
    for (const signal of CANCEL_SIGNALS) signals.off(signal, this.#onSignal);
    if (!this.#isInteractive) return;
    input.off('data', this.#onKeys);
    input.setRawMode?.(false);
    input.pause();
  }

  /** What was typed or pasted at once. An escape sequence (an arrow key, Alt and a key of its own) is no Esc. */
  #keys(typed: string): void {
    if (ESC_KEY.test(typed)) this.#controller.abort();
    else if (typed.includes(CTRL_C)) this.#interrupt();
    else {
      const answer = ANSWERS[typed.toLowerCase()];
      if (answer !== undefined) this.#answer?.(answer);
    }
  }

  /** As Esc does. */
  cancel(): void {
    this.#controller.abort();
  }

  /** A write or a patch under way: a second interrupt waits until it has landed or is put back. Never rejects. */
  readonly whole = (work: Promise<unknown>): void => {
    const over = work.then(
      () => void this.#writing.delete(over),
      () => void this.#writing.delete(over),
    );
    this.#writing.add(over);
  };

  #interrupt(): void {
    if (!this.#controller.signal.aborted) this.#controller.abort();
    else if (this.#writing.size === 0) this.#exit();
    else void Promise.all(this.#writing).then(() => this.#exit());
  }

  #exit(): void {
    this.#options.signals.exit(EXIT.cancelled);
  }
}

/** The signals of this process. Its end ends the process groups of running tools, too. */
export function processSignals(): SignalSource {
  return {
    on: (signal, listener) => process.on(signal, listener),
    off: (signal, listener) => process.off(signal, listener),
    exit: (code) => process.exit(code),
  };
}
