/** The records of a session, in memory and in its log: a record counts when the log has it. */
import { conversationParts, RecordedAnswer, UNKNOWN_OUTPUT } from './conversation.ts';
import { interruptedFeedback } from './feedback.ts';
import { KeyMask } from './key-mask.ts';
import type { CallRecord, SessionRecord } from './session-record.ts';

export interface SessionLog {
  /** Resolves when the record is where a crash of this process cannot take it away. */
  append(record: SessionRecord): Promise<void>;
}

/** A run without a session file: its records are in memory only. */
export const NO_LOG: SessionLog = { append: async () => undefined };

const NO_KEYS = new KeyMask([]);

export class Transcript {
  readonly #log: SessionLog;
  readonly #records: SessionRecord[];
  readonly #ids: Set<string>;
  readonly #mask: KeyMask;

  /** @param records what the log holds already; `mask`: keys stand in no record, and so in no message to the model */
  constructor(log: SessionLog, records: readonly SessionRecord[] = [], mask: KeyMask = NO_KEYS) {
    this.#log = log;
    this.#mask = mask;
    this.#records = records.map((record) => mask.value(record));
    this.#ids = new Set(records.flatMap((record) => (record.type === 'call' ? [record.id] : [])));
  }

  get records(): readonly SessionRecord[] {
    return this.#records;
  }

  /** Number of the answer that comes next. */
  get nextAnswer(): number {
    return 1 + this.#records.reduce((most, record) => ('answer' in record ? Math.max(most, record.answer) : most), 0);
  }

  async append(given: SessionRecord): Promise<void> {
    const record = this.#mask.value(given);
    await this.#log.append(record);
    this.#records.push(record);
    if (record.type === 'call') this.#ids.add(record.id);
  }

  /** The id, with a suffix if a call of the session has it already (streams.md; `cst parse` shows the same suffixes). */
  freeId(given: string): string {
    const id = this.#mask.text(given);
    if (!this.#ids.has(id)) return id;
    let suffix = 2;
    while (this.#ids.has(`${id}_${suffix}`)) suffix++;
    return `${id}_${suffix}`;
  }

  /**
   * Ends the answer that a crash has left open: its calls without a result become `unknown`, and are not run again.
   * @returns these calls; null if no answer was open
   */
  async closeInterrupted(): Promise<readonly CallRecord[] | null> {
    const last = conversationParts(this.#records).at(-1);
    if (!(last instanceof RecordedAnswer) || last.over) return null;
    const answer = this.nextAnswer - 1;
    const unknown = last.calls.filter((call) => last.outcomeOf(call) === undefined);
    // Also those of which an interrupted resumption has said so already.
    const open = last.calls.filter((call) => isUnknown(last, call));
    for (const { id } of unknown) {
      await this.append({ type: 'result', answer, id, exit: 'unknown', output: UNKNOWN_OUTPUT });
    }
    const feedback = interruptedFeedback({ calls: last.calls.filter((call) => !isUnknown(last, call)) }, open);
    await this.append({ type: 'stop', answer, reason: 'interrupted', feedback });
    return unknown;
  }

  /** The model has had the last word: there is nothing to go on with but a new task. */
  get isFinished(): boolean {
    const last = this.#records.at(-1);
    if (last === undefined) return true;
    const part = conversationParts(this.#records).at(-1);
    const isAnswered = part instanceof RecordedAnswer && part.calls.length === 0;
    return isAnswered && last.type === 'stop' && last.reason === 'complete';
  }
}

function isUnknown(answer: RecordedAnswer, call: CallRecord): boolean {
  const outcome = answer.outcomeOf(call);
  return outcome === undefined || outcome.exit === 'unknown';
}
