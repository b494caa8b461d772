/** What happens in a run, as it happens: for a view, or as JSON lines. No time is in it. */
import type { ContractError } from '../parsers/contract-error.ts';

export type AgentEvent =
  /**
   * A session is gone on with. `torn`: bytes of a last line that was not whole; `unknown`: calls that had no result;
   * `cwd`: its project folder, where that is no more and the run has another.
   */
  | {
      readonly type: 'resumed';
      readonly records: number;
      readonly torn: number;
      readonly interrupted: boolean;
      readonly unknown: readonly string[];
      readonly cwd?: string;
    }
  /** A request goes out for the answer of this number. */
  | { readonly type: 'request'; readonly answer: number }
  /** A request was refused or lost before any byte of an answer came; it is sent again after `wait` ms. */
  | {
      readonly type: 'retry';
      readonly attempt: number;
      readonly of: number;
      readonly problem: string;
      readonly wait: number;
    }
  | AnswerEvent
  /** A call is executable, is recorded, and is now run or refused. `arguments`: the source of one JSON object. */
  | {
      readonly type: 'call';
      readonly id: string;
      /** The id that the model gave, where it had to be changed. */
      readonly givenId?: string;
      readonly name: string;
      readonly arguments: string;
    }
  /** `output`: as the model is shown it. */
  | { readonly type: 'result'; readonly id: string; readonly exit: number; readonly output: string }
  | { readonly type: 'refusal'; readonly id: string; readonly exit: number; readonly reason: string }
  | { readonly type: 'tool_parse_error'; readonly error: ContractError; readonly feedback: string }
  /** The answer is over, and no contract error ended it. */
  | { readonly type: 'stop'; readonly reason: string; readonly detail?: string }
  | { readonly type: 'done'; readonly outcome: AgentOutcome };

/** What is confirmed of an answer while it arrives. */
export type AnswerEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'call-open'; readonly ordinal: number; readonly id: string; readonly name: string }
  /** `bytes` of an argument have arrived so far; a native call's arguments have no key. */
  | {
      readonly type: 'argument';
      readonly ordinal: number;
      readonly key?: string;
      readonly bytes: number;
      readonly declared?: number;
    };

/** How a run ended. */
export type AgentOutcome =
  /** The model answered without a call. */
  | { readonly type: 'finished' }
  | { readonly type: 'cancelled' }
  /** Too many answers in a row that were cut or could not be read; `problem` is that of the last. */
  | { readonly type: 'gave-up'; readonly answers: number; readonly problem: string }
  | { readonly type: 'turn-limit'; readonly turns: number }
  | { readonly type: 'model-failed'; readonly problem: string }
  /** The session cannot be read or written; what ran since its last record is not recorded. */
  | { readonly type: 'session-failed'; readonly problem: string };
