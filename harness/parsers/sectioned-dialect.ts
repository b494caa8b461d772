/**
 * What the dialects share that put their calls between special tokens in a section of its own (DeepSeek, Kimi):
 *
 *     message = *( text / section )
 *     section = SECTION blanks 1*( call blanks ) END_SECTION
 *     call    = CALL header SEPARATOR ARGS END_CALL
 *     ARGS    = blanks, one JSON object, blanks; it ends at the first END_CALL
 *
 * A call runs at its END_CALL, and is confirmed there: what has run does not wait for the end of its section.
 */
import { ByteBuffer } from '../wire/byte-buffer.ts';
import { excerpt } from './bytes.ts';
import { readJsonBody } from './json-body.ts';
import type { ParserOptions, UnfinishedCall } from './parser.ts';
import { type Stage, TextDialect } from './text-dialect.ts';

export interface SectionTokens {
  readonly section: string;
  readonly endSection: string;
  readonly call: string;
  readonly endCall: string;
  /** A section ends a leading think block that is still open. */
  readonly endsThinking?: true;
  /** Between the header of a call and its arguments. */
  readonly separator: string;
  /** How a call begins, as it is shown to who wrote another beginning. */
  readonly form: string;
}

interface CallHeader {
  readonly id?: string;
  readonly name: string;
}

export abstract class SectionedDialect extends TextDialect {
  protected readonly start: Stage;
  /** The arguments of a call, up to its end. */
  protected readonly plainArguments: Stage;
  /** The header or the arguments under way. */
  protected readonly bytes = new ByteBuffer();
  /** Of the call under way, as soon as it is known. */
  protected header: CallHeader | null = null;

  readonly #tokens: SectionTokens;
  readonly #section: Stage;
  readonly #header: Stage;
  #isOpen = false;
  #callsInSection = 0;

  constructor(options: ParserOptions, tokens: SectionTokens) {
    super(options, tokens.endsThinking === true ? tokens.section : undefined);
    const { section, endSection, call, endCall, separator } = tokens;
    this.#tokens = tokens;
    this.start = this.stage({ markers: { section }, release: this.asText, found: () => this.#openSection() });
    this.#section = this.stage({
      markers: { call, endSection },
      release: this.onlyBlanks,
      found: (marker) => (marker === 'call' ? this.#openCall() : this.#closeSection()),
      until: endSection,
    });
    this.#header = this.stage({
      markers: { separator, call, endCall, section, endSection },
      release: this.into(this.bytes),
      found: (marker) => (marker === 'separator' ? this.takeHeader() : this.refuseHeader()),
      until: endCall,
    });
    this.plainArguments = this.stage({
      markers: { endCall },
      release: this.into(this.bytes),
      found: (_, at) => this.closeCall(at),
      until: endCall,
    });
  }

  /** The separator is there: `bytes` is the header. Goes on in another stage, or refuses it. */
  protected abstract takeHeader(): void;

  protected underWay(): UnfinishedCall | null {
    if (!this.#isOpen) return null;
    return this.header === null ? {} : { ...this.header, arrived: this.bytes.length };
  }

  /** Goes on to the arguments of this call. */
  protected goOn(header: CallHeader, to: Stage): void {
    this.header = header;
    this.bytes.clear();
    this.enter(to);
  }

  protected refuseHeader(): void {
    const text = excerpt(this.bytes.bytes, 0, this.bytes.length);
    this.fail({ kind: 'bad_call', reason: 'malformed', text, form: this.#tokens.form });
  }

  /** The call is whole; its arguments are the first `length` bytes of `bytes`. */
  protected closeCall(at: number, length = this.bytes.length): void {
    const body = readJsonBody(this.bytes.bytes.subarray(0, length));
    if (body.problem !== null) return this.fail(body.problem, body.key === undefined ? {} : { key: body.key });
    this.run({ ...this.header!, args: { form: 'json', text: body.text, object: body.object } }, at);
    this.bytes.clear();
    this.header = null;
    this.#isOpen = false;
    this.enter(this.#section);
  }

  #openSection(): void {
    this.open();
    this.#callsInSection = 0;
    this.enter(this.#section);
  }

  #closeSection(): void {
    if (this.#callsInSection === 0) return this.fail({ kind: 'xml_unexpected_text', text: this.#tokens.endSection });
    this.close();
    this.enter(this.start);
  }

  #openCall(): void {
    if (!this.openCall()) return;
    this.#callsInSection++;
    this.#isOpen = true;
    this.enter(this.#header);
  }
}
