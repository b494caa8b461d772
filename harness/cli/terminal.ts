/** Where a command reads and writes: the process, or a test. */
import { EXIT } from './exit-code.ts';

export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** Standard input. */
  readonly input: AsyncIterable<Uint8Array>;
  /** Width of the output in characters. */
  readonly columns: number;
  readonly colour: boolean;
}

/** Width where the output is no terminal. */
const DEFAULT_COLUMNS = 100;

export function processTerminal(): Terminal {
  const noColour = process.env['NO_COLOR'];
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    input: process.stdin,
    columns: process.stdout.columns ?? DEFAULT_COLUMNS,
    colour: process.stdout.isTTY === true && (noColour === undefined || noColour === ''),
  };
}

let whenClosed = (): void => process.exit(EXIT.ok);

/** Output that nobody reads any more (`cst … | head`) is no error. */
export function leaveQuietly(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    whenClosed();
  });
}

/** For a command that has more to do than to print: what happens, perhaps several times, instead of its end. */
export function whenOutputCloses(action: () => void): void {
  whenClosed = action;
}
