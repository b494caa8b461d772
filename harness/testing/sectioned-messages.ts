/** What the messages of DeepSeek and Kimi have in common: special tokens, sometimes wrong ones, and what stands between. */
import fc from 'fast-check';
import { perhapsThinking, utf8 } from './ctl-messages.ts';
import { ARGUMENTS } from './json-sources.ts';

export interface SectionedForm {
  readonly section: string;
  readonly endSection: string;
  readonly call: string;
  readonly endCall: string;
  readonly separator: string;
}

/** Mostly the token, rarely a broken one. */
export function usually(token: string): fc.Arbitrary<string> {
  const wrong = ['', token.slice(0, -1), `${token}${token}`, token.toUpperCase(), ` ${token}`, `${token}\n`];
  return fc.oneof({ weight: 60, arbitrary: fc.constant(token) }, { weight: 1, arbitrary: fc.constantFrom(...wrong) });
}

/** JSON objects, good and bad, and some with `tokens` in their strings. */
export function argumentsWith(tokens: readonly string[]): fc.Arbitrary<Uint8Array> {
  const hostile = fc.constantFrom(...tokens).map((token) => utf8(`{"k":"a${token}b"}`));
  const plain = fc.constantFrom('{}', '{"path":"a.txt"}', '\n{"a":1}\n', '{"é":"😀"}', '{"a":1,"a":2}', '').map(utf8);
  return fc.oneof(
    { weight: 6, arbitrary: plain },
    { weight: 2, arbitrary: ARGUMENTS },
    { weight: 1, arbitrary: hostile },
  );
}

export function joined(parts: readonly (string | Uint8Array)[]): Uint8Array {
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? utf8(part) : part)));
}

/** Text, up to two sections of up to three calls, text. `headers` stand before the separator, `bodies` behind it. */
export function sectionedMessages(
  form: SectionedForm,
  { headers, bodies }: { headers: fc.Arbitrary<string>; bodies: fc.Arbitrary<Uint8Array> },
): fc.Arbitrary<Uint8Array> {
  const blanks = fc.constantFrom('', '', '\n', ' ', '\t\r\n');
  const stray = fc.constantFrom('x', '\n<', form.endCall, form.separator, form.section, 'é', form.call.slice(0, 9));
  const between = fc.oneof({ weight: 80, arbitrary: blanks }, { weight: 1, arbitrary: stray });
  const call = fc
    .tuple(usually(form.call), headers, usually(form.separator), bodies, usually(form.endCall), between)
    .map(joined);
  const calls = fc.oneof(
    { weight: 12, arbitrary: fc.array(call, { minLength: 1, maxLength: 3 }) },
    { weight: 1, arbitrary: fc.constant<Uint8Array[]>([]) },
  );
  const section = fc
    .tuple(
      usually(form.section),
      between,
      calls.map((all) => Buffer.concat(all)),
      usually(form.endSection),
    )
    .map(joined);
  const text = fc.constantFrom('', '', 'I will.\n', ' é\r\n', '<', `quoted ${form.call}`, form.section.slice(0, -1));
  const sections = fc.array(fc.tuple(section, text).map(joined), { maxLength: 2 });
  return perhapsThinking(
    fc
      .tuple(
        text,
        sections.map((all) => Buffer.concat(all)),
      )
      .map(joined),
  );
}
