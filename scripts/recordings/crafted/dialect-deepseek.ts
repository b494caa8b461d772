/** Crafted streams in the DeepSeek form: docs/dialects-special-tokens.md. */
import type { CraftedCase } from './case.ts';
import { call, type TextCase, type TwoEnds, textCase, twoEnds } from './text-case.ts';

const FORM = 'docs/dialects-special-tokens.md: deepseek, form';
const RUNS = 'docs/dialects-special-tokens.md: when a call runs';
const REFUSED = 'docs/dialects-special-tokens.md: what is refused';
const LOST = 'docs/dialects-special-tokens.md: what no parser can promise';

const OPEN = '<｜tool▁calls▁begin｜>';
const CLOSE = '<｜tool▁calls▁end｜>';
const CALL = '<｜tool▁call▁begin｜>';
const END = '<｜tool▁call▁end｜>';
const SEP = '<｜tool▁sep｜>';
const ONE = plain('t', '{}');
const first = call('call_0', 't');
const second = call('call_1', 't');
const withKey = call('call_0', 't', { k: 'v' });

const FINE: readonly TextCase[] = [
  { id: 'plain', rule: FORM, text: section(plain('t', '{"k":"v"}')), calls: [withKey] },
  { id: 'fenced', rule: FORM, text: section(fenced('t', '{"k":"v"}')), calls: [withKey] },
  { id: 'two-plain', rule: FORM, text: section(`${ONE}${ONE}`), calls: [first, second] },
  {
    id: 'two-fenced',
    rule: FORM,
    text: section(`${fenced('t', '{}')}␊${fenced('t', '{}')}`),
    calls: [first, second],
    note: 'The R1 template writes an LF before each further call.',
  },
  { id: 'both-forms', rule: FORM, text: section(`${fenced('t', '{}')}${ONE}`), calls: [first, second] },
  {
    id: 'fenced-blanks-behind',
    rule: FORM,
    text: section(fenced('t', '{"k":"v"}').replace('```<', '```␊<')),
    calls: [withKey],
    note: 'A template for R1 has the LF (ggml-org/llama.cpp PR 14557).',
  },
  { id: 'fenced-lines', rule: FORM, text: section(fenced('t', '{␊  "k": "v"␊}')), calls: [withKey] },
  {
    id: 'tool-called-function',
    rule: FORM,
    text: section(plain('function', '{"k":"v"}')),
    calls: [call('call_0', 'function', { k: 'v' })],
  },
  { id: 'blanks-between', rule: FORM, text: `${OPEN}␊ ${ONE}\t␍␊${ONE}␊${CLOSE}`, calls: [first, second] },
  { id: 'blanks-around-object', rule: FORM, text: section(plain('t', ' ␊{"k":"v"}␊ ')), calls: [withKey] },
  { id: 'text-around', rule: FORM, text: `I look.␊${section(ONE)}␊Done.`, calls: [first] },
  { id: 'two-sections', rule: FORM, text: `${section(ONE)} and ${section(ONE)}`, calls: [first, second] },
  { id: 'after-thinking', rule: FORM, text: `<think>${section(ONE)}</think>${section(ONE)}`, calls: [first] },
  { id: 'call-without-section', rule: FORM, text: ONE, note: 'Text: only a section begins calls.' },
  {
    id: 'quoted-in-prose',
    rule: LOST,
    text: `Never write "${section(ONE)}".`,
    calls: [first],
    note: 'As text a quoted section cannot be told from special tokens: it runs.',
  },
  { id: 'partial-opener', rule: FORM, text: 'x<｜tool▁calls▁begin｜', note: 'Text at a complete end.' },
  { id: 'ascii-bars', rule: FORM, text: '<|tool▁calls▁begin|>{}', note: 'The bars are U+FF5C, not |.' },
];

const WRONG: readonly TextCase[] = [
  no('text-in-section', `${OPEN}▸so: ${ONE}${CLOSE}`, 'xml_unexpected_text'),
  {
    ...no('text-after-call', `${OPEN}${ONE}▸and${ONE}${CLOSE}`, 'xml_unexpected_text'),
    calls: [first],
    note: 'The call before stands.',
  },
  no('empty-section', `${OPEN}␊▸${CLOSE}`, 'xml_unexpected_text'),
  no('no-name', section(`${CALL}▸${SEP}{}${END}`), 'bad_call'),
  no('blank-in-name', section(`${CALL}a b▸${SEP}{}${END}`), 'bad_call'),
  no('no-separator', section(`${CALL}t{}▸${END}`), 'bad_call'),
  no('no-name-before-fence', section(`${CALL}function${SEP}▸␊\`\`\`json␊{}␊\`\`\`${END}`), 'bad_call'),
  no('fence-open', section(`${CALL}function${SEP}t␊\`\`\`json␊{}▸${END}`), 'args_not_object'),
  no('no-fence', section(`${CALL}function${SEP}t␊{}▸${END}`), 'args_not_object'),
  no('no-arguments', section(`${CALL}t${SEP}▸${END}`), 'args_not_object'),
  no('array', section(`${CALL}t${SEP}[]▸${END}`), 'args_not_object'),
  no('two-objects', section(`${CALL}t${SEP}{}{}▸${END}`), 'args_not_object'),
  no('trailing-comma', section(`${CALL}t${SEP}{"k":"v",}▸${END}`), 'args_not_object'),
  no('repeated-key', section(`${CALL}t${SEP}{"k":1,"k":2}▸${END}`), 'duplicate_key'),
  {
    ...no('end-token-in-string', section(`${CALL}t${SEP}{"k":"a▸${END}b"}${END}`), 'args_not_object'),
    rule: LOST,
    note: 'By the rule of the servers the first end token ends the call, in a JSON string too: the call is lost.',
  },
  {
    ...no('second-is-bad', section(`${ONE}${CALL}t${SEP}{▸${END}`), 'args_not_object'),
    calls: [first],
    note: 'The call before stands.',
  },
];

const ENDS: readonly TwoEnds[] = [
  {
    id: 'fence-half-written',
    rule: RUNS,
    text: `${OPEN}${CALL}function${SEP}t␊\`\`\`j▸`,
    complete: { error: 'call_eof' },
    cut: {},
  },
  { id: 'good', rule: RUNS, text: section(ONE), complete: { calls: [first] }, cut: { calls: [first] } },
  {
    id: 'second-open',
    rule: RUNS,
    text: `${OPEN}${ONE}${CALL}t${SEP}{"k":"v"}▸`,
    complete: { calls: [first], error: 'call_eof' },
    cut: { calls: [first] },
  },
  open('section-open', `${OPEN}${ONE}▸`, [first]),
  open('header-open', `${OPEN}${CALL}t▸`),
  open('end-token-partial', `${OPEN}${CALL}t${SEP}{}<｜tool▁call▸`),
  open('section-just-begun', `${OPEN}▸`),
];

export const DEEPSEEK_CASES: readonly CraftedCase[] = [
  ...ENDS.flatMap((written) => twoEnds('deepseek', { ...written, id: `deepseek-${written.id}` })),
  ...[...FINE, ...WRONG].map((written) => textCase('deepseek', { ...written, id: `deepseek-${written.id}` })),
];

function section(calls: string): string {
  return `${OPEN}${calls}${CLOSE}`;
}

function plain(name: string, args: string): string {
  return `${CALL}${name}${SEP}${args}${END}`;
}

function fenced(name: string, args: string): string {
  return `${CALL}function${SEP}${name}␊\`\`\`json␊${args}␊\`\`\`${END}`;
}

function no(id: string, text: string, error: NonNullable<TextCase['error']>): TextCase {
  return { id, rule: REFUSED, text, error };
}

/** Unfinished at the end of the stream: an error if that is complete, nothing if it is a cut. */
function open(id: string, text: string, calls: NonNullable<TextCase['calls']> = []): TwoEnds {
  return { id, rule: RUNS, text, complete: { calls, error: 'call_eof' }, cut: { calls } };
}
