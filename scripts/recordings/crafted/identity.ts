/** Crafted streams for the table "Which call does a tool delta belong to?" of streams.md, row by row. */
import type { CraftedCase } from './case.ts';
import { called, type NativeCase, nativeCase } from './native-case.ts';

const TABLE = 'streams.md: which call does a tool delta belong to';
const NAMELESS = '0002: a nameless place';
const NAMES = '0002: names are set once';
const TYPES = '0002: a field of the wrong type';

const c1 = called('c1', 't', '{"k":1}');
const c2 = called('c2', 'u');
const open1 = { index: 0, id: 'c1', name: 't', args: '{"k":' };
const whole1 = { index: 0, id: 'c1', name: 't', args: '{"k":1}' };
const rest1 = { index: 0, args: '1}' };

const NEW_INDEX: readonly NativeCase[] = [
  {
    id: 'new-name',
    rule: TABLE,
    fragments: [{ index: 0, name: 't', args: '{}' }],
    whole: { calls: [called('call_0', 't')] },
  },
  { id: 'new-id-name', rule: TABLE, fragments: [whole1], whole: { calls: [c1] } },
  {
    id: 'new-id-name-to-come',
    rule: TABLE,
    fragments: [
      { index: 0, id: 'c1', args: '{"k":' },
      { index: 0, name: 't', args: '1}' },
    ],
    whole: { calls: [c1] },
  },
  {
    id: 'new-name-id-comes-with-it-again',
    rule: '0002: a call without an id takes the first that comes',
    fragments: [
      { index: 0, name: 't', args: '' },
      { index: 0, id: 'c1', name: 't', args: '{"k":1}' },
    ],
    whole: { calls: [c1] },
  },
  {
    id: 'new-id-name-never-comes',
    rule: NAMELESS,
    fragments: [whole1, { index: 1, id: 'c2', args: '▸{}' }],
    whole: { error: 'orphan_delta' },
    object: { calls: [c1], error: 'orphan_delta' },
  },
  {
    id: 'new-nameless',
    rule: TABLE,
    fragments: [whole1, { index: 1, args: '▸{}' }],
    whole: { error: 'orphan_delta' },
    object: { calls: [c1], error: 'orphan_delta' },
    note: 'Its bytes are never given to another call.',
  },
  {
    id: 'new-nameless-no-bytes',
    rule: NAMELESS,
    fragments: [whole1, { index: 1, args: '' }],
    whole: { error: 'orphan_delta' },
    object: { calls: [c1], error: 'orphan_delta' },
    place: { offset: 7, line: 1 },
  },
  {
    id: 'new-nameless-named-later',
    rule: NAMELESS,
    fragments: [
      { index: 0, args: '{"k":' },
      { index: 0, id: 'c1', name: 't', args: '1}' },
    ],
    whole: { calls: [c1] },
  },
  {
    id: 'new-nameless-named-without-id',
    rule: NAMELESS,
    fragments: [
      { index: 0, args: '{"k":' },
      { index: 0, name: 't', args: '1}' },
    ],
    whole: { calls: [called('call_0', 't', '{"k":1}')] },
  },
  { id: 'new-nameless-cut', rule: NAMELESS, fragments: [{ index: 0, args: '{}' }], ending: 'nothing', whole: {} },
];

const USED_INDEX: readonly NativeCase[] = [
  same('absent', {}),
  same('id-empty', { id: '' }),
  same('id-null', { id: null }),
  same('id-same', { id: 'c1' }),
  same('name-same', { name: 't' }),
  same('id-and-name-same', { id: 'c1', name: 't' }),
  same('id-empty-name-same', { id: '', name: 't' }),
  same('id-other', { id: 'c9' }),
  {
    id: 'used-other-id-and-name',
    rule: TABLE,
    fragments: [whole1, { index: 0, id: 'c2', name: 'u', args: '{}' }],
    whole: { calls: [c1, c2] },
  },
  {
    id: 'used-other-id-same-name',
    rule: TABLE,
    fragments: [whole1, { index: 0, id: 'c2', name: 't', args: '{}' }],
    whole: { calls: [c1, called('c2', 't')] },
  },
  {
    id: 'used-other-name',
    rule: NAMES,
    fragments: [whole1, { index: 0, name: 'u' }],
    whole: { error: 'bad_delta' },
    place: { offset: 7, line: 1 },
  },
  {
    id: 'used-same-id-other-name',
    rule: NAMES,
    fragments: [whole1, { index: 0, id: 'c1', name: 'u' }],
    whole: { error: 'bad_delta' },
    place: { offset: 7, line: 1 },
  },
  {
    id: 'one-id-two-calls',
    rule: TABLE,
    fragments: [whole1, { index: 1, id: 'c1', name: 'u', args: '{}' }],
    whole: { calls: [c1, called('c1', 'u')] },
  },
  { id: 'indexes-from-five', rule: TABLE, fragments: [{ ...whole1, index: 5 }], whole: { calls: [c1] } },
];

const NO_INDEX: readonly NativeCase[] = [
  { id: 'absent-new-id', rule: TABLE, fragments: [{ ...whole1, index: undefined }], whole: { calls: [c1] } },
  {
    id: 'absent-two-ids',
    rule: TABLE,
    fragments: [
      { ...whole1, index: undefined },
      { id: 'c2', name: 'u', args: '{}' },
    ],
    whole: { calls: [c1, c2] },
  },
  {
    id: 'absent-no-id',
    rule: TABLE,
    fragments: [{ ...open1, index: undefined }, { args: '1}' }],
    whole: { calls: [c1] },
  },
  {
    id: 'absent-known-id',
    rule: TABLE,
    fragments: [
      { ...open1, index: undefined },
      { id: 'c1', args: '1}' },
    ],
    whole: { calls: [c1] },
  },
  {
    id: 'absent-known-id-not-last',
    rule: TABLE,
    fragments: [
      { ...whole1, index: undefined },
      { id: 'c2', name: 'u', args: '{' },
      { id: 'c1', args: '}' },
    ],
    whole: { calls: [c1, c2] },
  },
  {
    id: 'absent-name-only',
    rule: '0002: no index, no id, a name',
    fragments: [{ name: 't', args: '{}' }],
    whole: { calls: [called('call_0', 't')] },
  },
  {
    id: 'absent-nothing-and-no-call',
    rule: '0002: no index, no id, no name, and no call',
    fragments: [{ args: '{}' }],
    whole: { error: 'orphan_delta' },
    place: { offset: 0, line: 1 },
  },
];

const REFUSED: readonly NativeCase[] = [
  refused('arguments-number', { index: 0, args: 5 }),
  refused('name-number', { index: 0, name: 5 }),
  refused('id-number', { index: 0, id: 5 }),
  {
    id: 'bad-sibling-goes-on',
    rule: TYPES,
    fragments: [open1, { index: 0, args: true }, { index: 1, id: 'c2', name: 'u', args: '{}' }],
    whole: { error: 'bad_delta' },
    object: { calls: [c2], error: 'bad_delta' },
    place: { offset: 5, line: 1 },
  },
  {
    id: 'refused-opens-nothing',
    rule: '0002, JSON: a refused delta does not open a call',
    fragments: [
      { index: 0, id: 'c9', name: 't', args: 5 },
      { index: 0, id: 'c1', name: 't', args: '{"k":1}' },
    ],
    whole: { error: 'bad_delta' },
    object: { calls: [c1], error: 'bad_delta' },
    place: { offset: 0, line: 1 },
  },
  {
    id: 'wrong-arguments-before-name',
    rule: '0002, JSON: arguments that came before the name',
    fragments: [
      { index: 0, args: '▸[]' },
      { index: 0, id: 'c1', name: 't' },
    ],
    whole: { error: 'args_not_object' },
  },
  {
    id: 'wrong-arguments-never-named',
    rule: '0002, JSON: arguments that came before the name',
    fragments: [{ index: 0, args: '▸[]' }],
    whole: { error: 'orphan_delta' },
  },
  {
    id: 'index-string',
    rule: TYPES,
    fragments: [{ ...whole1, index: '0' }],
    end: 'cut',
    whole: { error: 'bad_delta' },
    place: { offset: 0, line: 1 },
  },
  {
    id: 'arguments-object',
    rule: 'streams.md: arguments given as an object',
    fragments: [{ index: 0, id: 'c1', name: 't', args: { k: 1 } }],
    whole: { calls: [c1] },
  },
  {
    id: 'arguments-object-and-empty',
    rule: 'streams.md: arguments given as an object',
    fragments: [
      { index: 0, id: 'c1', name: 't', args: '' },
      { index: 0, args: { k: 1 } },
      { index: 0, args: null },
    ],
    whole: { calls: [c1] },
  },
  {
    id: 'arguments-object-second',
    rule: 'streams.md: arguments given as an object',
    fragments: [open1, { index: 0, args: { k: 1 } }],
    whole: { error: 'args_not_object' },
    place: { offset: 5, line: 1 },
  },
  {
    id: 'arguments-null',
    rule: TABLE,
    fragments: [
      { index: 0, id: 'c1', name: 't', args: null },
      { index: 0, args: '{"k":1}' },
    ],
    whole: { calls: [c1] },
  },
];

export const IDENTITY_CASES: readonly CraftedCase[] = [...NEW_INDEX, ...USED_INDEX, ...NO_INDEX, ...REFUSED].map(
  (written) => nativeCase({ ...written, id: `delta-${written.id}` }),
);

/** A second fragment at the used index 0 that belongs to the call opened there. */
function same(id: string, more: { readonly id?: unknown; readonly name?: unknown }): NativeCase {
  return { id: `used-${id}`, rule: TABLE, fragments: [open1, { ...rest1, ...more }], whole: { calls: [c1] } };
}

/** A fragment that makes the call opened before it bad. */
function refused(id: string, fragment: NativeCase['fragments'][number]): NativeCase {
  return {
    id,
    rule: TYPES,
    fragments: [open1, fragment, rest1],
    whole: { error: 'bad_delta' },
    place: { offset: 5, line: 1 },
  };
}
