/** Calls in the Kimi K2 form (models/templates/moonshotai-Kimi-K2-Thinking.jinja in llama.cpp). */
import { type MeantCall, writeJsonArguments } from './frames.ts';

/** The id of the call at `index`: the form has no other. */
export function kimiId({ name }: Pick<MeantCall, 'name'>, index: number): string {
  return `functions.${name}:${index}`;
}

/** One section, nothing between its tokens. A value that holds the end token is lost by the form, and is written all the same. */
export function writeKimi(calls: readonly MeantCall[]): string {
  const written = calls.map(
    (call, index) =>
      `<|tool_call_begin|>${kimiId(call, index)}<|tool_call_argument_begin|>${writeJsonArguments(call)}<|tool_call_end|>`,
  );
  return `<|tool_calls_section_begin|>${written.join('')}<|tool_calls_section_end|>`;
}
