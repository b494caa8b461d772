/** Crafted streams for the two JSON protocols: what arguments are, and which calls run. */
import type { CraftedCase, Outcome } from './case.ts';
import { called, type NativeCase, nativeCase } from './native-case.ts';

const OBJECT = 'streams.md: arguments are exactly one JSON object';
const EMPTY = 'streams.md: no arguments at all mean {}';
const REPEATED = 'streams.md: a repeated key at any depth';
const WHOLE = 'streams.md: json-whole, json-object';
const CLOSING = '0002, JSON: json-object closes a call';
const ORDER = '0002, JSON: order at a complete end';

const GOOD: readonly NativeCase[] = [
  good('empty-object', '{}'),
  good('blanks-around', ' \t\n\r{ "k" : 1 }\r\n\t '),
  good('braces-in-string', '{"k":"}{]["}'),
  good('quote-in-string', '{"k":"\\"}"}'),
  good('backslash-at-end', '{"k":"\\\\"}'),
  good('nested', '{"a":{"b":[{},[1,null,true]]}}'),
  good('non-ascii', '{"é":"那😀"}'),
  good('beyond-doubles', '{"k":9007199254740993}'),
  good('empty-key', '{"":1}'),
  good('prototype-key', '{"__proto__":{"x":1}}'),
  good('same-key-in-siblings', '{"a":{"k":1},"b":{"k":2}}'),
  good('lone-surrogate-escape', '{"k":"\\ud83d"}'),
];

const BAD: readonly NativeCase[] = [
  bad('blanks-only', ' ▸'),
  bad('array', '▸[1]'),
  bad('string', '▸"{}"'),
  bad('number', '▸1'),
  bad('null', '▸null'),
  bad('prose', ' ▸x{}'),
  bad('no-break-space', '▸\u00a0{}'),
  bad('byte-order-mark', '▸\ufeff{}'),
  bad('text-after', '{} ▸x'),
  bad('object-twice', '{"k":1}▸{"k":1}'),
  bad('empty-object-first', '{}▸{"k":1}'),
  bad('brace-twice', '{}▸}'),
  bad('bad-literal', '{"k":tru▸}'),
  bad('single-quotes', "{'k':1▸}"),
  bad('no-quotes', '{k:1▸}'),
  bad('trailing-comma', '{"k":1,▸}'),
  bad('leading-zero', '{"k":01▸}'),
  bad('not-a-number', '{"k":NaN▸}'),
  bad('comment', '{/* */▸}'),
  bad('raw-lf-in-string', '{"k":"a␊b"▸}'),
  bad('bad-escape', '{"k":"\\x"▸}'),
  bad('bracket-differs', '{"k":[1▸}]}'),
  bad('bracket-not-open', '{"k":1▸]}'),
  bad('open', '{"k":1▸'),
  bad('open-string', '{"k":"}▸'),
  bad('open-inner', '{"k":{}▸'),
  bad('repeated-key', '{"k":1,"k":2▸}', 'duplicate_key'),
  bad('repeated-key-same-value', '{"k":1,"k":1▸}', 'duplicate_key'),
  bad('repeated-key-escaped', '{"k":1,"\\u006b":2▸}', 'duplicate_key'),
  bad('repeated-key-nested', '{"a":[{"k":1,"k":2}]▸}', 'duplicate_key'),
];

const c1 = called('c1', 't', '{"k":1}');
const c2 = called('c2', 'u');
const open1 = { index: 0, id: 'c1', name: 't' };
const open2 = { index: 1, id: 'c2', name: 'u' };
const first = { ...open1, args: '{"k":1}' };
const second = { ...open2, args: '{}' };

const RULES: readonly NativeCase[] = [
  { id: 'two-calls', rule: WHOLE, fragments: [first, second], whole: { calls: [c1, c2] } },
  { id: 'second-cut', rule: WHOLE, fragments: [first, second], ending: 'nothing', whole: {}, object: { calls: [c1] } },
  {
    id: 'first-bad',
    rule: WHOLE,
    fragments: [{ ...open1, args: '▸[]' }, second],
    whole: { error: 'args_not_object' },
    object: { calls: [c2], error: 'args_not_object' },
  },
  {
    id: 'second-bad',
    rule: WHOLE,
    fragments: [first, { ...open2, args: '▸[]' }],
    whole: { error: 'args_not_object' },
    object: { calls: [c1], error: 'args_not_object' },
  },
  {
    id: 'first-open',
    rule: CLOSING,
    fragments: [
      { ...open1, args: '{"k":' },
      { ...open2, args: '{}' },
    ],
    whole: { error: 'args_not_object' },
    object: { calls: [c2], error: 'args_not_object' },
    place: { offset: 7, line: 1 },
  },
  {
    id: 'interleaved',
    rule: CLOSING,
    fragments: [{ ...open1, args: '{"k":' }, second, { index: 0, args: '1}' }],
    whole: { calls: [c1, c2] },
  },
  {
    id: 'order-of-running',
    rule: '0002, JSON: order of calls',
    fragments: [
      { ...open1, args: '{"k":' },
      second,
      { index: 2, id: 'c3', name: 'v', args: '{}' },
      { index: 0, args: '1}' },
    ],
    whole: { calls: [c1, c2, called('c3', 'v')] },
    object: { calls: [c2, c1, called('c3', 'v')] },
  },
  { id: 'no-arguments', rule: EMPTY, fragments: [open1], whole: { calls: [called('c1', 't', '')] } },
  { id: 'no-arguments-cut', rule: EMPTY, fragments: [open1], ending: 'nothing', whole: {} },
  {
    id: 'no-arguments-then-next',
    rule: EMPTY,
    fragments: [{ ...open1, args: '' }, second],
    whole: { calls: [called('c1', 't', ''), c2] },
    object: { calls: [c2, called('c1', 't', '')] },
  },
  {
    id: 'nameless-before-open',
    rule: ORDER,
    fragments: [
      { ...open1, args: '{"k":' },
      { index: 1, args: '▸1}' },
    ],
    whole: { error: 'orphan_delta' },
  },
  {
    id: 'open-in-order-of-ordinal',
    rule: ORDER,
    fragments: [open1, { ...open2, args: '{' }, { index: 0, args: ' ' }],
    whole: { error: 'args_not_object' },
    place: { offset: 2, line: 1 },
    note: 'Both are bad at the end; the first call is the one reported.',
  },
  {
    id: 'many-calls',
    rule: '0002, JSON: no limit of calls',
    fragments: manyCalls(),
    whole: { calls: manyCalls().map(({ id }) => called(id, 't')) },
  },
];

export const JSON_CASES: readonly CraftedCase[] = [...GOOD, ...BAD, ...RULES].map((written) =>
  nativeCase({ ...written, id: `json-${written.id}` }),
);

function good(id: string, args: string): NativeCase {
  return {
    id,
    rule: OBJECT,
    fragments: [{ index: 0, id: 'c1', name: 't', args }],
    whole: { calls: [called('c1', 't', args)] },
  };
}

function bad(id: string, args: string, error: NonNullable<Outcome['error']> = 'args_not_object'): NativeCase {
  const rule = error === 'duplicate_key' ? REPEATED : OBJECT;
  return { id, rule, fragments: [{ index: 0, id: 'c1', name: 't', args }], whole: { error } };
}

function manyCalls(): readonly {
  readonly index: number;
  readonly id: string;
  readonly name: string;
  readonly args: string;
}[] {
  return Array.from({ length: 257 }, (_, index) => ({ index, id: `c${index}`, name: 't', args: '{}' }));
}
