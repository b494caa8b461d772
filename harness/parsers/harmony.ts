/**
 * The harmony form of gpt-oss: an answer is messages, and one that is addressed to a function is a call.
 *
 *     answer  = [ first ] *( text / "<|start|>" "assistant" message )
 *     first   = message                                  ; the prompt ends with "<|start|>assistant"
 *     message = header "<|message|>" CONTENT closer      ; the header: harmony-header.ts
 *     closer  = "<|call|>"                               ; of a message with a recipient
 *             / "<|end|>" / "<|return|>"                 ; of one without
 *     CONTENT = the shortest run of bytes before any closer; of a call: blanks, one JSON object, blanks
 *
 * A call runs at its `<|call|>`. That and `<|return|>` are stop tokens, which servers take out of the text: at a complete
 * end, the end stands for the closer (as `process_eos` of openai/harmony has it); a call whose object is not whole by then
 * is refused. Analysis is reasoning; final, and commentary without a recipient (a preamble), are text; what is said to a
 * built-in tool (`python`, `browser.search`) is neither text nor a call. A text that does not begin with a message is text.
 *
 * openai/harmony docs/format.md @20cd04c and src/encoding.rs @14648ba (the state machine); servers: vllm-project/vllm
 * vllm/tool_parsers/openai_tool_parser.py @006b024 and sgl-project/sglang
 * python/sglang/srt/function_call/gpt_oss_detector.py @006359c take a message to a function of the request for a call. What this parser
 * refuses and cannot promise: docs/dialects-special-tokens.md.
 */
import type { StreamEnd } from '../stream/event.ts';
import { ByteBuffer } from '../wire/byte-buffer.ts';
import { excerpt } from './bytes.ts';
import { textOfName } from './call-name.ts';
import { type HarmonyHeader, readHarmonyHeader } from './harmony-header.ts';
import { readJsonBody } from './json-body.ts';
import type { Release } from './marker-scan.ts';
import type { ParserOptions, UnfinishedCall } from './parser.ts';
import { type Stage, TextDialect } from './text-dialect.ts';

const CLOSERS = { end: '<|end|>', call: '<|call|>', return: '<|return|>' };
const TOKENS = {
  ...CLOSERS,
  start: '<|start|>',
  channel: '<|channel|>',
  constrain: '<|constrain|>',
  message: '<|message|>',
};
type Token = keyof typeof TOKENS;
type Closer = keyof typeof CLOSERS;

/** How the first message may begin, too: a recipient in the role section, whose role the prompt has given. */
const RECIPIENT = ' to=';
const ROLE = 'assistant';
const REASONING = 'analysis';
const FORM = `${TOKENS.start}assistant${TOKENS.channel}commentary to=functions.NAME ${TOKENS.constrain}json`;

export class HarmonyParser extends TextDialect {
  /** Nothing has come yet that is in a message. */
  protected readonly start: Stage;
  readonly #between: Stage;
  readonly #header: Stage;
  /** The contents of a message: text, what is no text and no call, arguments. */
  readonly #text: Stage;
  readonly #unread: Stage;
  readonly #arguments: Stage;
  /** The header or the arguments under way. */
  readonly #bytes = new ByteBuffer();
  /** The header of the message whose content is under way. */
  #message: HarmonyHeader | null = null;
  /** The prompt has given the role of the message under way. */
  #isFirst = false;
  #sawText = false;
  /** Content offset of the message under way. */
  #messageStart = 0;
  #ended = false;

  constructor(options: ParserOptions) {
    super(options);
    this.start = this.stage({
      markers: { ...TOKENS, recipient: RECIPIENT },
      release: (bytes, from, to, offset) => {
        this.#sawText ||= to > from;
        this.asText(bytes, from, to, offset);
      },
      found: (marker) => this.#atStart(marker),
    });
    this.#between = this.stage({ markers: TOKENS, release: this.asText, found: (token) => this.#openMessage(token) });
    this.#header = this.stage({
      markers: TOKENS,
      release: this.into(this.#bytes),
      found: (token) => this.#inHeader(token),
      until: TOKENS.message,
    });
    this.#text = this.#content(this.asText);
    this.#unread = this.#content(() => {});
    this.#arguments = this.#content(this.into(this.#bytes), TOKENS.call);
  }

  override end(how: StreamEnd): void {
    if (how === 'complete' && !this.#ended && this.error === null) this.#endOfStream();
    this.#ended = true;
    super.end(how);
  }

  protected underWay(): UnfinishedCall | null {
    const name = this.#message?.call;
    return name === undefined ? null : { name, arrived: this.#bytes.length };
  }

  #content(release: Release, until?: string): Stage {
    const found = (closer: Closer, at: number): void => this.#closeMessage(closer, at);
    return this.stage({ markers: CLOSERS, release, found, ...(until !== undefined && { until }) });
  }

  #atStart(marker: Token | 'recipient'): void {
    if (!this.#sawText && (marker === 'channel' || marker === 'recipient')) {
      this.#openHeader();
      this.#isFirst = true;
      this.#append(marker === 'channel' ? TOKENS.channel : RECIPIENT);
    } else if (marker === 'recipient') {
      this.asText(Buffer.from(RECIPIENT), 0, RECIPIENT.length, this.markerStart);
      this.enter(this.#between);
    } else {
      this.#openMessage(marker);
    }
  }

  #openMessage(token: Token): void {
    if (token !== 'start') return this.#refuse(token);
    this.#openHeader();
    this.#isFirst = false;
  }

  #openHeader(): void {
    this.open();
    this.#messageStart = this.markerStart;
    this.#bytes.clear();
    this.enter(this.#header);
  }

  #inHeader(token: Token): void {
    if (token === 'message') this.#takeHeader();
    else if (token === 'channel' || token === 'constrain') this.#append(TOKENS[token]);
    else this.#refuse(token);
  }

  //   <|start|>assistant<|channel|>commentary to=functions.read_file <|constrain|>json<|message|>
  //                                                                                             ^
  #takeHeader(): void {
    const text = textOfName(this.#bytes);
    const role = this.#isFirst ? '' : ROLE;
    const header = text?.startsWith(role) === true ? readHarmonyHeader(text.slice(role.length)) : null;
    if (header === null) {
      const shown = excerpt(this.#bytes.bytes, 0, this.#bytes.length);
      return this.fail({ kind: 'bad_call', reason: 'malformed', text: shown, form: FORM });
    }
    if (header.call !== undefined && !this.openCall()) return;
    this.#message = header;
    this.#bytes.clear();
    if (header.call !== undefined) return this.enter(this.#arguments);
    this.close();
    this.enter(header.hasRecipient || header.channel === REASONING ? this.#unread : this.#text);
  }

  #closeMessage(closer: Closer, at: number): void {
    const { hasRecipient, call } = this.#message!;
    if (hasRecipient !== (closer === 'call')) return this.#refuse(closer);
    if (call !== undefined) this.#runCall(call, at);
    if (this.error !== null) return;
    this.#message = null;
    this.close();
    this.enter(this.#between);
  }

  #runCall(name: string, at: number): void {
    const body = readJsonBody(this.#bytes.bytes.subarray(0, this.#bytes.length));
    if (body.problem !== null) return this.fail(body.problem, body.key === undefined ? {} : { key: body.key });
    this.run({ name, args: { form: 'json', text: body.text, object: body.object } }, at);
  }

  /** Complete: the stop token that ends a call may have been taken out of the text. */
  #endOfStream(): void {
    const call = this.#message?.call;
    if (call === undefined) return;
    this.#arguments.scan.flush();
    const received = this.#messageStart + this.pending;
    const body = readJsonBody(this.#bytes.bytes.subarray(0, this.#bytes.length));
    if (body.problem?.kind === 'args_not_object') return;
    this.markerStart = received;
    this.#closeMessage('call', received);
  }

  #append(token: string): void {
    const bytes = Buffer.from(token);
    this.#bytes.append(bytes, 0, bytes.length);
  }

  #refuse(token: Token): void {
    this.fail({ kind: 'xml_unexpected_text', text: TOKENS[token] });
  }
}
