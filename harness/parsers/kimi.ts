/**
 * The Kimi K2 form: calls between special tokens, in a section of their own, each with the id that the model gives it.
 *
 *     message = *( text / section )
 *     section = "<|tool_calls_section_begin|>" blanks 1*( call blanks ) "<|tool_calls_section_end|>"
 *     call    = "<|tool_call_begin|>" blanks ID blanks "<|tool_call_argument_begin|>" ARGS "<|tool_call_end|>"
 *     ID      = [ "functions." ] NAME ":" 1*DIGIT
 *     ARGS    = blanks, one JSON object, blanks; it ends at the first "<|tool_call_end|>"
 *
 * The id is kept whole: results are sent back under it. The name is what stands between `functions.` and the colon, dots
 * included. The beginning of a section ends a leading think block that is still open: the model leaves out `</think>`
 * (vllm-project/vllm vllm/parser/kimi_k2.py and sgl-project/sglang python/sglang/srt/parser/reasoning_parser.py, releases
 * 0.34.0 and 0.5.23).
 *
 * Template: ggml-org/llama.cpp models/templates/moonshotai-Kimi-K2-Thinking.jinja @0c3c896; guide: MoonshotAI/Kimi-K2
 * docs/tool_call_guidance.md @a80b422. Servers: vllm-project/vllm vllm/tool_parsers/kimi_k2_tool_parser.py @c853e15 and
 * sgl-project/sglang python/sglang/srt/function_call/kimik2_detector.py @0351c1f: blanks around the id are frame, and a
 * call is what stands before the first end token, in a JSON string too. So it is here; what this parser refuses and
 * cannot promise: docs/dialects-special-tokens.md.
 */
import { isCallName, textOfName } from './call-name.ts';
import type { ParserOptions } from './parser.ts';
import { SectionedDialect } from './sectioned-dialect.ts';

const TOKENS = {
  section: '<|tool_calls_section_begin|>',
  endSection: '<|tool_calls_section_end|>',
  call: '<|tool_call_begin|>',
  endCall: '<|tool_call_end|>',
  separator: '<|tool_call_argument_begin|>',
  endsThinking: true as const,
  form: '<|tool_call_begin|>functions.NAME:INDEX<|tool_call_argument_begin|>',
};
const NAMESPACE = 'functions.';
const NAME_AND_INDEX = /^([^:]+):[0-9]+$/;
const ID = /^[ \t\r\n]*([^ \t\r\n]+)[ \t\r\n]*$/;

export class KimiParser extends SectionedDialect {
  constructor(options: ParserOptions) {
    super(options, TOKENS);
  }

  //   <|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>
  //                                                                      ^
  protected takeHeader(): void {
    const id = ID.exec(textOfName(this.bytes) ?? '')?.[1] ?? '';
    const name = NAME_AND_INDEX.exec(id.startsWith(NAMESPACE) ? id.slice(NAMESPACE.length) : id)?.[1];
    if (name === undefined || !isCallName(name)) return this.refuseHeader();
    this.goOn({ id, name }, this.plainArguments);
  }
}
