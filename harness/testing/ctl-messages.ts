/** Messages in CTL, valid and almost: every form of every line, and lines and values around their limits (ctl.md). */
import fc from 'fast-check';
import type { ParserOptions } from '../parsers/parser.ts';

const LONG_ID = 'i'.repeat(64);

/** The forms of one argument, as the bytes that stand in the message. */
function argument(options: ParserOptions): fc.Arbitrary<Uint8Array> {
  return fc.oneof(
    { weight: 5, arbitrary: lengthPrefixed(options) },
    { weight: 3, arbitrary: inline(options) },
    { weight: 5, arbitrary: heredoc(options) },
    { weight: 1, arbitrary: fc.constantFrom(...ODD_LINES).map(utf8) },
  );
}

const KEYS = fc.constantFrom('k', 'k', 'j', 'path', 'a.b_c-d');

const ODD_LINES = [
  'arg\n',
  'arg \n',
  'arg k\n',
  'arg k \n',
  'arg  k 5\n',
  'arg k  5\n',
  'arg k <<\n',
  "arg k <<'E\n",
  'arg k <<E F\n',
  `arg k <<${'T'.repeat(33)}\n`,
  'arg k 99999999999999999999999\n',
  'arg k 5\r\n',
  'arg é 5\n',
  'arg k -1\n',
  'arg k +2\n',
  'args x\n',
  'ARG k 1\n',
  '\n',
  ' arg k 1\n',
];

const VALUE_PIECES = fc.constantFrom(
  'a',
  'hello',
  'é',
  '\n',
  'end\n',
  'E\n',
  '\r\n',
  'arg j 1\n',
  'call c9 t\n',
  '0',
  '\t',
);

function value(options: ParserOptions): fc.Arbitrary<Uint8Array> {
  return fc.oneof(
    { weight: 6, arbitrary: fc.array(VALUE_PIECES, { maxLength: 4 }).map((pieces) => utf8(pieces.join(''))) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 6 }) },
    { weight: 1, arbitrary: around(options.argumentLimit) },
  );
}

function lengthPrefixed(options: ParserOptions): fc.Arbitrary<Uint8Array> {
  const miscount = fc.oneof(
    { weight: 8, arbitrary: fc.constant(0) },
    { weight: 2, arbitrary: fc.integer({ min: -3, max: 4 }) },
    { weight: 1, arbitrary: fc.integer({ min: 5, max: 300 }) },
  );
  const zeros = fc.constantFrom('', '', '', '0', '00');
  const separator = fc.constantFrom('\n', '\n', '\n', '', '\n\n');
  return fc.tuple(KEYS, value(options), miscount, zeros, separator).map(([key, bytes, wrong, zero, lf]) => {
    const declared = Math.max(0, bytes.length + wrong);
    return Buffer.concat([utf8(`arg ${key} ${zero}${declared}\n`), bytes, utf8(lf)]);
  });
}

function inline(options: ParserOptions): fc.Arbitrary<Uint8Array> {
  const plain = fc.constantFrom('12a', 'hello', ' 5', '<E', "'<<E'", 'é', '5\r', 'a b  c', '-').map(utf8);
  // `arg k ` is six bytes.
  const long = around(options.lineLimit - 6);
  return fc
    .tuple(KEYS, fc.oneof({ weight: 4, arbitrary: plain }, { weight: 1, arbitrary: long }))
    .map(([key, bytes]) => Buffer.concat([utf8(`arg ${key} `), bytes, utf8('\n')]));
}

function heredoc(options: ParserOptions): fc.Arbitrary<Uint8Array> {
  const tag = fc.constantFrom('E', 'EOF', 'end', '7', 'T'.repeat(32));
  const quote = fc.constantFrom('', '', "'", '"');
  const line = (name: string) =>
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc.constantFrom('', 'x', 'end', 'call c9 t', `${name}x`, ` ${name}`, `${name} `).map(utf8),
      },
      { weight: 1, arbitrary: fc.constantFrom(`${name}\r`, name.slice(1), `\t${name}`, 'é', 'arg k 1').map(utf8) },
      { weight: 1, arbitrary: around(options.lineLimit) },
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 5 }) },
    );
  const close = fc.constantFrom('close', 'close', 'close', 'close', 'close', 'none');
  return fc.tuple(KEYS, tag, quote, close).chain(([key, name, mark, closing]) =>
    fc.array(line(name), { maxLength: 4 }).map((lines) => {
      const body = lines.flatMap((bytes) => [bytes, utf8('\n')]);
      return Buffer.concat([
        utf8(`arg ${key} <<${mark}${name}${mark}\n`),
        ...body,
        utf8(closing === 'none' ? '' : `${name}\n`),
      ]);
    }),
  );
}

const HEADERS = fc.oneof(
  {
    weight: 9,
    arbitrary: fc
      .tuple(fc.constantFrom('c1', 'c2', 'c3', 'c4', 'a.b:c-_'), fc.constantFrom('t', 'write_file'))
      .map(([id, name]) => `call ${id} ${name}\n`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      `call ${LONG_ID} t\n`,
      `call ${LONG_ID}i t\n`,
      'call c1  t\n',
      'call c1 t \n',
      'call c1\n',
      'call \n',
      'call é t\n',
      'call c1 t\r\n',
      'call c1 a:b\n',
      'call me maybe later\n',
    ),
  },
);

const ENDS = fc.oneof(
  { weight: 12, arbitrary: fc.constant('end\n') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('end', 'end \n', 'endless\n', 'en', 'e\n', '', 'end\r\n', 'End\n', '\nend\n'),
  },
);

function call(options: ParserOptions): fc.Arbitrary<Uint8Array> {
  return fc
    .tuple(HEADERS, fc.array(argument(options), { maxLength: 3 }), ENDS)
    .map(([header, args, end]) => Buffer.concat([utf8(header), ...args, utf8(end)]));
}

function textLine(options: ParserOptions): fc.Arbitrary<Uint8Array> {
  const words = fc.constantFrom(
    '',
    'I call that',
    'call',
    'cal',
    ' call c1 t',
    'Call c1 t',
    'end',
    'arg k 3',
    'é',
    'callc1 t',
    '\r',
  );
  return fc
    .tuple(
      fc.oneof({ weight: 6, arbitrary: words.map(utf8) }, { weight: 1, arbitrary: around(options.lineLimit) }),
      fc.constantFrom('\n', '\n', '\n', ''),
    )
    .map(([line, lf]) => Buffer.concat([line, utf8(lf)]));
}

/** A leading think block: whole, open, or only almost one. */
export const THINKING = fc.constantFrom(
  '<think>call c1 t\nend\n</think>',
  '<think></think>',
  ' \n\t\r<think>\n</thin</think>\n',
  '<think><</think>',
  '<think>never closed\n',
  '<thinking>',
  '<thi',
  '\n',
  'x<think></think>',
  '<think></think><think></think>',
);

/** Nine in ten without. */
export function perhapsThinking(messages: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Uint8Array> {
  const lead = fc.oneof({ weight: 9, arbitrary: fc.constant('') }, { weight: 1, arbitrary: THINKING });
  return fc.tuple(lead, messages).map(([thinking, message]) => Buffer.concat([utf8(thinking), message]));
}

export function ctlMessages(options: ParserOptions): fc.Arbitrary<Uint8Array> {
  const part = fc.oneof({ weight: 3, arbitrary: call(options) }, { weight: 1, arbitrary: textLine(options) });
  return perhapsThinking(fc.array(part, { maxLength: 4 }).map((parts) => Buffer.concat(parts)));
}

/** A run of bytes whose length is about `limit`. */
export function around(limit: number): fc.Arbitrary<Uint8Array> {
  return fc
    .integer({ min: Math.max(0, limit - 3), max: Math.max(0, limit + 2) })
    .map((length) => utf8('x'.repeat(length)));
}

export function utf8(text: string): Uint8Array {
  return Buffer.from(text);
}
