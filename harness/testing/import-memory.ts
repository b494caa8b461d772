/** For tests: imports the bytes of a file as `cst import` does, into memory. */
import type { Exchange } from '../import/exchange.ts';
import type { FormatName } from '../import/format.ts';
import { readExchanges } from '../import/read-file.ts';
import { type ImportedExchange, recordingOf } from '../import/recording-of.ts';

export interface ImportedFile {
  readonly format: FormatName;
  /** By the place in the file: the recording, the reason, or what is malformed. */
  readonly results: ReadonlyMap<string, ImportedExchange | { readonly malformed: string }>;
  readonly exchanges: readonly Exchange[];
}

export function importBytes(bytes: Uint8Array | string, file: string, redact = true): ImportedFile {
  const { format, found, of } = readExchanges(Buffer.from(bytes), file, 'auto');
  const all = [...found];
  const results = all.map((one): [string, ImportedExchange | { readonly malformed: string }] => {
    if ('malformed' in one) return [one.place, { malformed: one.malformed }];
    const from = `${of} (${file}, ${one.place})`;
    return [one.place, recordingOf(one, { task: 'task', from, wire: null, redact })];
  });
  return { format, results: new Map(results), exchanges: all.filter((one) => 'body' in one) };
}

/** The bytes of each recording, or the reason, in order of the file. */
export function bytesOrReasons(file: ImportedFile): readonly (string | Uint8Array)[] {
  return [...file.results.values()].map((result) => {
    if ('malformed' in result) return result.malformed;
    return 'recording' in result ? Buffer.from(result.recording.bytes) : result.reason;
  });
}
