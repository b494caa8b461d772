/** Crafted streams at and beyond the limits of the text protocols. Small limits are given where the defaults are large. */
import type { ExpectedCall } from '../../../harness/replay/recording.ts';
import type { CraftedCase } from './case.ts';
import { call, type TextCase, textCase } from './text-case.ts';

const LIMITS = 'ctl.md: contract errors, limit';
const LINE = 'ctl.md: contract errors, line_too_long';
const ORDER = '0002, CTL: order of checks';
const XML = 'xml.md: limit';

/** `L_line`: LF included. */
const LINE_LIMIT = 4096;
const ARGUMENTS = 64;
const CALLS = 256;

const HEADER = 'arg k ';
const longestValue = 'v'.repeat(LINE_LIMIT - 1 - HEADER.length);
const longestLine = 'x'.repeat(LINE_LIMIT - 1);
const c1 = call('c1', 't');

const CTL: readonly TextCase[] = [
  {
    id: 'longest-header',
    rule: LINE,
    text: `call c1 t␊${HEADER}${longestValue}␊end␊`,
    calls: [call('c1', 't', { k: longestValue })],
  },
  { id: 'header-too-long', rule: LINE, text: `call c1 t␊▸${HEADER}${longestValue}v␊end␊`, error: 'line_too_long' },
  { id: 'header-never-ends', rule: LINE, text: `▸call ${longestLine}`, error: 'line_too_long', cut: true },
  { id: 'line-in-call-too-long', rule: LINE, text: `call c1 t␊▸${longestLine}x␊end␊`, error: 'line_too_long' },
  { id: 'text-has-no-limit', rule: LINE, text: `${longestLine}xx␊call c1 t␊end␊`, calls: [c1] },
  {
    id: 'largest-count',
    rule: LIMITS,
    text: 'call c1 t␊arg k 1048576␊x▸',
    error: 'body_eof',
    note: 'A count of CTL_MAX_ARG is allowed.',
  },
  { id: 'count-too-large', rule: LIMITS, text: 'call c1 t␊▸arg k 1048577␊x', error: 'limit', cut: true },
  { id: 'count-of-many-digits', rule: LIMITS, text: `call c1 t␊▸arg k ${'9'.repeat(40)}␊x`, error: 'limit' },
  {
    id: 'count-of-many-zeros',
    rule: LIMITS,
    text: `call c1 t␊arg k ${'0'.repeat(40)}1␊x␊end␊`,
    calls: [call('c1', 't', { k: 'x' })],
  },
  {
    id: 'most-arguments',
    rule: LIMITS,
    text: `call c1 t␊${argLines(ARGUMENTS)}end␊`,
    calls: [call('c1', 't', argValues(ARGUMENTS))],
  },
  { id: 'too-many-arguments', rule: LIMITS, text: `call c1 t␊${argLines(ARGUMENTS)}▸arg z 1␊x␊end␊`, error: 'limit' },
  { id: 'most-calls', rule: LIMITS, text: callLines(CALLS), calls: manyCalls(CALLS) },
  {
    id: 'too-many-calls',
    rule: LIMITS,
    text: `${callLines(CALLS)}▸call z t␊end␊`,
    error: 'limit',
    calls: manyCalls(CALLS),
  },
  {
    id: 'repeated-id-before-limit',
    rule: ORDER,
    text: `${callLines(CALLS)}▸call c0 t␊`,
    error: 'bad_call',
    calls: manyCalls(CALLS),
  },
  {
    id: 'form-before-limit',
    rule: ORDER,
    text: `${callLines(CALLS)}▸call z␊`,
    error: 'bad_call',
    calls: manyCalls(CALLS),
  },
  {
    id: 'repeated-key-before-limit',
    rule: ORDER,
    text: `call c1 t␊${argLines(ARGUMENTS)}▸arg a0 9999999␊`,
    error: 'bad_arg',
  },
  { id: 'arg-form-before-limit', rule: ORDER, text: `call c1 t␊${argLines(ARGUMENTS)}▸arg z␊`, error: 'bad_arg' },
];

const SMALL_ARGUMENTS = { argumentLimit: 16 };

const HEREDOC: readonly TextCase[] = [
  {
    id: 'longest-line',
    rule: LINE,
    text: `call c1 t␊arg k <<E␊${longestLine}␊E␊end␊`,
    calls: [call('c1', 't', { k: `${longestLine}\n` })],
  },
  { id: 'line-too-long', rule: LINE, text: `call c1 t␊arg k <<E␊▸${longestLine}x␊E␊end␊`, error: 'line_too_long' },
  {
    id: 'line-never-ends',
    rule: LINE,
    text: `call c1 t␊arg k <<E␊▸${longestLine}x`,
    error: 'line_too_long',
    cut: true,
  },
  {
    id: 'largest-value',
    rule: LIMITS,
    limits: SMALL_ARGUMENTS,
    text: 'call c1 t␊arg k <<E␊1234567␊1234567␊E␊end␊',
    calls: [call('c1', 't', { k: '1234567\n1234567\n' })],
  },
  {
    id: 'value-too-large',
    rule: LIMITS,
    limits: SMALL_ARGUMENTS,
    text: 'call c1 t␊arg k <<E␊1234567␊▸12345678␊E␊end␊',
    error: 'limit',
  },
];

const XML_CASES: readonly TextCase[] = [
  {
    id: 'most-parameters',
    rule: XML,
    text: block(`<invoke name="t">${parameters(ARGUMENTS)}</invoke>`),
    calls: [call('call_0', 't', argValues(ARGUMENTS))],
  },
  {
    id: 'too-many-parameters',
    rule: XML,
    text: block(`<invoke name="t">${parameters(ARGUMENTS)}▸<parameter name="z">x</parameter></invoke>`),
    error: 'limit',
  },
  {
    id: 'most-calls',
    rule: XML,
    text: block('<invoke name="t"></invoke>'.repeat(CALLS)),
    calls: Array.from({ length: CALLS }, (_, at) => call(`call_${at}`, 't')),
  },
  {
    id: 'too-many-calls',
    rule: XML,
    text: block(`${'<invoke name="t"></invoke>'.repeat(CALLS)}▸<invoke name="t"></invoke>`),
    error: 'limit',
  },
  {
    id: 'largest-value',
    rule: XML,
    limits: SMALL_ARGUMENTS,
    text: block('<invoke name="t"><parameter name="k">1234567890123456</parameter></invoke>'),
    calls: [call('call_0', 't', { k: '1234567890123456' })],
  },
  {
    id: 'value-too-large',
    rule: XML,
    limits: SMALL_ARGUMENTS,
    text: block('<invoke name="t">▸<parameter name="k">12345678901234567</parameter></invoke>'),
    error: 'limit',
  },
];

export const LIMIT_CASES: readonly CraftedCase[] = [
  ...CTL.map((written) => textCase('ctl', { ...written, id: `limit-${written.id}` })),
  ...HEREDOC.map((written) => textCase('ctl-heredoc', { ...written, id: `limit-heredoc-${written.id}` })),
  ...XML_CASES.map((written) => textCase('xml', { ...written, id: `limit-${written.id}` })),
];

function block(inner: string): string {
  return `<minimax:tool_call>${inner}</minimax:tool_call>`;
}

function keys(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `a${at}`);
}

function argLines(count: number): string {
  return keys(count)
    .map((key) => `arg ${key} 1␊x␊`)
    .join('');
}

function parameters(count: number): string {
  return keys(count)
    .map((key) => `<parameter name="${key}">x</parameter>`)
    .join('');
}

function argValues(count: number): Readonly<Record<string, string>> {
  return Object.fromEntries(keys(count).map((key) => [key, 'x']));
}

function callLines(count: number): string {
  return Array.from({ length: count }, (_, at) => `call c${at} t␊end␊`).join('');
}

function manyCalls(count: number): readonly ExpectedCall[] {
  return Array.from({ length: count }, (_, at) => call(`c${at}`, 't'));
}
