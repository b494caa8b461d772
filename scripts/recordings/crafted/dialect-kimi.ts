/** Crafted streams in the Kimi K2 form: docs/dialects-special-tokens.md. */
import type { CraftedCase } from './case.ts';
import { call, type TextCase, type TwoEnds, textCase, twoEnds } from './text-case.ts';

const FORM = 'docs/dialects-special-tokens.md: kimi, form';
const RUNS = 'docs/dialects-special-tokens.md: when a call runs';
const REFUSED = 'docs/dialects-special-tokens.md: what is refused';
const LOST = 'docs/dialects-special-tokens.md: what no parser can promise';

const OPEN = '<|tool_calls_section_begin|>';
const CLOSE = '<|tool_calls_section_end|>';
const CALL = '<|tool_call_begin|>';
const END = '<|tool_call_end|>';
const ARGS = '<|tool_call_argument_begin|>';
const ONE = written('functions.t:0', '{}');
const first = call('functions.t:0', 't');
const withKey = call('functions.t:0', 't', { k: 'v' });

const FINE: readonly TextCase[] = [
  { id: 'one', rule: FORM, text: section(written('functions.t:0', '{"k":"v"}')), calls: [withKey] },
  {
    id: 'two',
    rule: FORM,
    text: section(`${ONE}${written('functions.u:1', '{}')}`),
    calls: [first, call('functions.u:1', 'u')],
  },
  { id: 'blanks-around-id', rule: FORM, text: section(written(' ␊functions.t:0\t␍', '{}')), calls: [first] },
  { id: 'blanks-between', rule: FORM, text: `${OPEN}␊${ONE}␊${CLOSE}`, calls: [first] },
  { id: 'blanks-around-object', rule: FORM, text: section(written('functions.t:0', ' {"k":"v"}␊')), calls: [withKey] },
  { id: 'no-namespace', rule: FORM, text: section(written('t:3', '{}')), calls: [call('t:3', 't')] },
  {
    id: 'dots-in-name',
    rule: FORM,
    text: section(written('functions.a.b-c:12', '{}')),
    calls: [call('functions.a.b-c:12', 'a.b-c')],
    note: 'vLLM takes b-c, the guide a, SGLang reads no name with a hyphen: here the whole name stands.',
  },
  {
    id: 'same-id-twice',
    rule: FORM,
    text: section(`${ONE}${ONE}`),
    calls: [first, first],
    note: 'Two calls: the form does not say that an index is given once in a message.',
  },
  { id: 'text-around', rule: FORM, text: `I look.␊${section(ONE)}␊Done.`, calls: [first] },
  { id: 'two-sections', rule: FORM, text: `${section(ONE)} and ${section(ONE)}`, calls: [first, first] },
  { id: 'after-thinking', rule: FORM, text: `<think>I think.</think>${section(ONE)}`, calls: [first] },
  {
    id: 'ends-thinking',
    rule: FORM,
    text: `<think>I␊think.${section(ONE)}`,
    calls: [first],
    note: 'The model leaves out </think>; vLLM and SGLang take the section for the end of the reasoning.',
  },
  {
    id: 'ends-thinking-split',
    rule: FORM,
    text: `<think><|tool_calls_${section(ONE)}</think>`,
    calls: [first],
    deltas: 5,
  },

  { id: 'call-without-section', rule: FORM, text: ONE, note: 'Text: only a section begins calls.' },
  {
    id: 'singular-section',
    rule: FORM,
    text: `<|tool_call_section_begin|>${ONE}<|tool_call_section_end|>`,
    note: 'Text: a spelling of the markers that vLLM and llama.cpp take, and that neither template nor guide has.',
  },
  {
    id: 'quoted-in-prose',
    rule: LOST,
    text: `Never write "${section(ONE)}".`,
    calls: [first],
    note: 'As text a quoted section cannot be told from special tokens: it runs.',
  },
  { id: 'partial-opener', rule: FORM, text: 'x<|tool_calls_section_begin|', note: 'Text at a complete end.' },
];

const WRONG: readonly TextCase[] = [
  no('text-in-section', `${OPEN}▸so: ${ONE}${CLOSE}`, 'xml_unexpected_text'),
  { ...no('text-after-call', `${OPEN}${ONE}▸and${ONE}${CLOSE}`, 'xml_unexpected_text'), calls: [first] },
  no('empty-section', `${OPEN}▸${CLOSE}`, 'xml_unexpected_text'),
  no('no-id', section(`${CALL}▸${ARGS}{}${END}`), 'bad_call'),
  no('no-index', section(`${CALL}functions.t▸${ARGS}{}${END}`), 'bad_call'),
  no('no-punctuation', section(`${CALL}functionst0▸${ARGS}{}${END}`), 'bad_call'),
  no('openai-id', section(`${CALL}call_abc123▸${ARGS}{"name":"t"}${END}`), 'bad_call'),
  no('no-name', section(`${CALL}functions.:0▸${ARGS}{}${END}`), 'bad_call'),
  no('two-colons', section(`${CALL}functions.a:b:0▸${ARGS}{}${END}`), 'bad_call'),
  no('no-argument-token', section(`${CALL}functions.t:0{}▸${END}`), 'bad_call'),
  no('no-arguments', section(`${CALL}functions.t:0${ARGS}▸${END}`), 'args_not_object'),
  no('array', section(`${CALL}functions.t:0${ARGS}[]▸${END}`), 'args_not_object'),
  no('unclosed-object', section(`${CALL}functions.t:0${ARGS}{"k":"v"▸${END}`), 'args_not_object'),
  no('repeated-key', section(`${CALL}functions.t:0${ARGS}{"k":1,"k":2}▸${END}`), 'duplicate_key'),
  {
    ...no('end-token-in-string', section(`${CALL}functions.t:0${ARGS}{"k":"a▸${END}b"}${END}`), 'args_not_object'),
    rule: LOST,
    note: 'By the rule of the servers the first end token ends the call, in a JSON string too: the call is lost.',
  },
  {
    ...no('second-is-bad', section(`${ONE}${CALL}functions.t:1${ARGS}{▸${END}`), 'args_not_object'),
    calls: [first],
    note: 'The call before stands.',
  },
];

const ENDS: readonly TwoEnds[] = [
  { id: 'good', rule: RUNS, text: section(ONE), complete: { calls: [first] }, cut: { calls: [first] } },
  open('second-open', `${OPEN}${ONE}${CALL}functions.t:1${ARGS}{"k":"v"}▸`, [first]),
  open('section-open', `${OPEN}${ONE}▸`, [first]),
  open('id-open', `${OPEN}${CALL}functions.t▸`),
  open('end-token-partial', `${OPEN}${CALL}functions.t:0${ARGS}{}<|tool_call▸`),
];

export const KIMI_CASES: readonly CraftedCase[] = [
  ...ENDS.flatMap((ends) => twoEnds('kimi', { ...ends, id: `kimi-${ends.id}` })),
  ...[...FINE, ...WRONG].map((text) => textCase('kimi', { ...text, id: `kimi-${text.id}` })),
];

function section(calls: string): string {
  return `${OPEN}${calls}${CLOSE}`;
}

function written(id: string, args: string): string {
  return `${CALL}${id}${ARGS}${args}${END}`;
}

function no(id: string, text: string, error: NonNullable<TextCase['error']>): TextCase {
  return { id, rule: REFUSED, text, error };
}

/** Unfinished at the end of the stream: an error if that is complete, nothing if it is a cut. */
function open(id: string, text: string, calls: NonNullable<TextCase['calls']> = []): TwoEnds {
  return { id, rule: RUNS, text, complete: { calls, error: 'call_eof' }, cut: { calls } };
}
