/** When a chunk came and what it answers, by the fields of a log line. A number whose unit nobody can know is no time. */
import type { Fields } from '../stream/json-fields.ts';
import type { ChunkTime } from './chunk.ts';
import { zonedTime } from './zoned-time.ts';

const RELATIVE = ['elapsed_ms', 'elapsedMs', 'offset_ms', 'offsetMs', 't_ms', 'ms'] as const;
const POINTS = [
  ...['timestamp', 'ts', 'time', 't', 'at', 'received_at', 'receivedAt', 'timestamp_ms', 'timestampMs', 'time_ms'],
] as const;
const STARTS = [
  'started_at',
  'startedAt',
  'requested_at',
  'requestedAt',
  'request_time',
  'requestTime',
  'start',
] as const;

/** Epoch times of this century, in ms and in seconds; no time since a request comes near. */
const LEAST_MS = 9e11;
const LEAST_SECONDS = 9e8;

const ISO = /^\d{4}-\d\d-\d\d[T ]/;

export function chunkTime(line: Fields): ChunkTime | null {
  for (const name of RELATIVE) {
    const value = line[name];
    if (typeof value === 'number' && value >= 0) {
      return value >= LEAST_MS ? { ms: value, since: 'epoch' } : { ms: value, since: 'request' };
    }
  }
  const point = pointOf(line, POINTS);
  return point === null ? null : { ms: point, since: 'epoch' };
}

/** Names of the id that a log gives a request or its answer; a trace or session may hold several. */
const REQUEST_IDS = [
  ...['request_id', 'requestId', 'response_id', 'responseId', 'stream_id', 'streamId'],
  ...['completion_id', 'completionId', 'generation_id', 'generationId'],
] as const;

/** The ids of the request that a chunk answers, by their names. */
export function chunkRequests(line: Fields): ReadonlyMap<string, string> {
  const ids = REQUEST_IDS.map((name) => [name, line[name]] as const);
  return new Map(
    ids
      .filter(([, id]) => (typeof id === 'string' && id !== '') || typeof id === 'number')
      .map(([name, id]) => [name, `${id}`]),
  );
}

/** When the request was made, in ms since 1970, or null. */
export function requestTime(record: Fields): number | null {
  return pointOf(record, STARTS);
}

function pointOf(line: Fields, names: readonly string[]): number | null {
  for (const name of names) {
    const ms = epochMs(line[name]);
    if (ms !== null) return ms;
  }
  return null;
}

function epochMs(value: unknown): number | null {
  if (typeof value === 'number') {
    if (value >= LEAST_MS) return value;
    return value >= LEAST_SECONDS && value < LEAST_SECONDS * 10 ? value * 1000 : null;
  }
  return typeof value === 'string' && ISO.test(value) ? zonedTime(value) : null;
}
