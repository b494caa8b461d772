/** Crafted streams in the form of GLM-4.5 and later: docs/dialects.md. */
import type { CraftedCase } from './case.ts';
import { call, type TextCase, type TwoEnds, textCase, twoEnds } from './text-case.ts';

const FORM = 'docs/dialects.md: glm, form';
const VALUES = 'docs/dialects.md: glm, values';
const RUNS = 'docs/dialects.md: when a call runs';
const REFUSED = 'docs/dialects.md: what is refused';
const LOST = 'docs/dialects.md: what no parser can promise';

const ONE = '<tool_call>t</tool_call>';
const first = call('call_0', 't');
const second = call('call_1', 't');

const FINE: readonly TextCase[] = [
  {
    id: 'one',
    rule: FORM,
    text: '<tool_call>t␊<arg_key>k</arg_key>␊<arg_value>v</arg_value>␊</tool_call>',
    calls: [holding('v')],
  },
  { id: 'no-blanks', rule: FORM, text: tagged(argument('v')), calls: [holding('v')] },
  {
    id: 'all-blanks',
    rule: FORM,
    text: tagged(` ␍␊<arg_key>k</arg_key>\t<arg_value>v</arg_value>␊ `),
    calls: [holding('v')],
  },
  { id: 'no-arguments', rule: FORM, text: ONE, calls: [first] },
  { id: 'no-arguments-line', rule: FORM, text: '<tool_call>t␊</tool_call>', calls: [first] },
  { id: 'text-between', rule: FORM, text: `First ${ONE} then${ONE}, done.␊`, calls: [first, second] },
  {
    id: 'key-verbatim',
    rule: FORM,
    text: tagged('<arg_key> é k </arg_key><arg_value>v</arg_value>'),
    calls: [call('call_0', 't', { ' é k ': 'v' })],
  },
  {
    id: 'markers-split',
    rule: FORM,
    text: ` <${tagged(argument('</v'))}<tool_call`,
    calls: [holding('</v')],
    deltas: 3,
  },
  { id: 'after-thinking', rule: FORM, text: `␊<think>${ONE}</think>␊${ONE}`, calls: [first] },
  value('empty', ''),
  value('blanks-kept', '\n a \n'),
  value('json', '{"a": [1, 2]}'),
  value('entities', '&lt;a&gt;'),
  value('tags', '</arg_key><tool_call></arg_value ><arg>'),
];

const WRONG: readonly TextCase[] = [
  {
    ...no(
      'closer-in-value',
      tagged('<arg_key>k</arg_key><arg_value>a</arg_value>▸b</arg_value>'),
      'xml_unexpected_text',
    ),
    rule: LOST,
  },
  {
    ...no(
      'call-end-in-value',
      tagged('<arg_key>k</arg_key><arg_value>a▸</tool_call>b</arg_value>'),
      'xml_unexpected_text',
    ),
    rule: LOST,
  },
  {
    ...no(
      'value-closer-missing',
      tagged('<arg_key>j</arg_key><arg_value>a▸<arg_key>k</arg_key><arg_value>b</arg_value>'),
      'xml_unexpected_text',
    ),
    note: 'Models leave </arg_value> out (ollama/ollama PR 14656): the second argument must not become part of the first.',
  },
  {
    ...no(
      'call-closer-missing',
      '<tool_call>t<arg_key>k</arg_key><arg_value>a␊<tool_call>u▸<arg_key>k</arg_key><arg_value>b</arg_value></tool_call>',
      'xml_unexpected_text',
    ),
    note: 'The second call must not become a value of the first.',
  },
  {
    id: 'value-holds-the-end',
    rule: LOST,
    text: tagged(argument('a</arg_value></tool_call>b')),
    calls: [holding('a')],
    note: 'Runs with a shortened value: nothing in the text tells that it was meant to go on.',
  },
  no('hermes-call', '▸<tool_call>{"name":"t","arguments":{}}</tool_call>', 'bad_call'),
  no('name-with-written-line-feed', '▸<tool_call>t\\n</tool_call>', 'bad_call'),
  no('name-missing', `▸<tool_call>${argument('v')}</tool_call>`, 'bad_call'),
  no('name-on-next-line', '▸<tool_call>␊t</tool_call>', 'bad_call'),
  no('name-with-tag', '▸<tool_call>t<arg>k</tool_call>', 'bad_call'),
  no('json', '▸<tool_call>␊{"name":"t","arguments":{}}␊</tool_call>', 'bad_call'),
  no('text-after-name', '<tool_call>t ▸x</tool_call>', 'xml_unexpected_text'),
  no('text-between-arguments', tagged(`${argument('v')}␊▸é`), 'xml_unexpected_text'),
  no('value-without-key', tagged('␊▸<arg_value>v</arg_value>'), 'xml_unexpected_text'),
  no('key-without-value', '<tool_call>t<arg_key>k</arg_key>▸</tool_call>', 'xml_unexpected_text'),
  no('key-empty', tagged('▸<arg_key></arg_key><arg_value>v</arg_value>'), 'bad_call'),
  no('key-with-line-feed', tagged('▸<arg_key>␊k</arg_key><arg_value>v</arg_value>'), 'bad_call'),
  no('key-unclosed', tagged('▸<arg_key>k<arg_value>v</arg_value>'), 'bad_call'),
  no('key-twice', tagged(`${argument('1')}␊▸${argument('2')}`), 'duplicate_key'),
  { ...no('second-is-wrong', `${ONE}␊▸<tool_call> t</tool_call>${ONE}`, 'bad_call'), calls: [first] },
  { ...no('too-many-calls', `${ONE}▸${ONE}`, 'limit'), calls: [first], limits: { callsPerMessage: 1 } },
  {
    ...no('too-many-arguments', tagged(`${argument('v')}▸<arg_key>j</arg_key><arg_value>w</arg_value>`), 'limit'),
    limits: { argumentsPerCall: 1 },
  },
  {
    ...no('value-too-long', tagged('▸<arg_key>k</arg_key><arg_value>abc</arg_value>'), 'limit'),
    limits: { argumentLimit: 2 },
  },
];

const ENDS: readonly TwoEnds[] = [
  { id: 'good', rule: RUNS, text: ONE, complete: { calls: [first] }, cut: { calls: [first] } },
  open('name-open', `${ONE}<tool_call>t▸`),
  open('key-open', `${ONE}<tool_call>t␊<arg_key>k▸`),
  open('value-open', `${ONE}<tool_call>t␊<arg_key>k</arg_key>␊<arg_value>v</arg_▸`),
  open('closer-missing', `${ONE}<tool_call>t␊${argument('v')}␊▸`),
];

export const GLM_CASES: readonly CraftedCase[] = [
  ...ENDS.flatMap((written) => twoEnds('glm', { ...written, id: `glm-${written.id}` })),
  ...[...FINE, ...WRONG].map((written) => textCase('glm', { ...written, id: `glm-${written.id}` })),
];

function argument(value: string): string {
  return `<arg_key>k</arg_key><arg_value>${value}</arg_value>`;
}

function tagged(inner: string): string {
  return `<tool_call>t${inner}</tool_call>`;
}

function holding(value: string): ReturnType<typeof call> {
  return call('call_0', 't', { k: value });
}

function value(id: string, inner: string): TextCase {
  return { id: `value-${id}`, rule: VALUES, text: tagged(argument(inner)), calls: [holding(inner)] };
}

function no(id: string, text: string, error: NonNullable<TextCase['error']>): TextCase {
  return { id, rule: REFUSED, text, error };
}

/** Unfinished at the end of the stream, behind a good call: an error if that is complete, nothing if it is a cut. */
function open(id: string, text: string): TwoEnds {
  return { id, rule: RUNS, text, complete: { calls: [first], error: 'call_eof' }, cut: { calls: [first] } };
}
