/**
 * The agent's loop (runtime.md): ask the model, read its answer, run what it calls, tell it the results, until it answers
 * with text alone. The same for all protocols; what differs is in `protocol.ts`.
 *
 * Order on which everything rests: the record of a call is in the session before its tool starts, the record of its
 * result before the next byte of the answer is parsed.
 */
import { argumentMembers, membersAsJson } from '../parsers/call.ts';
import type { ToolCall } from '../parsers/parser.ts';
import type { AgentEvent, AgentOutcome } from './agent-event.ts';
import { type Answer, type AnswerEnd, readAnswer } from './answer.ts';
import { chatMessages } from './conversation.ts';
import { cancelledFeedback, contractErrorFeedback, cutFeedback, describeCut } from './feedback.ts';
import { type Model, type ModelAnswer, ModelError } from './model-client.ts';
import { type AgentProtocol, PROTOCOL_RULES, type ProtocolRules } from './protocol.ts';
import { recordedArguments, type SessionRecord } from './session-record.ts';
import type { NativeTool } from './tools/registry.ts';
import type { Transcript } from './transcript.ts';

export interface AgentOptions {
  readonly protocol: AgentProtocol;
  /** The system prompt. */
  readonly system: string;
  /** For `tools[]`; text protocols do not send them. */
  readonly tools: readonly NativeTool[];
  /** Most answers in this run. */
  readonly maxTurns: number;
  /** Most answers in a row that may be cut or leave the contract, beyond the first. */
  readonly retries: number;
  /** Cancels the run: the running tool is ended, nothing is withdrawn. */
  readonly signal: AbortSignal;
}

export interface AgentDependencies {
  readonly model: Model;
  /** Begins with the user's task, or with what was recorded before. */
  readonly transcript: Transcript;
  readonly execute: CallExecutor;
  readonly emit: (event: AgentEvent) => void;
}

/** Runs a call, or refuses it; never rejects for what a call does. A cancelled call has exit 130. */
export type CallExecutor = (call: ToolCall, signal: AbortSignal) => Promise<CallOutcome>;

export type CallOutcome =
  /** `output`: as the model is shown it, cut to the cap. */
  | { readonly type: 'result'; readonly exit: number; readonly output: string }
  | { readonly type: 'refusal'; readonly exit: number; readonly reason: string };

/** Runs until there is nothing more to do. Rejects only if a record cannot be written, or for a bug. */
export async function runAgent(options: AgentOptions, dependencies: AgentDependencies): Promise<AgentOutcome> {
  const outcome = await turns(options, dependencies);
  dependencies.emit({ type: 'done', outcome });
  return outcome;
}

async function turns(options: AgentOptions, dependencies: AgentDependencies): Promise<AgentOutcome> {
  let failed = 0;
  for (let turn = 1; turn <= options.maxTurns; turn++) {
    if (options.signal.aborted) return { type: 'cancelled' };
    const end = await new Turn(options, dependencies).run();
    if (end.type === 'finished' || end.type === 'cancelled' || end.type === 'model-failed') return end;
    failed = end.type === 'failed' ? failed + 1 : 0;
    if (end.type === 'failed' && failed > options.retries) {
      return { type: 'gave-up', answers: failed, problem: end.problem };
    }
  }
  return { type: 'turn-limit', turns: options.maxTurns };
}

type TurnEnd =
  | Extract<AgentOutcome, { type: 'finished' | 'cancelled' | 'model-failed' }>
  /** There are results to tell. */
  | { readonly type: 'again' }
  /** The answer was cut, or left the contract; the model is told. */
  | { readonly type: 'failed'; readonly problem: string };

/** One request and its answer. */
class Turn {
  readonly #options: AgentOptions;
  readonly #dependencies: AgentDependencies;
  readonly #rules: ProtocolRules;
  readonly #answer: number;
  readonly #calls: { readonly id: string }[] = [];

  constructor(options: AgentOptions, dependencies: AgentDependencies) {
    this.#options = options;
    this.#dependencies = dependencies;
    this.#rules = PROTOCOL_RULES[options.protocol];
    this.#answer = dependencies.transcript.nextAnswer;
  }

  async run(): Promise<TurnEnd> {
    const { signal } = this.#options;
    const { emit } = this.#dependencies;
    emit({ type: 'request', answer: this.#answer });
    let response: ModelAnswer;
    try {
      response = await this.#ask();
    } catch (error) {
      if (signal.aborted) return { type: 'cancelled' };
      if (error instanceof ModelError) return { type: 'model-failed', problem: error.message };
      throw error;
    }
    try {
      const hooks = { emit, run: (call: ToolCall, text: string) => this.#runCall(call, text) };
      const answer = await readAnswer(response.chunks, { rules: this.#rules, signal, hooks });
      if (answer.end.type === 'complete') response.leave();
      else response.close();
      await this.#recordEnd(answer);
      return this.#turnEnd(answer);
    } catch (error) {
      response.close();
      throw error;
    }
  }

  #ask(): Promise<ModelAnswer> {
    const { protocol, system, tools, signal } = this.#options;
    const { model, transcript, emit } = this.#dependencies;
    const messages = chatMessages(protocol, system, transcript.records);
    const request = this.#rules.form === 'native' ? { messages, tools } : { messages };
    return model.ask(request, { signal, onRetry: (retry) => emit({ type: 'retry', ...retry }) });
  }

  async #runCall(call: ToolCall, text: string): Promise<void> {
    const { execute, emit } = this.#dependencies;
    const id = await this.#recordCall(call, text);
    const outcome: CallOutcome = this.#options.signal.aborted
      ? { type: 'refusal', exit: 130, reason: 'not run: the user cancelled before it began' }
      : await execute(call, this.#options.signal);
    await this.#record(outcomeRecord(outcome, this.#answer, id));
    emit({ ...outcome, id });
  }

  /** The text, if there is any, then the call; both are in the session before the tool starts. */
  async #recordCall(call: ToolCall, text: string): Promise<string> {
    const isNative = this.#rules.form === 'native';
    const id = isNative ? this.#dependencies.transcript.freeId(call.id) : call.id;
    const givenId = id === call.id ? {} : { givenId: call.id };
    const answer = this.#answer;
    // In a text protocol the text ends with the frame of this call: without the call's record it is not to be kept.
    if (text !== '') await this.#record({ type: 'assistant', answer, text, ...(isNative ? {} : { call: id }) });
    await this.#record({ type: 'call', answer, id, ...givenId, name: call.name, ...recordedArguments(call) });
    this.#calls.push({ id });
    const source = membersAsJson(argumentMembers(call.args));
    this.#dependencies.emit({ type: 'call', id, ...givenId, name: call.name, arguments: source });
    return id;
  }

  async #recordEnd({ end, text, arrived }: Answer): Promise<void> {
    const answer = this.#answer;
    const { emit } = this.#dependencies;
    if (text !== '') await this.#record({ type: 'assistant', answer, text });
    if (end.type === 'contract-error') {
      const feedback = contractErrorFeedback(end.error, this.#kept);
      await this.#record({ type: 'tool_parse_error', answer, error: { ...end.error }, feedback });
      emit({ type: 'tool_parse_error', error: end.error, feedback });
      return;
    }
    // Of an answer of which nothing came there is nothing to tell: the same request goes out again.
    const feedback = arrived === 0 ? '' : this.#feedback(end);
    await this.#record({ type: 'stop', answer, reason: end.type, ...(feedback === '' ? {} : { feedback }) });
    emit({ type: 'stop', reason: end.type, ...(end.type === 'cut' ? { detail: describeCut(end.cause) } : {}) });
  }

  #feedback(end: Exclude<AnswerEnd, { type: 'contract-error' }>): string {
    if (end.type === 'cut') return cutFeedback(end.cause, end.unfinished, this.#kept);
    return end.type === 'cancelled' ? cancelledFeedback(end.unfinished, this.#kept) : '';
  }

  get #kept() {
    return { calls: this.#calls };
  }

  #turnEnd({ end, calls }: Answer): TurnEnd {
    if (end.type === 'cancelled') return { type: 'cancelled' };
    if (end.type === 'contract-error') return { type: 'failed', problem: contractErrorFeedback(end.error, this.#kept) };
    if (end.type === 'cut') return { type: 'failed', problem: describeCut(end.cause) };
    return { type: calls === 0 ? 'finished' : 'again' };
  }

  #record(record: SessionRecord): Promise<void> {
    return this.#dependencies.transcript.append(record);
  }
}

function outcomeRecord(outcome: CallOutcome, answer: number, id: string): SessionRecord {
  const { exit } = outcome;
  return outcome.type === 'result'
    ? { type: 'result', answer, id, exit, output: outcome.output }
    : { type: 'refusal', answer, id, exit, reason: outcome.reason };
}
