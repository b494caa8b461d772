/** Messages in the hermes, qwen-xml and glm forms, valid and almost (parsers/hermes.ts, qwen-xml.ts, glm.ts). */
import fc from 'fast-check';
import type { ParserOptions } from '../parsers/parser.ts';
import { around, perhapsThinking, utf8 } from './ctl-messages.ts';
import { ARGUMENTS } from './json-sources.ts';
import { joined, usually } from './sectioned-messages.ts';

const OPENER = '<tool_call>';
const CLOSER = '</tool_call>';
const TAGS = [
  OPENER,
  CLOSER,
  '<function=',
  '<function=f>',
  '</function>',
  '<parameter=',
  '<parameter=p>',
  '</parameter>',
  '<arg_key>',
  '</arg_key>',
  '<arg_value>',
  '</arg_value>',
];
const ALMOST = [
  '<tool_cal',
  '<<tool_call',
  '</tool_call',
  '<tool_call >',
  '</tool_</tool_call',
  '</param</',
  '<function',
  'é',
  '<',
  'x\n',
];

const BLANKS = fc.constantFrom('', '', '\n', '\n', ' ', '\t\r\n');
const BETWEEN = fc.oneof(
  { weight: 80, arbitrary: BLANKS },
  { weight: 1, arbitrary: fc.constantFrom(...TAGS, ...ALMOST, '\u00a0') },
);

const TEXT = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('', '', '\n', 'I will.\n', 'é', '<', 'a</tool_call>') },
  { weight: 1, arbitrary: fc.constantFrom(...ALMOST) },
);

/** Half of the values as a template writes them: between line feeds. */
function values(options: ParserOptions): fc.Arbitrary<Uint8Array> {
  const pieces = fc.constantFrom('a', 'hello\n', '\n', 'é', '<', '</', 'if (a < b && c)', '&lt;', '</arg', ' ');
  const value = fc.oneof(
    { weight: 6, arbitrary: fc.array(pieces, { maxLength: 3 }).map((all) => utf8(all.join(''))) },
    { weight: 1, arbitrary: around(options.argumentLimit) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 5 }) },
    { weight: 1, arbitrary: fc.constantFrom(...TAGS, ...ALMOST).map(utf8) },
  );
  const lf = fc.constantFrom('', '\n');
  return fc.tuple(lf, value, lf).map(joined);
}

const NAMES = names('a', 'write_file', 'a.b-c', 'é');
const KEYS = names('k', 'j', 'path', 'é', 'k k');

function names(...good: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 30, arbitrary: fc.constantFrom(...good) },
    { weight: 1, arbitrary: fc.constantFrom('', ' ', ' a', 'a ', 'a\n', '\na', 'a<b', 'a>b', '<', '</') },
  );
}

/** Text, then calls with text behind each. */
function messages(calls: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Uint8Array> {
  const further = fc.array(fc.tuple(calls, TEXT).map(joined), { maxLength: 3 });
  return perhapsThinking(fc.tuple(TEXT, further).map(([text, all]) => joined([text, ...all])));
}

export function hermesMessages(): fc.Arbitrary<Uint8Array> {
  const args = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('{}', '{"k":"v"}', '{"k":"}","j":{"k":[1]}}').map(utf8) },
    { weight: 4, arbitrary: ARGUMENTS },
    { weight: 1, arbitrary: fc.constantFrom(...TAGS).map((tag) => utf8(JSON.stringify({ k: tag }))) },
  );
  const body = fc.tuple(fc.constantFrom('"a"', '"write_file"', '"é"'), args, BLANKS, fc.nat(30)).map(shaped);
  return messages(fc.tuple(usually(OPENER), BETWEEN, body, BETWEEN, usually(CLOSER)).map(joined));
}

function shaped([name, args, blank, shape]: readonly [string, Uint8Array, string, number]): Uint8Array {
  switch (shape) {
    case 0:
      return utf8(`{"name":${name}}`);
    case 1:
      return joined(['{"name":"","arguments":', args, '}']);
    case 2:
      return joined(['{"name":1,"arguments":', args, '}']);
    case 3:
      return joined([`{"name":${name},"name":${name},"arguments":`, args, '}']);
    case 4:
      return utf8(`{"name":${name},"arguments":"{}"}`);
    case 5:
      return utf8(`{"name":${name},"arguments":[]}`);
    case 6:
      return joined(['{"arguments":', args, ',"name":"\\ud800"}']);
    case 7:
    case 8:
      return joined([`{"id":12,"x":{"arguments":[1]},"\\u0061rguments":`, args, `,"name":${name}}`]);
    default:
      return shape < 18
        ? joined([`{${blank}"arguments"${blank}:${blank}`, args, `,${blank}"name":${name}}`])
        : joined([`{"name":${blank}${name},${blank}"arguments":${blank}`, args, `${blank}}`]);
  }
}

export function qwenXmlMessages(options: ParserOptions): fc.Arbitrary<Uint8Array> {
  const open = (head: string, name: fc.Arbitrary<string>) => fc.tuple(usually(head), name, usually('>')).map(joined);
  const parameter = fc.tuple(open('<parameter=', KEYS), values(options), usually('</parameter>'), BETWEEN).map(joined);
  const parameters = fc.array(parameter, { maxLength: 2 }).map(joined);
  const inner = fc.tuple(open('<function=', NAMES), BETWEEN, parameters, usually('</function>'), BETWEEN).map(joined);
  const functions = fc.oneof(
    { weight: 9, arbitrary: fc.array(inner, { minLength: 1, maxLength: 2 }).map(joined) },
    { weight: 1, arbitrary: fc.constant(new Uint8Array(0)) },
  );
  return messages(fc.tuple(usually(OPENER), BETWEEN, functions, usually(CLOSER)).map(joined));
}

export function glmMessages(options: ParserOptions): fc.Arbitrary<Uint8Array> {
  const key = fc.tuple(usually('<arg_key>'), KEYS, usually('</arg_key>')).map(joined);
  const value = fc.tuple(usually('<arg_value>'), values(options), usually('</arg_value>')).map(joined);
  const argument = fc.tuple(key, BETWEEN, value, BETWEEN).map(joined);
  const all = fc.array(argument, { maxLength: 2 }).map(joined);
  return messages(fc.tuple(usually(OPENER), NAMES, BETWEEN, all, usually(CLOSER)).map(joined));
}
