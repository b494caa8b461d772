/** A check as a row of steps: one line each, and the first that fails ends it with all that can be said of it. */
import type { Ran } from './run.ts';

/** A step that failed: the message is for the user. */
export class StepError extends Error {
  override readonly name = 'StepError';
}

export class Steps {
  readonly #say: (line: string) => void;
  #count = 0;

  /** @param say takes a line without its line end. */
  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  /** Steps that passed. */
  get count(): number {
    return this.#count;
  }

  /** Runs a step; what it returns is given on. Throws a `StepError` that begins with the step's name. */
  async step<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    try {
      const result = await work();
      this.#count++;
      this.#say(`ok  ${name}`);
      return result;
    } catch (error) {
      if (!(error instanceof StepError)) throw error;
      throw new StepError(`FAILED  ${name}\n${error.message}`);
    }
  }

  note(line: string): void {
    this.#say(`    ${line}`);
  }
}

/** Fails the step, with the program's whole output, unless it ended with `code`. */
export function expectCode(ran: Ran, code: number): Ran {
  if (ran.code === code) return ran;
  throw new StepError(`${ran.command}\nexit code ${ran.code}, expected ${code}\n${ran.out}${ran.err}`.trimEnd());
}

/** Fails the step unless both are the same text. */
export function expectSame(what: string, actual: string, expected: string): void {
  if (actual === expected) return;
  throw new StepError(`${what} is\n${actual}\nand should be\n${expected}`);
}

/** Fails the step unless the text has the part. */
export function expectPart(what: string, text: string, part: string): void {
  if (text.includes(part)) return;
  throw new StepError(`${what} lacks ${JSON.stringify(part)}:\n${text}`);
}
