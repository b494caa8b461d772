/**
 * Arrival times of the chunks of a recorded stream: `<same name>.times.csv` (recordings.md). A head line `ms,bytes`,
 * then one row a chunk: milliseconds since the request, and bytes received so far.
 */
import { RecordingError } from './recording-error.ts';

export interface Arrival {
  /** Milliseconds since the request; never falls. */
  readonly ms: number;
  /** Bytes received so far, this chunk included; grows with every row. */
  readonly bytes: number;
}

const HEAD = 'ms,bytes';
const ROW = /^([0-9]+(?:\.[0-9]+)?),([0-9]+)$/;

export function formatTimes(arrivals: readonly Arrival[]): string {
  return [HEAD, ...arrivals.map(({ ms, bytes }) => `${ms},${bytes}`)].map((line) => `${line}\n`).join('');
}

/** Reads a file of arrival times for a recording of `size` bytes. Throws `RecordingError` with the row at fault. */
export function parseTimes(text: string, source: { readonly file: string; readonly size: number }): readonly Arrival[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  if (lines[0] !== HEAD) throw fault(source.file, 1, `expected the head ${HEAD}`);
  const arrivals: Arrival[] = [];
  for (const [at, line] of lines.slice(1).entries()) {
    const match = ROW.exec(line);
    if (match === null) throw fault(source.file, at + 2, 'expected <milliseconds>,<bytes so far>');
    const arrival = { ms: Number(match[1]), bytes: Number(match[2]) };
    const before = arrivals.at(-1) ?? { ms: 0, bytes: 0 };
    if (arrival.ms < before.ms) throw fault(source.file, at + 2, 'the time runs backwards');
    if (arrival.bytes <= before.bytes) throw fault(source.file, at + 2, 'the bytes so far do not grow');
    arrivals.push(arrival);
  }
  const total = arrivals.at(-1)?.bytes ?? 0;
  if (total !== source.size)
    throw fault(source.file, lines.length, `${total} bytes, but the recording has ${source.size}`);
  return arrivals;
}

function fault(file: string, row: number, what: string): RecordingError {
  return new RecordingError({
    file,
    field: `line ${row}`,
    what,
    advice: 'Record the stream again, or remove the file',
  });
}
