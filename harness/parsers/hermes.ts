/**
 * The Hermes form, which Qwen 2.5 and Qwen 3 use too: JSON between tags, anywhere in the text.
 *
 *     message = *( text / call )
 *     call    = "<tool_call>" BODY "</tool_call>"
 *     BODY    = the shortest run of bytes before "</tool_call>": one JSON object with a "name" and an object "arguments"
 *
 * Template: vllm-project/vllm examples/tool_chat_template_hermes.jinja @66aa580 (LF on both sides of the object). Servers:
 * vllm-project/vllm vllm/entrypoints/openai/tool_parsers/hermes_tool_parser.py @0085432 and sgl-project/sglang
 * python/sglang/srt/function_call/qwen25_detector.py @0813438 end the body at the first closing tag, inside a JSON
 * string too. So does this parser; what it refuses and cannot promise: docs/dialects.md.
 */
import { ByteBuffer } from '../wire/byte-buffer.ts';
import { readJsonCall } from './json-body.ts';
import type { UnfinishedCall } from './parser.ts';
import { TextDialect } from './text-dialect.ts';

const CLOSER = '</tool_call>';

export class HermesParser extends TextDialect {
  readonly #bytes = new ByteBuffer();

  readonly #body = this.stage({
    markers: { closer: CLOSER },
    release: this.into(this.#bytes),
    found: (_, at) => this.#closeCall(at),
    until: CLOSER,
  });

  protected readonly start = this.stage({
    markers: { opener: '<tool_call>' },
    release: this.asText,
    found: () => {
      if (!this.openCall()) return;
      this.open();
      this.enter(this.#body);
    },
  });

  protected underWay(): UnfinishedCall {
    return { arrived: this.#bytes.length };
  }

  #closeCall(at: number): void {
    const call = readJsonCall(this.#bytes.bytes.subarray(0, this.#bytes.length));
    if (call.problem !== null) return this.fail(call.problem, call.key === undefined ? {} : { key: call.key });
    this.#bytes.clear();
    this.run({ name: call.name, args: { form: 'json', text: call.text, object: call.object } }, at);
    this.close();
    this.enter(this.start);
  }
}
