/** Crafted streams in the harmony form of gpt-oss: docs/dialects-special-tokens.md. */
import type { CraftedCase } from './case.ts';
import { call, type TextCase, type TwoEnds, textCase, twoEnds } from './text-case.ts';

const FORM = 'docs/dialects-special-tokens.md: harmony, form';
const RUNS = 'docs/dialects-special-tokens.md: when a call runs';
const REFUSED = 'docs/dialects-special-tokens.md: what is refused';
const LOST = 'docs/dialects-special-tokens.md: what no parser can promise';

const NEXT = '<|start|>assistant';
const TO_T = '<|channel|>commentary to=functions.t <|constrain|>json';
const BODY = '<|message|>';
const CALL = '<|call|>';
const ONE = `${TO_T}${BODY}{}${CALL}`;
const THINK = '<|channel|>analysis<|message|>I need t.<|end|>';
const first = call('call_0', 't');
const second = call('call_1', 't');
const withKey = call('call_0', 't', { k: 'v' });

const FINE: readonly TextCase[] = [
  { id: 'one', rule: FORM, text: `${TO_T}${BODY}{"k":"v"}${CALL}`, calls: [withKey] },
  { id: 'after-analysis', rule: FORM, text: `${THINK}${NEXT}${ONE}`, calls: [first] },
  { id: 'two', rule: FORM, text: `${ONE}${NEXT}${ONE}`, calls: [first, second] },
  { id: 'started', rule: FORM, text: `${NEXT}${ONE}`, calls: [first], note: 'The prompt may end before <|start|>.' },
  {
    id: 'recipient-in-role',
    rule: FORM,
    text: ` to=functions.t<|channel|>commentary json${BODY}{}${CALL}`,
    calls: [first],
  },
  {
    id: 'recipient-in-role-started',
    rule: FORM,
    text: `${THINK}${NEXT} to=functions.t<|channel|>commentary json${BODY}{}${CALL}`,
    calls: [first],
  },
  { id: 'no-type', rule: FORM, text: `<|channel|>commentary to=functions.t${BODY}{}${CALL}`, calls: [first] },
  {
    id: 'constrain-without-blank',
    rule: FORM,
    text: `<|channel|>commentary to=functions.t<|constrain|>json${BODY}{}${CALL}`,
    calls: [first],
  },
  {
    id: 'call-on-analysis',
    rule: FORM,
    text: `<|channel|>analysis to=functions.t <|constrain|>json${BODY}{}${CALL}`,
    calls: [first],
    note: 'The recipient makes the call, not the channel.',
  },
  {
    id: 'dots-in-name',
    rule: FORM,
    text: `<|channel|>commentary to=functions.a.b-c${BODY}{}${CALL}`,
    calls: [call('call_0', 'a.b-c')],
    note: 'SGLang takes b-c: here the whole name stands.',
  },
  {
    id: 'preamble',
    rule: FORM,
    text: `<|channel|>commentary<|message|>I will.<|end|>${NEXT}${ONE}`,
    calls: [first],
  },
  { id: 'final', rule: FORM, text: `${THINK}${NEXT}<|channel|>final<|message|>Done.<|return|>` },
  { id: 'built-in-tool', rule: FORM, text: `<|channel|>analysis to=python code${BODY}print(1)${CALL}` },
  { id: 'built-in-browser', rule: FORM, text: `<|channel|>analysis to=browser.search code${BODY}{}${CALL}` },
  {
    id: 'call-in-analysis-text',
    rule: FORM,
    text: `<|channel|>analysis<|message|>I write to=functions.t<|message|>{}.<|end|>`,
    note: 'Inside of a content only the closers count.',
  },
  { id: 'blanks-around-object', rule: FORM, text: `${TO_T}${BODY}␊{"k":"v"} ${CALL}`, calls: [withKey] },
  {
    id: 'quoted-in-final',
    rule: LOST,
    text: `<|channel|>final<|message|>Never write "<|end|>${NEXT}${ONE}".`,
    calls: [first],
    note: 'As text a quoted closer cannot be told from the special token: the message ends, and the call behind it runs.',
  },
  {
    id: 'plain-text',
    rule: FORM,
    text: 'Hello, to=functions.t {}␊',
    note: 'A server has read the messages before us.',
  },
  { id: 'text-between', rule: FORM, text: `${ONE} and ${NEXT}${ONE}`, calls: [first, second] },
];

const WRONG: readonly TextCase[] = [
  no('no-channel', `${NEXT} to=functions.t▸${BODY}{}${CALL}`, 'bad_call'),
  no('unknown-channel', `<|channel|>––commentary to=functions.t▸${BODY}{}${CALL}`, 'bad_call'),
  no('no-to', `<|channel|>commentary functions.t json▸${BODY}{}${CALL}`, 'bad_call'),
  no('two-recipients', ` to=functions.t<|channel|>commentary to=functions.u▸${BODY}{}${CALL}`, 'bad_call'),
  no('no-name', `<|channel|>commentary to=functions.▸${BODY}{}${CALL}`, 'bad_call'),
  no('bare-name', `<|channel|>commentary to=get_weather <|constrain|>json▸${BODY}{}${CALL}`, 'bad_call'),
  no('other-namespace', `<|channel|>commentary to=repo_browser.open json▸${BODY}{}${CALL}`, 'bad_call'),
  no('namespace-alone', `<|channel|>commentary to=functions▸${BODY}{}${CALL}`, 'bad_call'),
  no('call-of-code', `<|channel|>analysis to=functions.t code▸${BODY}{}${CALL}`, 'bad_call'),
  no('type-not-json', `<|channel|>commentary to=functions.t <|constrain|>response▸${BODY}{}${CALL}`, 'bad_call'),
  no('channel-twice', `<|channel|>commentary to=functions.t<|channel|>commentary▸${BODY}{}${CALL}`, 'bad_call'),
  {
    ...no(
      'imagined-result',
      `${ONE}<|start|>functions.t to=assistant<|channel|>commentary▸${BODY}1<|end|>`,
      'bad_call',
    ),
    calls: [first],
    note: 'An answer holds messages of the assistant: another role is refused, and what follows it is not read.',
  },
  no('closer-in-header', `<|channel|>commentary to=functions.t▸${CALL}`, 'xml_unexpected_text'),
  no('start-in-header', `<|channel|>commentary▸${NEXT}${ONE}`, 'xml_unexpected_text'),
  { ...no('no-start', `${ONE}▸<|channel|>final<|message|>x<|end|>`, 'xml_unexpected_text'), calls: [first] },
  no('stray-closer', 'Hello▸<|end|>', 'xml_unexpected_text'),
  no('call-closed-by-end', `${TO_T}${BODY}{}▸<|end|>`, 'xml_unexpected_text'),
  no('no-recipient', `<|channel|>commentary json${BODY}{}▸${CALL}`, 'xml_unexpected_text'),
  no('no-arguments', `${TO_T}${BODY}▸${CALL}`, 'args_not_object'),
  no('array', `${TO_T}${BODY}[]▸${CALL}`, 'args_not_object'),
  no('repeated-key', `${TO_T}${BODY}{"k":1,"k":2}▸${CALL}`, 'duplicate_key'),
  {
    ...no('closer-in-string', `${TO_T}${BODY}{"k":"a▸${CALL}b"}${CALL}`, 'args_not_object'),
    rule: LOST,
    note: 'As text a closer in a JSON string cannot be told from the special token: the call is lost.',
  },
  {
    ...no('second-is-bad', `${ONE}${NEXT}${TO_T}${BODY}{▸${CALL}`, 'args_not_object'),
    calls: [first],
    note: 'The call before stands.',
  },
];

const ENDS: readonly TwoEnds[] = [
  { id: 'good', rule: RUNS, text: ONE, complete: { calls: [first] }, cut: { calls: [first] } },
  {
    id: 'stop-token-taken-out',
    rule: RUNS,
    text: `${TO_T}${BODY}{"k":"v"}`,
    complete: { calls: [withKey] },
    cut: {},
  },
  open('object-open', `${TO_T}${BODY}{"k":"v"▸`),
  open('closer-partial', `${TO_T}${BODY}{}<|cal▸`),
  open('header-open', `${ONE}${NEXT}<|channel|>comm▸`, [first]),
  {
    id: 'second-open',
    rule: RUNS,
    text: `${ONE}${NEXT}${ONE.slice(0, -CALL.length)}`,
    complete: { calls: [first, second] },
    cut: { calls: [first] },
  },
  { id: 'final-open', rule: RUNS, text: '<|channel|>final<|message|>Hello', complete: {}, cut: {} },
];

export const HARMONY_CASES: readonly CraftedCase[] = [
  ...ENDS.flatMap((written) => twoEnds('harmony', { ...written, id: `harmony-${written.id}` })),
  ...[...FINE, ...WRONG].map((written) => textCase('harmony', { ...written, id: `harmony-${written.id}` })),
];

function no(id: string, text: string, error: NonNullable<TextCase['error']>): TextCase {
  return { id, rule: REFUSED, text, error };
}

/** Unfinished at the end of the stream: an error if that is complete, nothing if it is a cut. */
function open(id: string, text: string, calls: NonNullable<TextCase['calls']> = []): TwoEnds {
  return { id, rule: RUNS, text, complete: { calls, error: 'call_eof' }, cut: { calls } };
}
