/** The limits that a stream is read under, whoever asks: those of parser and SSE decoder, with the defaults filled in. */
import { DEFAULT_OPTIONS, type ParserOptions } from '../parsers/parser.ts';
import type { RecordingLimits } from './recording.ts';

export interface Limits {
  readonly parser: ParserOptions;
  /** Most bytes of one SSE event, if not the default. */
  readonly eventLimit?: number;
}

export function limitsOf({ eventLimit, ...limits }: RecordingLimits = {}): Limits {
  return { parser: { ...DEFAULT_OPTIONS, ...limits }, ...(eventLimit === undefined ? {} : { eventLimit }) };
}
