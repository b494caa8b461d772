/**
 * What the model is sent: the messages of a chat request, made from the session's records and nothing else.
 *
 * Native protocols get `tool` messages; text protocols get one user message of result frames. Both are followed by what
 * the runtime has to say of an answer that went wrong.
 */
import type { AgentProtocol } from './protocol.ts';
import { PROTOCOL_RULES } from './protocol.ts';
import { resultFrame } from './result-frame.ts';
import type { CallRecord, RefusalRecord, ResultRecord, SessionRecord } from './session-record.ts';

export type ChatMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string | null; readonly tool_calls?: readonly NativeCall[] }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string };

interface NativeCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

type Outcome = ResultRecord | RefusalRecord;

/** `exit=` of a call of which nobody knows what it has done: a frame takes numbers only. */
export const UNKNOWN_EXIT = 255;

/** Some servers refuse an empty message of the assistant. */
const NOTHING_KEPT = '[nothing of this message was kept]';

/** @param system the system prompt */
export function chatMessages(
  protocol: AgentProtocol,
  system: string,
  records: readonly SessionRecord[],
): readonly ChatMessage[] {
  const messages: ChatMessage[] = [{ role: 'system', content: system }];
  const write = PROTOCOL_RULES[protocol].form === 'native' ? nativeAnswer : textAnswer;
  for (const part of conversationParts(records)) {
    for (const message of part instanceof RecordedAnswer ? write(part) : [userMessage(part)]) append(messages, message);
  }
  return messages;
}

/** One answer, as far as it is recorded. */
export class RecordedAnswer {
  text = '';
  /** What the model is told of how it ended. */
  feedback = '';
  /** Its `stop` or `tool_parse_error` has been recorded. */
  over = false;
  readonly calls: CallRecord[] = [];
  readonly #outcomes = new Map<string, Outcome>();

  outcomeOf({ id }: CallRecord): Outcome | undefined {
    return this.#outcomes.get(id);
  }

  get isEmpty(): boolean {
    return this.text === '' && this.calls.length === 0 && this.feedback === '';
  }

  take(record: Exclude<SessionRecord, { type: 'user' }>): void {
    switch (record.type) {
      case 'assistant':
        this.text += record.text;
        break;
      case 'call':
        this.calls.push(record);
        break;
      case 'result':
      case 'refusal':
        this.#outcomes.set(record.id, record);
        break;
      case 'tool_parse_error':
      case 'stop':
        this.feedback = record.feedback ?? '';
        this.over = true;
    }
  }
}

/** User texts and answers, in order. */
export function conversationParts(records: readonly SessionRecord[]): readonly (string | RecordedAnswer)[] {
  const parts: (string | RecordedAnswer)[] = [];
  const answers = new Map<number, RecordedAnswer>();
  for (const record of withoutStrayText(records)) {
    if (record.type === 'user') {
      parts.push(record.text);
      continue;
    }
    let answer = answers.get(record.answer);
    if (answer === undefined) {
      answer = new RecordedAnswer();
      answers.set(record.answer, answer);
      parts.push(answer);
    }
    answer.take(record);
  }
  return parts;
}

/** A text that ends with a call's frame is taken with the call only: without its record the call has never been started. */
function withoutStrayText(records: readonly SessionRecord[]): readonly SessionRecord[] {
  return records.filter((record, at) => {
    if (record.type !== 'assistant' || record.call === undefined) return true;
    const next = records[at + 1];
    return next?.type === 'call' && next.id === record.call && next.answer === record.answer;
  });
}

function nativeAnswer(answer: RecordedAnswer): readonly ChatMessage[] {
  if (answer.isEmpty) return [];
  if (answer.calls.length === 0) return [assistant(answer.text), ...feedbackMessage(answer)];
  const toolCalls = answer.calls.map(({ id, name, arguments: source }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: source === undefined || source === '' ? '{}' : source },
  }));
  return [
    { role: 'assistant', content: answer.text === '' ? null : answer.text, tool_calls: toolCalls },
    ...answer.calls.map((call) => {
      const { exit, output } = shown(answer.outcomeOf(call));
      return { role: 'tool' as const, tool_call_id: call.id, content: `exit=${exit}\n${output}` };
    }),
    ...feedbackMessage(answer),
  ];
}

function textAnswer(answer: RecordedAnswer): readonly ChatMessage[] {
  if (answer.isEmpty) return [];
  const frames = answer.calls.map((call) => {
    const { exit, output } = shown(answer.outcomeOf(call));
    return resultFrame(call.id, exit, output);
  });
  const replies = [...frames, ...(answer.feedback === '' ? [] : [`${answer.feedback}\n`])];
  return [assistant(answer.text), ...(replies.length === 0 ? [] : [userMessage(replies.join(''))])];
}

function assistant(text: string): ChatMessage {
  return { role: 'assistant', content: text === '' ? NOTHING_KEPT : text };
}

function userMessage(content: string): ChatMessage {
  return { role: 'user', content };
}

function feedbackMessage({ feedback }: RecordedAnswer): readonly ChatMessage[] {
  return feedback === '' ? [] : [userMessage(feedback)];
}

/** Exit code and output as the model reads them. */
function shown(outcome: Outcome | undefined): { readonly exit: number; readonly output: string } {
  if (outcome === undefined) return { exit: UNKNOWN_EXIT, output: UNKNOWN_OUTPUT };
  if (outcome.type === 'refusal') return { exit: outcome.exit, output: outcome.reason };
  return { exit: outcome.exit === 'unknown' ? UNKNOWN_EXIT : outcome.exit, output: outcome.output };
}

/** What the model reads of a call without a result. */
export const UNKNOWN_OUTPUT =
  'unknown: the run was interrupted while this call ran. It may have had its effect, a part of it or none, and it was ' +
  'not run again. Look before you repeat it.';

/** Chat templates want user and assistant to take turns: what would follow its like is joined to it. */
function append(messages: ChatMessage[], message: ChatMessage): void {
  const last = messages.at(-1);
  if (last?.role === 'user' && message.role === 'user') {
    messages[messages.length - 1] = userMessage(`${last.content.trimEnd()}\n\n${message.content}`);
  } else {
    messages.push(message);
  }
}
