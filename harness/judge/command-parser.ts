/** A parser that is a command: any language, any runtime (docs/own-parser.md "A command"). */
import type { Protocol } from '../parsers/protocols.ts';
import { type JudgedParser, ParserUnusable } from './judged-parser.ts';
import { openLineParser } from './line-parser.ts';
import { ProcessFailure } from './line-process.ts';
import type { Effort } from './line-trial.ts';
import { BadAnswer } from './reported.ts';

export interface CommandOptions {
  /** Goes before what the command says. */
  readonly protocol: Protocol | undefined;
  /** For one answer, in ms. */
  readonly timeout: number;
  readonly onStderr: (text: string) => void;
}

/** A million questions take minutes. */
const EFFORT: Effort = { byteBudget: 16 * 1024, oneByOne: 64 * 1024 };

/** @throws ParserUnusable if the command does not start, or does not say that it is ready. */
export async function openCommand(command: string, options: CommandOptions): Promise<JudgedParser> {
  try {
    const called = { what: 'the command', saying: 'the parser says: ', name: command };
    const { timeout: startTimeout } = options;
    return await openLineParser({ ...options, ...called, program: { command }, startTimeout, effort: EFFORT });
  } catch (error) {
    if (!(error instanceof ProcessFailure || error instanceof BadAnswer)) throw error;
    throw new ParserUnusable(
      `${command}: ${error.message} (wanted: a line {"type":"ready","version":1,…}, then answers)`,
    );
  }
}
