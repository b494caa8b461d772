/** Crafted streams in the Hermes form: docs/dialects.md. */
import type { ExpectedCall } from '../../../harness/replay/recording.ts';
import type { CraftedCase } from './case.ts';
import { type TextCase, type TwoEnds, textCase, twoEnds } from './text-case.ts';

const FORM = 'docs/dialects.md: hermes, form';
const RUNS = 'docs/dialects.md: when a call runs';
const REFUSED = 'docs/dialects.md: what is refused';
const LOST = 'docs/dialects.md: what no parser can promise';

const ONE = tagged('{"name":"t","arguments":{}}');
const first = made(0, 't', '{}');
const second = made(1, 't', '{}');

const FINE: readonly TextCase[] = [
  {
    id: 'one',
    rule: FORM,
    text: `<tool_call>␊{"name": "t", "arguments": {"k": "v"}}␊</tool_call>`,
    calls: [made(0, 't', '{"k": "v"}')],
  },
  {
    id: 'arguments-first',
    rule: FORM,
    text: tagged('{ "arguments": {"k":1}, "name": "t"}'),
    calls: [made(0, 't', '{"k":1}')],
  },
  { id: 'no-blanks', rule: FORM, text: ONE, calls: [first] },
  { id: 'all-blanks', rule: FORM, text: tagged(' \t␍␊{"name":"t","arguments":{}}␊ '), calls: [first] },
  { id: 'text-between', rule: FORM, text: `First ${ONE} then${ONE}, and done.␊`, calls: [first, second] },
  {
    id: 'other-members',
    rule: FORM,
    text: tagged('{"id":7,"name":"t","arguments":{},"x":[{"arguments":0}]}'),
    calls: [first],
    note: 'The servers read two members and pass over the rest.',
  },
  {
    id: 'escaped-key',
    rule: FORM,
    text: tagged('{"name":"t","\\u0061rguments":{"k":"\\u00e9"}}'),
    calls: [made(0, 't', '{"k":"\\u00e9"}')],
  },
  {
    id: 'number-beyond-doubles',
    rule: FORM,
    text: tagged('{"name":"t","arguments":{"k":12345678901234567890}}'),
    calls: [made(0, 't', '{"k":12345678901234567890}')],
  },
  {
    id: 'opener-in-value',
    rule: FORM,
    text: tagged('{"name":"t","arguments":{"k":"<tool_call>"}}'),
    calls: [made(0, 't', '{"k":"<tool_call>"}')],
  },
  {
    id: 'almost-closer-in-value',
    rule: FORM,
    text: tagged('{"name":"t","arguments":{"k":"</tool_</tool_call >"}}'),
    calls: [made(0, 't', '{"k":"</tool_</tool_call >"}')],
  },
  {
    id: 'escaped-closer-in-value',
    rule: LOST,
    text: tagged('{"name":"t","arguments":{"k":"<\\/tool_call>"}}'),
    calls: [made(0, 't', '{"k":"<\\/tool_call>"}')],
    note: 'JSON can write the tag so; templates do not.',
  },
  {
    id: 'markers-split',
    rule: FORM,
    text: ` <${ONE}<tool_call`,
    calls: [first],
    deltas: 3,
    note: 'What could have become an opener is text at a complete end.',
  },
  { id: 'after-thinking', rule: FORM, text: `<think>␊${ONE}</think>␊${ONE}`, calls: [first] },
  { id: 'closer-alone', rule: FORM, text: '</tool_call>' },
];

const WRONG: readonly TextCase[] = [
  {
    ...no(
      'closer-in-value',
      '<tool_call>{"name":"t","arguments":{"k":"a▸</tool_call>b"}}</tool_call>',
      'args_not_object',
    ),
    rule: LOST,
  },
  no('empty', '<tool_call>▸</tool_call>', 'args_not_object'),
  no('name-missing', '<tool_call>{"arguments":{}}▸</tool_call>', 'args_not_object'),
  no('name-empty', '<tool_call>{"name":"","arguments":{}}▸</tool_call>', 'args_not_object'),
  no('name-no-string', '<tool_call>{"name":1,"arguments":{}}▸</tool_call>', 'args_not_object'),
  no('arguments-missing', '<tool_call>{"name":"t"}▸</tool_call>', 'args_not_object'),
  no('arguments-a-string', '<tool_call>{"name":"t","arguments":"{}"}▸</tool_call>', 'args_not_object'),
  no('arguments-a-list', '<tool_call>{"name":"t","arguments":[]}▸</tool_call>', 'args_not_object'),
  no('parameters', '<tool_call>{"name":"t","parameters":{}}▸</tool_call>', 'args_not_object'),
  no('a-list', '<tool_call>[{"name":"t","arguments":{}}]▸</tool_call>', 'args_not_object'),
  no(
    'two-objects',
    '<tool_call>{"name":"t","arguments":{}}␊{"name":"t","arguments":{}}▸</tool_call>',
    'args_not_object',
  ),
  no('brace-missing', '<tool_call>{"name":"t","arguments":{}▸</tool_call>', 'args_not_object'),
  no('fenced', '<tool_call>␊```json␊{"name":"t","arguments":{}}␊```␊▸</tool_call>', 'args_not_object'),
  no('opener-twice', `<tool_call>${ONE.replace('</', '▸</')}`, 'args_not_object'),
  no('opener-in-prose', `Write <tool_call> first. ${ONE.replace('</', '▸</')}`, 'args_not_object'),
  no('key-twice', '<tool_call>{"name":"t","arguments":{"k":1,"k":2}}▸</tool_call>', 'duplicate_key'),
  no('name-twice', '<tool_call>{"name":"t","name":"u","arguments":{}}▸</tool_call>', 'duplicate_key'),
  { ...no('second-is-wrong', `${ONE}<tool_call>␊{"name":"t"}▸</tool_call>${ONE}`, 'args_not_object'), calls: [first] },
  {
    id: 'too-many-calls',
    rule: REFUSED,
    text: `${ONE}▸${ONE}`,
    error: 'limit',
    calls: [first],
    limits: { callsPerMessage: 1 },
  },
];

const ENDS: readonly TwoEnds[] = [
  { id: 'good', rule: RUNS, text: ONE, complete: { calls: [first] }, cut: { calls: [first] } },
  open('second-open', `${ONE}␊<tool_call>{"name":"t","arguments":{}}▸`),
  open('closer-unfinished', `${ONE}<tool_call>{"name":"t","arguments":{}}</tool_call▸`),
];

export const HERMES_CASES: readonly CraftedCase[] = [
  ...ENDS.flatMap((written) => twoEnds('hermes', { ...written, id: `hermes-${written.id}` })),
  ...[...FINE, ...WRONG].map((written) => textCase('hermes', { ...written, id: `hermes-${written.id}` })),
];

function tagged(body: string): string {
  return `<tool_call>${body}</tool_call>`;
}

function made(ordinal: number, name: string, argsText: string): ExpectedCall {
  return { id: `call_${ordinal}`, name, args: JSON.parse(argsText) as ExpectedCall['args'], argsText };
}

function no(id: string, text: string, error: NonNullable<TextCase['error']>): TextCase {
  return { id, rule: REFUSED, text, error };
}

/** Unfinished at the end of the stream, behind a good call: an error if that is complete, nothing if it is a cut. */
function open(id: string, text: string): TwoEnds {
  return { id, rule: RUNS, text, complete: { calls: [first], error: 'call_eof' }, cut: { calls: [first] } };
}
