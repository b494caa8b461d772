/** Calls in the harmony form of gpt-oss, as the model answers (openai/harmony docs/format.md "Receiving tool calls"). */
import { type MeantCall, writeJsonArguments } from './frames.ts';

/**
 * A message for each call. The first begins with its channel, since the prompt ends with `<|start|>assistant`. A value that
 * holds `<|end|>`, `<|call|>` or `<|return|>` is lost by the form, and is written all the same.
 */
export function writeHarmony(calls: readonly MeantCall[]): string {
  return calls.map(writeMessage).join('<|start|>assistant');
}

function writeMessage(call: MeantCall): string {
  return `<|channel|>commentary to=functions.${call.name} <|constrain|>json<|message|>${writeJsonArguments(call)}<|call|>`;
}
