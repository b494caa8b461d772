/** Crafted streams in the XML-like form of Qwen3-Coder: docs/dialects.md. */
import type { CraftedCase } from './case.ts';
import { call, type TextCase, type TwoEnds, textCase, twoEnds } from './text-case.ts';

const FORM = 'docs/dialects.md: qwen-xml, form';
const VALUES = 'docs/dialects.md: qwen-xml, values';
const RUNS = 'docs/dialects.md: when a call runs';
const REFUSED = 'docs/dialects.md: what is refused';
const LOST = 'docs/dialects.md: what no parser can promise';

const FUNCTION = '<function=t></function>';
const ONE = `<tool_call>${FUNCTION}</tool_call>`;
const first = call('call_0', 't');
const second = call('call_1', 't');

const FINE: readonly TextCase[] = [
  {
    id: 'one',
    rule: FORM,
    text: '<tool_call>␊<function=t>␊<parameter=k>␊v␊</parameter>␊</function>␊</tool_call>',
    calls: [holding('v')],
  },
  { id: 'no-blanks', rule: FORM, text: ONE, calls: [first] },
  {
    id: 'all-blanks',
    rule: FORM,
    text: `<tool_call> ␍␊<function=t>\t${parameter('v')} </function>␊␊</tool_call>`,
    calls: [holding('v')],
  },
  { id: 'text-between', rule: FORM, text: `First ${ONE} then${ONE}, done.␊`, calls: [first, second] },
  {
    id: 'two-functions',
    rule: FORM,
    text: `<tool_call>␊${FUNCTION}␊${FUNCTION}␊</tool_call>`,
    calls: [first, second],
    note: 'Templates write one; the servers run both.',
  },
  {
    id: 'key-verbatim',
    rule: FORM,
    text: `<tool_call><function=é><parameter= "k k" >v</parameter></function></tool_call>`,
    calls: [call('call_0', 'é', { ' "k k" ': 'v' })],
  },
  { id: 'no-block', rule: FORM, text: FUNCTION, note: 'Text: only <tool_call> begins a call. vLLM takes it for one.' },
  {
    id: 'markers-split',
    rule: FORM,
    text: ` <${block(parameter('</v'))}<tool_call`,
    calls: [holding('</v')],
    deltas: 3,
  },
  { id: 'after-thinking', rule: FORM, text: `<think>␊${ONE}</think>␊${ONE}`, calls: [first] },
  value('block-end', 'a</tool_call>b', 'a</tool_call>b'),
  value('empty', '', ''),
  value('empty-line', '␊␊', ''),
  value('one-line-feed', '␊', ''),
  value('own-line-feeds', '␊␊a␊␊', '\na\n'),
  value('no-frame', 'a b', 'a b'),
  value('blanks-kept', '␊  a \t␊', '  a \t'),
  value('cr-kept', '␍␊a␍␊', '\r\na\r'),
  value('entities', '&lt;a&gt;', '&lt;a&gt;'),
  value('tags', '<tool_call><function></parameter <function=x>', '<tool_call><function></parameter <function=x>'),
];

const WRONG: readonly TextCase[] = [
  { ...no('closer-in-value', block('<parameter=k>a</parameter>▸b</parameter>'), 'xml_unexpected_text'), rule: LOST },
  { ...no('parameter-in-value', block('<parameter=k>a▸<parameter=b</parameter>'), 'xml_unexpected_text'), rule: LOST },
  {
    ...no('function-end-in-value', block('<parameter=k>a▸</function>b</parameter>'), 'xml_unexpected_text'),
    rule: LOST,
  },
  no('name-with-arguments', '<tool_call>▸<function=t {"k":1}></function></tool_call>', 'bad_call'),
  {
    id: 'value-holds-the-end',
    rule: LOST,
    text: block('<parameter=k>a</parameter></function></tool_call>b</parameter>'),
    calls: [call('call_0', 't', { k: 'a' })],
    note: 'Runs with a shortened value: nothing in the text tells that it was meant to go on.',
  },
  no('closer-missing', block('<parameter=k>v␊▸'), 'xml_unexpected_text'),
  no('text-in-block', `<tool_call>▸so: ${FUNCTION}</tool_call>`, 'xml_unexpected_text'),
  no('text-in-function', block('␊▸é'), 'xml_unexpected_text'),
  no('text-between-parameters', block(`${parameter('v')} ▸x`), 'xml_unexpected_text'),
  no('json', '<tool_call>␊▸{"name":"t","arguments":{}}␊</tool_call>', 'xml_unexpected_text'),
  no('block-without-function', '<tool_call>▸</tool_call>', 'xml_unexpected_text'),
  no('almost-function', '<tool_call>▸<functions=t></function></tool_call>', 'xml_unexpected_text'),
  no('name-empty', '<tool_call>▸<function=></function></tool_call>', 'bad_call'),
  no('name-unclosed', '<tool_call>▸<function=t␊></function></tool_call>', 'bad_call'),
  no('key-empty', block('▸<parameter=>v</parameter>'), 'bad_call'),
  no('key-unclosed', block('▸<parameter=k</parameter>'), 'bad_call'),
  no('key-twice', block(`${parameter('1')}␊▸${parameter('2')}`), 'duplicate_key'),
  {
    ...no('text-after-function', `<tool_call>${FUNCTION}▸x</tool_call>`, 'xml_unexpected_text'),
    calls: [first],
    note: 'The call has run.',
  },
  { ...no('second-is-wrong', `${ONE}␊<tool_call>▸x`, 'xml_unexpected_text'), calls: [first] },
  {
    ...no('too-many-calls', `${ONE}<tool_call>▸${FUNCTION}</tool_call>`, 'limit'),
    calls: [first],
    limits: { callsPerMessage: 1 },
  },
  {
    ...no('too-many-arguments', block(`${parameter('v')}▸<parameter=j>w</parameter>`), 'limit'),
    limits: { argumentsPerCall: 1 },
  },
  { ...no('value-too-long', block('▸<parameter=k>␊abc␊</parameter>'), 'limit'), limits: { argumentLimit: 2 } },
  {
    id: 'longest-value',
    rule: VALUES,
    text: block(parameter('␊ab␊')),
    calls: [holding('ab')],
    limits: { argumentLimit: 2 },
  },
];

const ENDS: readonly TwoEnds[] = [
  { id: 'good', rule: RUNS, text: ONE, complete: { calls: [first] }, cut: { calls: [first] } },
  open('block-open', `<tool_call>${FUNCTION}▸`),
  open('second-open', `${ONE}␊<tool_call><function=t>▸`),
  open('value-open', `${ONE}␊<tool_call><function=t><parameter=k>v</param▸`),
  open('name-open', `${ONE}␊<tool_call><function=t▸`),
];

export const QWEN_XML_CASES: readonly CraftedCase[] = [
  ...ENDS.flatMap((written) => twoEnds('qwen-xml', { ...written, id: `qwen-${written.id}` })),
  ...[...FINE, ...WRONG].map((written) => textCase('qwen-xml', { ...written, id: `qwen-${written.id}` })),
];

function parameter(inner: string): string {
  return `<parameter=k>${inner}</parameter>`;
}

function block(inner: string): string {
  return `<tool_call><function=t>${inner}</function></tool_call>`;
}

function holding(value: string): ReturnType<typeof call> {
  return call('call_0', 't', { k: value });
}

function value(id: string, inner: string, meant: string): TextCase {
  return { id: `value-${id}`, rule: VALUES, text: block(parameter(inner)), calls: [holding(meant)] };
}

function no(id: string, text: string, error: NonNullable<TextCase['error']>): TextCase {
  return { id, rule: REFUSED, text, error };
}

/** Unfinished at the end of the stream, behind a good call: an error if that is complete, nothing if it is a cut. */
function open(id: string, text: string): TwoEnds {
  return { id, rule: RUNS, text, complete: { calls: [first], error: 'call_eof' }, cut: { calls: [first] } };
}
