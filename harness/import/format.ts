/** What a reader of one format is. */
import type * as z from 'zod';
import { RecordingError } from '../replay/recording-error.ts';
import type { Found } from './exchange.ts';

export const FORMATS = ['vcrpy', 'ruby-vcr', 'go-vcr', 'polly', 'nock', 'har', 'ai-sdk-chunks', 'jsonl'] as const;
export type FormatName = (typeof FORMATS)[number];

/** A format whose files are one YAML or JSON document. */
export interface TreeFormat {
  readonly name: FormatName;
  /** In a sentence: `a vcrpy cassette`. */
  readonly of: string;
  matches(value: unknown): boolean;
  read(value: unknown): Iterable<Found>;
}

/** A file that is none of the formats: no fault of a file that was only found in a folder. */
export class UnknownFormat extends RecordingError {}

/** The first thing that is wrong with a part of a file, with its place: `response.status.code: expected number`. */
export function issueText(error: z.ZodError): string {
  const issue = error.issues[0];
  const where = issue?.path.map(String).join('.') ?? '';
  const what = (issue?.message ?? 'not in the form of the format').replace(/^Invalid input: /, '');
  return where === '' ? what : `${where}: ${what}`;
}
