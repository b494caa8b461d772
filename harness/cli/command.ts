import type { Terminal } from './terminal.ts';

/** A command that was chosen on the command line: it runs when the whole line has been understood. */
export type Choose = (run: (terminal: Terminal) => Promise<number>) => void;
