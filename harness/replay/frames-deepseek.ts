/** Calls in the DeepSeek form as V3.1 writes them (models/templates/deepseek-ai-DeepSeek-V3.1.jinja in llama.cpp). */
import { type MeantCall, writeJsonArguments } from './frames.ts';

/** One section, nothing between its tokens. A value that holds the end token is lost by the form, and is written all the same. */
export function writeDeepseek(calls: readonly MeantCall[]): string {
  const written = calls.map(
    (call) => `<｜tool▁call▁begin｜>${call.name}<｜tool▁sep｜>${writeJsonArguments(call)}<｜tool▁call▁end｜>`,
  );
  return `<｜tool▁calls▁begin｜>${written.join('')}<｜tool▁calls▁end｜>`;
}
