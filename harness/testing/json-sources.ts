/** Source texts of JSON objects, good, damaged and of other kinds; and messages that hold calls as JSON (streams.md). */
import fc from 'fast-check';
import { perhapsDamaged } from './byte-damage.ts';
import { perhapsThinking, utf8 } from './ctl-messages.ts';

const BLANKS = fc.constantFrom('', '', '', ' ', '\n', '\r\n\t', '  ');

const STRINGS = fc.constantFrom(
  '""',
  '"a"',
  '"}{]["',
  String.raw`"\""`,
  String.raw`"\\"`,
  String.raw`"\\\""`,
  String.raw`"\u007d\n"`,
  String.raw`"\ud83d\ude00"`,
  String.raw`"\ud83d"`,
  '"é😀"',
  '"a:b,c"',
);

/** Longer than what a scanner looks at byte by byte, with runs of backslashes anywhere. */
const LONG_STRINGS = fc
  .array(fc.constantFrom('x'.repeat(47), 'x'.repeat(20), 'x', String.raw`\\`, String.raw`\"`, 'é'), {
    minLength: 2,
    maxLength: 9,
  })
  .map((pieces) => `"${pieces.join('')}"`);

const NUMBERS = fc.constantFrom('0', '-1', '0.1', '1e5', '12345678901234567890', '1E-400', '01', '+1', '.5', '1.');
const WORDS = fc.constantFrom('true', 'null', 'nul', 'NaN', "'a'");

/** Few, so that keys repeat; `\u0061` is `a`. */
const KEYS = fc.constantFrom(
  '"a"',
  '"b"',
  '"c"',
  '"d"',
  '"e"',
  '"name"',
  String.raw`"\u0061"`,
  '"__proto__"',
  '"1"',
  '"a:"',
);

type Values = { object: string; array: string; value: string };

const { object: OBJECTS } = fc.letrec<Values>((tie) => ({
  object: fc
    .tuple(fc.array(fc.tuple(KEYS, BLANKS, BLANKS, tie('value')), { maxLength: 3 }), BLANKS)
    .map(([members, blank]) => {
      const inner = members.map(([key, before, after, value]) => `${before}${key}${after}:${before}${value}`);
      return `{${blank}${inner.join(`${blank},`)}${blank}}`;
    }),
  array: fc
    .tuple(fc.array(tie('value'), { maxLength: 3 }), BLANKS)
    .map(([values, blank]) => `[${blank}${values.join(`,${blank}`)}]`),
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    { weight: 4, arbitrary: STRINGS },
    { weight: 2, arbitrary: NUMBERS },
    { weight: 1, arbitrary: WORDS },
    { weight: 1, arbitrary: LONG_STRINGS },
    { weight: 2, arbitrary: tie('object') },
    { weight: 1, arbitrary: tie('array') },
  ),
}));

const DEEP = fc
  .tuple(fc.integer({ min: 1, max: 70 }), fc.constantFrom('0', '{}', '[]', '{"a":1,"a":2}'))
  .map(([depth, core]) => `${'{"a":['.repeat(depth)}${core}${']}'.repeat(depth)}`);

const ODD = fc.constantFrom(
  '',
  ' ',
  'null',
  '[]',
  '"{}"',
  '1',
  '{}{}',
  '{},"x":1}',
  '{} x',
  '{]',
  '{"a":[}]',
  '{"a":1,}',
  '{"a" 1}',
  '{:}',
  '{"a":"\n"}',
  '{"a":"\u0001"}',
  '\ufeff{}',
  '{"a":1}\u00a0',
  '{"a":{"b":1,"b":1}}',
  '{"a":1,"\\u0061":2}',
);

/** The arguments of a native call. */
export const ARGUMENTS: fc.Arbitrary<Uint8Array> = perhapsDamaged(
  fc
    .oneof(
      { weight: 6, arbitrary: fc.tuple(BLANKS, OBJECTS, BLANKS).map((parts) => parts.join('')) },
      { weight: 2, arbitrary: fc.constantFrom('{}', '{"a":1}', '{"path":"a.txt","content":"x\\ny"}') },
      { weight: 1, arbitrary: DEEP },
      { weight: 1, arbitrary: ODD },
    )
    .map(utf8),
);

const ELEMENTS = fc
  .tuple(fc.constantFrom('"a"', '"write_file"', '"a"', '""', '1'), OBJECTS, BLANKS, fc.nat(11))
  .map(([name, args, blank, shape]) => {
    if (shape === 0) return `{"name":${name},"arguments":${args},"x":1}`;
    if (shape === 1) return `{"name":${name}}`;
    if (shape === 2) return `{"name":${name},"name":${name},"arguments":${args}}`;
    if (shape === 3) return `{"name":${name},"arguments":[]}`;
    if (shape < 6) return `{${blank}"arguments"${blank}:${args}${blank},"name":${name}}`;
    return `{${blank}"name":${name},${blank}"arguments":${blank}${args}${blank}}`;
  });

const GOOD_ELEMENTS = fc.constantFrom('{"name":"a","arguments":{}}', '{"arguments":{"k":"}"},"name":"b"}');

/** Whole messages: an object, an array, prose. */
export const CALLS_IN_TEXT: fc.Arbitrary<Uint8Array> = perhapsThinking(
  perhapsDamaged(
    fc
      .oneof(
        {
          weight: 3,
          arbitrary: fc.tuple(BLANKS, fc.oneof(GOOD_ELEMENTS, ELEMENTS), BLANKS).map((parts) => parts.join('')),
        },
        {
          weight: 5,
          arbitrary: fc
            .tuple(
              fc.array(fc.oneof(GOOD_ELEMENTS, ELEMENTS), { maxLength: 3 }),
              BLANKS,
              fc.constantFrom(']', ']', '', '] x', ',]'),
            )
            .map(
              ([elements, blank, close]) => `${blank}[${blank}${elements.join(`${blank},${blank}`)}${blank}${close}`,
            ),
        },
        {
          weight: 1,
          arbitrary: fc.constantFrom('Hello', '', '[1, {"name":"a","arguments":{}}]', '```json\n{}\n```', '[[', '{}'),
        },
      )
      .map(utf8),
  ),
);
