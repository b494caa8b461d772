/**
 * The DeepSeek form: calls between special tokens, in a section of their own. Two ways of writing a call are read, and
 * told apart by what stands there:
 *
 *     message = *( text / section )
 *     section = "<｜tool▁calls▁begin｜>" blanks 1*( call blanks ) "<｜tool▁calls▁end｜>"
 *     call    = "<｜tool▁call▁begin｜>" ( fenced / plain ) "<｜tool▁call▁end｜>"
 *     fenced  = "function" SEP NAME LF "```json" LF ARGS LF "```" blanks     ; V3, R1
 *     plain   = NAME SEP ARGS                                         ; V3.1
 *     SEP     = "<｜tool▁sep｜>"
 *     ARGS    = blanks, one JSON object, blanks; it ends at the first "<｜tool▁call▁end｜>"
 *
 * The bars are U+FF5C and the low line is U+2581. After `function` SEP it is `fenced` if the fence comes before the end of
 * the call, else a `plain` call of a tool that is called `function`.
 *
 * Templates: ggml-org/llama.cpp models/templates/deepseek-ai-DeepSeek-R1-Distill-Qwen-32B.jinja @20bdc4f (fenced; further
 * calls after LF) and deepseek-ai-DeepSeek-V3.1.jinja @0374c5b (plain). Servers: vllm-project/vllm
 * vllm/tool_parsers/deepseekv3_tool_parser.py @80445b4 and deepseekv31_tool_parser.py @e2fc92e, sgl-project/sglang
 * python/sglang/srt/function_call/deepseekv3_detector.py @0196734 and deepseekv31_detector.py @09631df: a call is what
 * stands before the first end token, in a JSON string too. So it is here; what this parser refuses and cannot promise:
 * docs/dialects-special-tokens.md.
 */
import { isBlank } from './bytes.ts';
import { isCallName, textOfName } from './call-name.ts';
import type { ParserOptions } from './parser.ts';
import { SectionedDialect } from './sectioned-dialect.ts';
import type { Stage } from './text-dialect.ts';

const TOKENS = {
  section: '<｜tool▁calls▁begin｜>',
  endSection: '<｜tool▁calls▁end｜>',
  call: '<｜tool▁call▁begin｜>',
  endCall: '<｜tool▁call▁end｜>',
  separator: '<｜tool▁sep｜>',
  form: '<｜tool▁call▁begin｜>NAME<｜tool▁sep｜>',
};
const FENCE = '\n```json\n';
const FENCE_LINE_FEEDS = 2;
const END_FENCE = Buffer.from('\n```');
/** What stands before the separator of a fenced call: its type, of which there is one. */
const CALL_TYPE = 'function';

export class DeepseekParser extends SectionedDialect {
  /** Behind `function` and a separator: a name and a fence, or arguments. */
  readonly #nameOrArguments: Stage;
  readonly #fencedArguments: Stage;

  constructor(options: ParserOptions) {
    super(options, TOKENS);
    const release = this.into(this.bytes);
    const { endCall } = TOKENS;
    this.#nameOrArguments = this.stage({
      markers: { fence: FENCE, endCall },
      release,
      found: (marker, at) => (marker === 'fence' ? this.#takeFence() : this.closeCall(at)),
      until: endCall,
    });
    this.#fencedArguments = this.stage({
      markers: { endCall },
      release,
      found: (_, at) => this.#closeFencedCall(at),
      until: endCall,
    });
  }

  //   <｜tool▁call▁begin｜>read_file<｜tool▁sep｜>
  //                                            ^
  protected takeHeader(): void {
    const name = textOfName(this.bytes);
    if (name === null || !isCallName(name)) return this.refuseHeader();
    this.goOn({ name }, name === CALL_TYPE ? this.#nameOrArguments : this.plainArguments);
  }

  //   function<｜tool▁sep｜>read_file␊```json␊
  //                                         ^
  #takeFence(): void {
    const name = textOfName(this.bytes);
    if (name === null || !isCallName(name)) return this.refuseHeader();
    this.lineFeeds += FENCE_LINE_FEEDS;
    this.goOn({ name }, this.#fencedArguments);
  }

  #closeFencedCall(at: number): void {
    let end = this.bytes.length;
    while (end > 0 && isBlank(this.bytes.bytes[end - 1]!)) end--;
    const length = end - END_FENCE.length;
    if (length >= 0 && END_FENCE.compare(this.bytes.bytes, length, end) === 0) {
      return this.closeCall(at, length);
    }
    this.fail({ kind: 'args_not_object', detail: 'the fence around it is not closed' });
  }
}
