/**
 * The form of GLM-4.5 and later: keys and values in tags of their own, nothing escaped.
 *
 *     message  = *( text / call )
 *     call     = "<tool_call>" NAME blanks *( argument blanks ) "</tool_call>"
 *     argument = "<arg_key>" KEY "</arg_key>" blanks "<arg_value>" VALUE "</arg_value>"
 *     NAME     = a name of a tool (call-name.ts)
 *     KEY      = 1*( byte except "<" ">" LF )
 *     VALUE    = bytes without "</arg_value>", "<arg_key>", "<arg_value>", "</tool_call>"
 *
 * A call runs at its `</tool_call>`. Template: ggml-org/llama.cpp models/templates/GLM-4.6.jinja @afefa65 (no LF inside the
 * tags; later templates leave out the ones between them). Servers: vllm-project/vllm
 * vllm/entrypoints/openai/tool_parsers/glm4_moe_tool_parser.py @0241e7d and sgl-project/sglang
 * python/sglang/srt/function_call/glm4_moe_detector.py @02911a0 end the call at the first `</tool_call>`, inside a value
 * too: there this parser refuses the call, and at a key or value that begins inside of one, since models leave
 * `</arg_value>` out (ollama/ollama PR 14656) and two arguments, or two calls, would become one (docs/dialects.md).
 */
import { isBlank } from './bytes.ts';
import type { Release } from './marker-scan.ts';
import { inTag, TaggedDialect } from './tagged-dialect.ts';

const KEY = '<arg_key>';
const END_KEY = '</arg_key>';
const VALUE = '<arg_value>';
const END_VALUE = '</arg_value>';
const CLOSER = '</tool_call>';
const NAMED = '<tool_call>NAME';
const KEYED = '<arg_key>KEY</arg_key>';

export class GlmParser extends TaggedDialect {
  protected readonly lineFrame = false;
  /** Behind the name: only blanks may come. */
  #nameOver = false;

  readonly #value = this.stage({
    markers: { end: END_VALUE, key: KEY, value: VALUE, call: CLOSER },
    release: this.intoValue,
    found: (marker) => {
      if (marker !== 'end') return this.fail({ kind: 'xml_unexpected_text', text: VALUE_ENDS[marker] });
      this.takeValue();
      this.enter(this.#arguments);
    },
    until: END_VALUE,
  });

  readonly #valueTag = this.stage({
    markers: { value: VALUE },
    release: this.onlyBlanks,
    found: () => this.enter(this.#value),
    until: VALUE,
  });

  readonly #key = this.stage({
    markers: { end: END_KEY },
    release: this.intoName(inTag, KEYED),
    found: () => {
      if (this.takeKey(KEYED)) this.enter(this.#valueTag);
    },
    until: END_KEY,
  });

  readonly #arguments = this.stage({
    markers: { key: KEY, end: CLOSER },
    release: this.onlyBlanks,
    found: (marker, at) => this.#next(marker, at),
    until: CLOSER,
  });

  readonly #name = this.stage({
    markers: { key: KEY, end: CLOSER },
    release: (bytes, from, to, offset) => this.#inName(bytes, from, to, offset),
    found: (marker, at) => {
      if (this.#nameOver || this.takeName(NAMED)) this.#next(marker, at);
    },
    until: CLOSER,
  });

  protected readonly start = this.stage({
    markers: { opener: '<tool_call>' },
    release: this.asText,
    found: () => {
      if (!this.beginCall()) return;
      this.open();
      this.#nameOver = false;
      this.enter(this.#name);
    },
  });

  #next(marker: 'key' | 'end', at: number): void {
    if (marker === 'key') {
      this.beginName();
      return this.enter(this.#key);
    }
    this.runCall(at);
    this.close();
    this.enter(this.start);
  }

  //   <tool_call>write_ file␊
  //                    ^
  readonly #intoName = this.intoName(inTag, NAMED);
  readonly #inName: Release = (bytes, from, to, offset) => {
    let i = from;
    while (!this.#nameOver && i < to && !isBlank(bytes[i]!)) i++;
    if (i > from) this.#intoName(bytes, from, i, offset);
    if (i === to || this.error !== null) return;
    if (!this.#nameOver) this.#nameOver = this.takeName(NAMED);
    if (this.error === null) this.onlyBlanks(bytes, i, to, offset + (i - from));
  };
}

/** What a value cannot hold besides its own end. */
const VALUE_ENDS = { key: KEY, value: VALUE, call: CLOSER } as const;
