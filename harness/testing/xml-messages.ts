/** Messages in the MiniMax form, valid and almost (xml.md). */
import fc from 'fast-check';
import type { ParserOptions } from '../parsers/parser.ts';
import { around, perhapsThinking, utf8 } from './ctl-messages.ts';

const BLANKS = fc.constantFrom('', '', '\n', '\n', ' ', '\t\r\n');

/** Blanks, rarely something else. */
const BETWEEN = fc.oneof(
  { weight: 120, arbitrary: BLANKS },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'x',
      '\n<',
      '</',
      '<minimax:tool_call>',
      '</parameter>',
      'é',
      '</invoke>',
      '\u00a0',
      '<invoke',
    ),
  },
);

const VALUE_PIECES = fc.constantFrom(
  'a',
  'hello\n',
  'é',
  '<',
  '</',
  '</param',
  '</<',
  'if (a < b && c)',
  '&lt;',
  '<invoke name="b">',
  '\n',
);

function value(options: ParserOptions): fc.Arbitrary<Uint8Array> {
  const hostile = '</parameter></invoke></minimax:tool_call>';
  return fc.oneof(
    { weight: 6, arbitrary: fc.array(VALUE_PIECES, { maxLength: 3 }).map((pieces) => utf8(pieces.join(''))) },
    { weight: 1, arbitrary: around(options.argumentLimit) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 5 }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('</parameter>', '</parameter>x', '</invoke>', hostile, `${hostile}\n`).map(utf8),
    },
  );
}

function parameter(options: ParserOptions): fc.Arbitrary<Uint8Array> {
  const open = fc.oneof(
    { weight: 30, arbitrary: fc.constantFrom('k', 'j', 'i', 'é', ' ').map((key) => `<parameter name="${key}">`) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '<parameter name="">',
        '<parameter name="k>',
        '<parameter name="k" >',
        '<parameter  name="k">',
        "<parameter name='k'>",
        '<parameter name="k\n">',
        '<parameter>',
        '',
      ),
    },
  );
  return fc.tuple(open, value(options), usually('</parameter>'), BETWEEN).map(joined);
}

function invoke(options: ParserOptions): fc.Arbitrary<Uint8Array> {
  const open = fc.oneof(
    { weight: 30, arbitrary: fc.constantFrom('<invoke name="a">', '<invoke name="write_file">') },
    {
      weight: 1,
      arbitrary: fc.constantFrom('<invoke name="">', '<invoke name="a"', '<invoke>', '', '<invoke name="a>'),
    },
  );
  const parameters = fc.array(parameter(options), { maxLength: 2 }).map((all) => Buffer.concat(all));
  return fc.tuple(open, BETWEEN, parameters, usually('</invoke>'), BETWEEN).map(joined);
}

function block(options: ParserOptions): fc.Arbitrary<Uint8Array> {
  const invokes = fc.oneof(
    { weight: 9, arbitrary: fc.array(invoke(options), { minLength: 1, maxLength: 2 }) },
    { weight: 1, arbitrary: fc.constant<Uint8Array[]>([]) },
  );
  return fc
    .tuple(
      usually('<minimax:tool_call>'),
      BETWEEN,
      invokes.map((all) => Buffer.concat(all)),
      usually('</minimax:tool_call>'),
      BETWEEN,
    )
    .map(joined);
}

const TEXTS = fc.constantFrom(
  '',
  '',
  '\n',
  'I will.\n',
  'I write <minimax:tool_call> here\n',
  ' ',
  '<minimal>\n',
  '<minimax:tool_cal\n',
  '<\n',
  'é\r\n',
  '\n<minimax:tool_call',
);

export function xmlMessages(options: ParserOptions): fc.Arbitrary<Uint8Array> {
  const after = fc.oneof(
    { weight: 6, arbitrary: fc.constant('') },
    { weight: 1, arbitrary: fc.constantFrom('Result: ok', '\n<minimax', '<', '  ', '\n<minimax:tool_call>', 'x\n') },
  );
  const blocks = fc.array(block(options), { maxLength: 2 }).map((all) => Buffer.concat(all));
  return perhapsThinking(fc.tuple(TEXTS, blocks, after).map(joined));
}

function usually(tag: string): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 60, arbitrary: fc.constant(tag) },
    { weight: 1, arbitrary: fc.constantFrom('', tag.slice(0, -1), `${tag}${tag}`, tag.toUpperCase(), ` ${tag}`) },
  );
}

function joined(parts: readonly (string | Uint8Array)[]): Uint8Array {
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? utf8(part) : part)));
}
