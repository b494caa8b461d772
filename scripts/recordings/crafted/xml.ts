/** Crafted streams for xml.md, and for the xml lines of docs/decisions/0002. */
import type { CraftedCase } from './case.ts';
import { call, type TextCase, type TwoEnds, textCase, twoEnds } from './text-case.ts';

const GRAMMAR = 'xml.md: grammar';
const OPENER = 'xml.md: the opener counts only at the start of a line';
const RAW = 'xml.md: a value is taken byte for byte';
const ERRORS = 'xml.md: contract errors';
const BLOCKS = '0002, xml: after the first block';
const TAGS = '0002, xml: names, keys, broken tags';
const END = 'xml.md: a cut is no error';

const OPEN = '<minimax:tool_call>';
const CLOSE = '</minimax:tool_call>';
const ONE = `${OPEN}<invoke name="t"></invoke>${CLOSE}`;
const first = call('call_0', 't');
const second = call('call_1', 't');

const FINE: readonly TextCase[] = [
  { id: 'one-call', rule: GRAMMAR, text: `${OPEN}␊${invoke(parameter('k', 'v'))}␊${CLOSE}`, calls: [withValue('v')] },
  { id: 'no-blanks', rule: GRAMMAR, text: ONE, calls: [first] },
  {
    id: 'all-blanks',
    rule: GRAMMAR,
    text: `${OPEN} \t␍␊<invoke name="t"> ␊${parameter('k', 'v')}\t␍␊</invoke>␍␊ ${CLOSE}`,
    calls: [withValue('v')],
  },
  {
    id: 'two-invokes',
    rule: GRAMMAR,
    text: `${OPEN}${invoke('')}${invoke('')}${CLOSE}`,
    calls: [first, second],
  },
  { id: 'two-blocks', rule: GRAMMAR, text: `${ONE}␊␊${ONE}␊`, calls: [first, second] },
  { id: 'two-blocks-one-line', rule: BLOCKS, text: `${ONE}${ONE}`, calls: [first, second] },
  { id: 'second-block-after-blank', rule: BLOCKS, text: `${ONE} ${ONE}`, calls: [first, second] },
  { id: 'text-before', rule: GRAMMAR, text: `I look first.␊␊${ONE}`, calls: [first] },
  { id: 'blanks-after', rule: GRAMMAR, text: `${ONE} \t␍␊`, calls: [first] },
  { id: 'opener-in-prose', rule: OPENER, text: `Write ${ONE} so.` },
  { id: 'opener-after-blank', rule: OPENER, text: ` ${ONE}` },
  { id: 'opener-after-cr', rule: OPENER, text: `x␍${ONE}`, note: 'A CR ends no line.' },
  { id: 'minimal', rule: OPENER, text: '<minimal>' },
  { id: 'partial-opener', rule: '0002, xml: an unfinished tag before a block', text: 'x␊<minimax:tool_cal' },
  { id: 'other-prefix', rule: OPENER, text: '<minimax:tool_calls>␊' },
  { id: 'close-without-open', rule: GRAMMAR, text: `${CLOSE}␊</invoke>␊` },
  value('empty', ''),
  value('blanks-kept', '\n v \n'),
  value('entities', '&lt;a&gt; &amp;amp; &#10;'),
  value('cdata', '<![CDATA[x]]>'),
  value('tags', `a < b && c > d <invoke name="x"> <parameter name="y"> ${OPEN} </parameter `),
  value('close-of-block', `x${CLOSE}</invoke>y`),
  value('non-ascii', 'é 那 😀'),
  value('cr', 'a\r\nb'),
  {
    id: 'name-verbatim',
    rule: TAGS,
    text: `${OPEN}<invoke name=" t'&lt;"><parameter name="é k">v</parameter></invoke>${CLOSE}`,
    calls: [call('call_0', " t'&lt;", { 'é k': 'v' })],
  },
];

const REFUSED: readonly TextCase[] = [
  no('text-in-block', ERRORS, `${OPEN}␊▸oops${invoke('')}${CLOSE}`, 'xml_unexpected_text'),
  no('text-in-invoke', ERRORS, `${OPEN}<invoke name="t">␊▸oops</invoke>${CLOSE}`, 'xml_unexpected_text'),
  no(
    'text-between-parameters',
    ERRORS,
    block(`${parameter('a', '1')} ▸x${parameter('b', '2')}`),
    'xml_unexpected_text',
  ),
  no('text-between-invokes', ERRORS, `${OPEN}${invoke('')}▸é${CLOSE}`, 'xml_unexpected_text'),
  no('close-tag-in-value', ERRORS, block('<parameter name="k">a</parameter> ▸b</parameter>'), 'xml_unexpected_text'),
  no('block-without-invoke', TAGS, `${OPEN}␊▸${CLOSE}`, 'xml_unexpected_text'),
  no('empty-name', TAGS, `${OPEN}▸<invoke name=""></invoke>${CLOSE}`, 'xml_unexpected_text'),
  no('empty-key', TAGS, block('▸<parameter name="">v</parameter>'), 'xml_unexpected_text'),
  no('name-with-angle', TAGS, `${OPEN}▸<invoke name="a>b"></invoke>${CLOSE}`, 'xml_unexpected_text'),
  no('name-with-lf', TAGS, `${OPEN}▸<invoke name="a␊b"></invoke>${CLOSE}`, 'xml_unexpected_text'),
  no('single-quotes', TAGS, `${OPEN}▸<invoke name='t'></invoke>${CLOSE}`, 'xml_unexpected_text'),
  no('two-blanks-in-tag', TAGS, `${OPEN}▸<invoke  name="t"></invoke>${CLOSE}`, 'xml_unexpected_text'),
  no('blank-in-tag-end', TAGS, `${OPEN}▸<invoke name="t" ></invoke>${CLOSE}`, 'xml_unexpected_text'),
  no('self-closing', TAGS, `${OPEN}▸<invoke name="t"/>${CLOSE}`, 'xml_unexpected_text'),
  no('capital-letter', TAGS, `${OPEN}▸<Invoke name="t"></invoke>${CLOSE}`, 'xml_unexpected_text'),
  no('invoke-in-invoke', TAGS, block(`▸${invoke('')}`), 'xml_unexpected_text'),
  no('parameter-in-block', TAGS, `${OPEN}▸${parameter('k', 'v')}${CLOSE}`, 'xml_unexpected_text'),
  no('block-in-block', TAGS, `${OPEN}␊▸${OPEN}`, 'xml_unexpected_text'),
  no('repeated-key', TAGS, block(`${parameter('k', '1')}␊▸${parameter('k', '2')}`), 'duplicate_key'),
  no('text-after', ERRORS, `${ONE}␊▸Result: ok␊`, 'xml_after_block'),
  no('text-after-and-block', ERRORS, `${ONE}␊▸Result: ok␊${ONE}`, 'xml_after_block'),
  no(
    'whole-closing-sequence-in-value',
    ERRORS,
    `${block(parameter('k', 'a'))}▸</parameter></invoke>${CLOSE}`,
    'xml_after_block',
  ),
  no('broken-second-block', ERRORS, `${ONE}${OPEN}␊▸oops`, 'xml_unexpected_text'),
  no('broken-tag-after', ERRORS, `${ONE} ▸<minimax:tool_calls>`, 'xml_after_block'),
  no(
    'one-bad-refuses-all',
    ERRORS,
    `${OPEN}${invoke('')}<invoke name="u">▸oops</invoke>${CLOSE}`,
    'xml_unexpected_text',
  ),
];

const ENDS: readonly TwoEnds[] = [
  { id: 'good', rule: END, text: ONE, complete: { calls: [first] }, cut: {} },
  open('block-open', `${OPEN}▸`, 'xml_unclosed'),
  open('invoke-open', `${OPEN}<invoke name="t">▸`, 'xml_unclosed'),
  open('parameter-open', `${OPEN}<invoke name="t"><parameter name="k">v</param▸`, 'xml_unclosed'),
  open('block-unclosed', `${OPEN}${invoke('')}␊▸`, 'xml_unclosed'),
  open('tag-unfinished', `${OPEN}<invoke na▸`, 'xml_unclosed'),
  open('tag-unfinished-after', `${ONE}␊▸<minimax:to`, 'xml_after_block'),
  {
    id: 'error-before-cut',
    rule: ERRORS,
    text: `${OPEN}▸oops`,
    complete: { error: 'xml_unexpected_text' },
    cut: { error: 'xml_unexpected_text' },
  },
];

export const XML_CASES: readonly CraftedCase[] = [
  ...ENDS.flatMap((written) => twoEnds('xml', { ...written, id: `xml-${written.id}` })),
  ...[...FINE, ...REFUSED].map((written) => textCase('xml', { ...written, id: `xml-${written.id}` })),
];

function invoke(inner: string): string {
  return `<invoke name="t">${inner}</invoke>`;
}

function parameter(key: string, inner: string): string {
  return `<parameter name="${key}">${inner}</parameter>`;
}

function block(inner: string): string {
  return `${OPEN}${invoke(inner)}${CLOSE}`;
}

function withValue(inner: string): ReturnType<typeof call> {
  return call('call_0', 't', { k: inner });
}

function value(id: string, inner: string): TextCase {
  return { id: `value-${id}`, rule: RAW, text: block(parameter('k', inner)), calls: [withValue(inner)] };
}

function no(id: string, rule: string, text: string, error: NonNullable<TextCase['error']>): TextCase {
  return { id, rule, text, error };
}

/** Unfinished at the end of the stream: an error if that is complete, nothing if it is a cut. */
function open(id: string, text: string, error: NonNullable<TextCase['error']>): TwoEnds {
  return { id, rule: ERRORS, text, complete: { error }, cut: {} };
}
