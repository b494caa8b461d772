/**
 * The XML-like form of Qwen3-Coder: raw values between tags, nothing escaped.
 *
 *     message   = *( text / block )
 *     block     = "<tool_call>" blanks 1*( function blanks ) "</tool_call>"
 *     function  = "<function=" NAME ">" blanks *( parameter blanks ) "</function>"
 *     parameter = "<parameter=" KEY ">" [LF] VALUE [LF] "</parameter>"
 *     NAME      = a name of a tool (call-name.ts)
 *     KEY       = 1*( byte except "<" ">" LF )
 *     VALUE     = bytes without "</parameter>", "<parameter=", "</function>"
 *
 * A call runs at its `</function>`. Template: vllm-project/vllm examples/tool_chat_template_qwen3coder.jinja @7a3bde4.
 * Servers: vllm-project/vllm vllm/entrypoints/openai/tool_parsers/qwen3coder_tool_parser.py @0054011 and
 * sgl-project/sglang python/sglang/srt/function_call/qwen3_coder_detector.py @048a57e end a value at any of the three: at
 * the two that the template never means, this parser refuses the call instead (docs/dialects.md). `</tool_call>` may stand in
 * one, as in vllm/parser/qwen3.py and that detector (releases 0.34.0 and 0.5.23).
 */
import { inTag, TaggedDialect } from './tagged-dialect.ts';

const FUNCTION = '<function=';
const PARAMETER = '<parameter=';
const END_FUNCTION = '</function>';
const END_PARAMETER = '</parameter>';
const END_BLOCK = '</tool_call>';
const NAMED = '<function=NAME>';
const KEYED = '<parameter=KEY>';

export class QwenXmlParser extends TaggedDialect {
  protected readonly lineFrame = true;

  readonly #value = this.stage({
    markers: { end: END_PARAMETER, parameter: PARAMETER, function: END_FUNCTION },
    release: this.intoValue,
    found: (marker) => {
      if (marker !== 'end') return this.fail({ kind: 'xml_unexpected_text', text: VALUE_ENDS[marker] });
      this.takeValue();
      this.enter(this.#parameters);
    },
    until: END_PARAMETER,
  });

  readonly #key = this.stage({
    markers: { close: '>' },
    release: this.intoName(inTag, KEYED),
    found: () => {
      if (this.takeKey(KEYED)) this.enter(this.#value);
    },
    until: END_PARAMETER,
  });

  readonly #parameters = this.stage({
    markers: { parameter: PARAMETER, end: END_FUNCTION },
    release: this.onlyBlanks,
    found: (marker, at) => {
      if (marker === 'parameter') {
        this.beginName();
        return this.enter(this.#key);
      }
      this.runCall(at);
      this.enter(this.#further);
    },
    until: END_FUNCTION,
  });

  readonly #name = this.stage({
    markers: { close: '>' },
    release: this.intoName(inTag, NAMED),
    found: () => {
      if (this.takeName(NAMED)) this.enter(this.#parameters);
    },
    until: END_FUNCTION,
  });

  /** Behind the first function of a block. */
  readonly #further = this.stage({
    markers: { function: FUNCTION, end: END_BLOCK },
    release: this.onlyBlanks,
    found: (marker) => {
      if (marker === 'function') return this.#openFunction();
      this.close();
      this.enter(this.start);
    },
    until: END_BLOCK,
  });

  readonly #block = this.stage({
    markers: { function: FUNCTION },
    release: this.onlyBlanks,
    found: () => this.#openFunction(),
    until: END_BLOCK,
  });

  protected readonly start = this.stage({
    markers: { opener: '<tool_call>' },
    release: this.asText,
    found: () => {
      this.open();
      this.enter(this.#block);
    },
  });

  #openFunction(): void {
    if (this.beginCall()) this.enter(this.#name);
  }
}

/** What a value cannot hold besides its own end. */
const VALUE_ENDS = { parameter: PARAMETER, function: END_FUNCTION } as const;
