/** Carries out a plan: asks, looks for secrets, and writes what came into the suite. */
import pLimit from 'p-limit';
import type { NewRecording, SuiteWriter } from '../replay/suite-writer.ts';
import type { ReceivedAnswer } from './attempt.ts';
import { stringifyExact } from './exact-json.ts';
import type { Job } from './plan.ts';
import { clearBody, entryProblem, errorNote, maskedNote, type SecretRules } from './secret-check.ts';
import type { Retry, Sender } from './sender.ts';

/** How a stored answer ends: `cut` by the connection, or in an `error` that the provider reports in it. */
export type AnswerEnd = 'whole' | 'cut' | 'error';

/** What became of a job. */
export type Outcome =
  | StoredOutcome
  /** No answer that could be stored. */
  | { readonly kind: 'failed'; readonly problem: string }
  /** An answer that was not stored for what it holds. */
  | { readonly kind: 'refused'; readonly problem: string }
  /** It was not asked for, or not to the end. */
  | { readonly kind: 'left'; readonly problem: string | null };

export interface StoredOutcome {
  readonly kind: 'stored';
  readonly file: string;
  readonly bytes: number;
  readonly end: AnswerEnd;
  readonly note: string | null;
}

export interface RecordObserver {
  retry?(job: Job, retry: Retry): void;
  /** Once for every job. */
  ended?(job: Job, outcome: Outcome): void;
}

export interface RecordOptions {
  readonly writer: Pick<SuiteWriter, 'add'>;
  readonly sender: Sender;
  readonly secrets: SecretRules;
  readonly concurrency: number;
  /** Aborted: what runs is ended and not stored. */
  readonly signal: AbortSignal;
  readonly observer?: RecordObserver;
}

/** Rejects if the suite cannot be written. */
export async function record(jobs: readonly Job[], options: RecordOptions): Promise<readonly Outcome[]> {
  const { signal, observer = {}, concurrency } = options;
  const limit = pLimit(concurrency);
  const stop: Stop = { reason: null, error: null };
  const run = async (job: Job): Promise<Outcome> => {
    if (signal.aborted || stop.reason !== null || stop.error !== null) return { kind: 'left', problem: stop.reason };
    try {
      return await one(job, options, stop);
    } catch (error) {
      // Others may be at work: all of them end before the run does. What cannot be written is told, interrupted or not.
      if (!isAbort(error, signal)) stop.error ??= { cause: error };
      return { kind: 'left', problem: null };
    }
  };
  const outcomes = await Promise.all(
    jobs.map((job) =>
      limit(async () => {
        const outcome = await run(job);
        observer.ended?.(job, outcome);
        return outcome;
      }),
    ),
  );
  if (stop.error !== null) throw stop.error.cause;
  return outcomes;
}

/** Timers of Node reject with an error of their own. */
function isAbort(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted && (error === signal.reason || (error instanceof Error && error.name === 'AbortError'));
}

/** Why no further request is sent. */
interface Stop {
  reason: string | null;
  error: { readonly cause: unknown } | null;
}

async function one(job: Job, options: RecordOptions, stop: Stop): Promise<Outcome> {
  const { sender, observer = {}, writer, secrets } = options;
  const sent = await sender.send(stringifyExact(job.body), job.file, (retry) => observer.retry?.(job, retry));
  if ('problem' in sent) {
    if (sent.forAll === true) stop.reason = sent.problem;
    return { kind: 'failed', problem: sent.problem };
  }
  const cleared = clearBody(sent.bytes, sent.wire, secrets);
  if ('problem' in cleared) return { kind: 'refused', problem: cleared.problem };
  const note = noteOf(sent, cleared.masked);
  const recording = newRecording(job, { ...sent, bytes: cleared.value }, note);
  const problem = entryProblem(recording.entry, secrets);
  if (problem !== null) return { kind: 'refused', problem };
  const file = await writer.add(recording);
  return { kind: 'stored', file, bytes: cleared.value.length, end: endOf(sent), note };
}

function newRecording(job: Job, { bytes, times, at, wire }: ReceivedAnswer, note: string | null): NewRecording {
  const { task, protocol, model, run, provider, request, number } = job;
  return {
    entry: {
      ...{ task, protocol, wire, provider, model, recordedAt: at.toISOString() },
      ...{ request, source: 'recorded', run },
      ...(note !== null && { note }),
    },
    bytes,
    times,
    number,
  };
}

function endOf({ cut, error }: ReceivedAnswer): AnswerEnd {
  if (error !== null) return 'error';
  return cut === null ? 'whole' : 'cut';
}

/** What is to be known of a recording that is not simply the answer as it came. */
function noteOf({ bytes, cut, error }: ReceivedAnswer, masked: number): string | null {
  const parts = [
    ...(cut === null ? [] : [`The stream broke off after ${bytes.length} bytes: ${cut}.`]),
    ...errorNote(error),
    ...maskedNote(masked),
  ];
  return parts.length === 0 ? null : parts.join(' ');
}
