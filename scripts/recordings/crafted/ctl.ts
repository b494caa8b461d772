/** Crafted streams for ctl.md, and for the CTL lines of docs/decisions/0002. */
import type { CraftedCase } from './case.ts';
import { call, type TextCase, type TwoEnds, textCase, twoEnds } from './text-case.ts';

const WORKED = 'ctl.md: worked cases';
const GRAMMAR = 'ctl.md: grammar';
const SEPARATOR = 'ctl.md: separator rule';
const END = 'ctl.md: two different ends';
const ERRORS = 'ctl.md: contract errors';
const LINES = '0002, CTL: lines';
const AT_END = '0002, CTL: the unfinished line at a complete end';

const hello = call('c1', 't', { k: 'hello' });
const c1 = call('c1', 't');

const WORKED_CASES: readonly TwoEnds[] = [
  worked('length', 'call c1 t␊arg k 5␊hello␊end␊', { calls: [hello] }),
  worked('separator-absent', 'call c1 t␊arg k 6␊hello␊end␊', { calls: [call('c1', 't', { k: 'hello\n' })] }),
  worked('count-too-small', 'call c1 t␊arg k 4␊hell▸o␊end␊', { error: 'unexpected_line' }),
  worked('count-too-large', 'call c1 t␊arg k 400␊hello␊end␊▸', { error: 'body_eof' }, {}),
  worked('end-without-lf', 'call c1 t␊arg k 5␊hello␊end', { calls: [hello] }, {}),
  worked('heredoc', 'call c1 t␊arg k <<E␊␊ E␊end␊E␊end␊', { calls: [call('c1', 't', { k: '\n E\nend\n' })] }),
  worked('tag-at-eof', "call c1 t␊arg k <<'E'␊E▸", { error: 'call_eof' }, {}),
  worked('inline', 'call c1 t␊arg k 12a␊end␊', { calls: [call('c1', 't', { k: '12a' })] }),
  worked('text-after', 'call c1 t␊end␊Result: ok␊', { calls: [c1] }),
  worked('call-me', '▸call me maybe later␊', { error: 'bad_call' }),
  worked('i-call', 'I call that␊', {}),
  worked('two-byte-character', 'call c1 t␊arg k 3␊é!␊end␊', { calls: [call('c1', 't', { k: 'é!' })] }),
];

const ENDS: readonly TwoEnds[] = [
  both('heredoc-end-without-lf', END, 'call c1 t␊arg k <<E␊x␊E␊end', { calls: [call('c1', 't', { k: 'x\n' })] }, {}),
  both('header-without-lf', AT_END, 'call c1 t▸', { error: 'call_eof' }, {}),
  both('between-arguments', ERRORS, 'call c1 t␊arg k 1␊x␊▸', { error: 'call_eof' }, {}),
  both('endl', END, 'call c1 t␊▸endl', { error: 'unexpected_line' }, {}),
  both('heredoc-open', ERRORS, 'call c1 t␊arg k <<E␊x␊▸', { error: 'heredoc_eof' }, {}),
  both('heredoc-partial-line', AT_END, 'call c1 t␊arg k <<E␊x▸', { error: 'heredoc_eof' }, {}),
  both('count-line-without-lf', AT_END, 'call c1 t␊arg k 5▸', { error: 'body_eof' }, {}),
  both('inline-without-lf', AT_END, 'call c1 t␊arg k hello▸', { error: 'call_eof' }, {}),
  both('cal', AT_END, 'cal', {}, {}),
  both('call-alone', AT_END, 'call', {}, {}),
  both('call-blank', AT_END, '▸call ', { error: 'bad_call' }, {}),
  both('body-inside-character', END, 'call c1 t␊arg k 9␊é▸', { error: 'body_eof' }, {}),
  both('body-complete-no-end', END, 'call c1 t␊arg k 2␊ok▸', { error: 'call_eof' }, {}),
];

const ACCEPTED: readonly TextCase[] = [
  fine('empty-length', GRAMMAR, 'call c1 t␊arg k 0␊␊end␊', { k: '' }),
  fine('empty-length-separator-absent', SEPARATOR, 'call c1 t␊arg k 0␊end␊', { k: '' }),
  fine('body-ends-with-lf', SEPARATOR, 'call c1 t␊arg k 2␊x␊␊end␊', { k: 'x\n' }),
  fine('body-holds-frames', GRAMMAR, 'call c1 t␊arg k 15␊end␊call c2 u␊a␊end␊', { k: 'end\ncall c2 u\na' }),
  fine('separator-then-argument', SEPARATOR, 'call c1 t␊arg a 1␊x␊arg b 1␊yend␊', { a: 'x', b: 'y' }),
  fine('heredoc-in-ctl', GRAMMAR, 'call c1 t␊arg k <<E␊x␊E␊end␊', { k: 'x\n' }),
  fine('leading-zeros', LINES, 'call c1 t␊arg k 007␊1234567␊end␊', { k: '1234567' }),
  fine('inline-two-blanks', LINES, 'call c1 t␊arg k  5␊end␊', { k: ' 5' }),
  fine('inline-cr', LINES, 'call c1 t␊arg k 5␍␊end␊', { k: '5\r' }),
  fine('inline-one-angle', GRAMMAR, 'call c1 t␊arg k <x␊end␊', { k: '<x' }),
  fine('inline-minus', GRAMMAR, 'call c1 t␊arg k -5␊end␊', { k: '-5' }),
  fine('inline-other-digits', GRAMMAR, 'call c1 t␊arg k ٣␊end␊', { k: '٣' }),
  fine('longest-key', GRAMMAR, `call c1 t␊arg ${'k'.repeat(64)} v␊end␊`, { ['k'.repeat(64)]: 'v' }),
  fine('key-named-end', GRAMMAR, 'call c1 t␊arg end end␊end␊', { end: 'end' }),
  { id: 'no-calls', rule: GRAMMAR, text: 'Nothing to do.␊' },
  { id: 'empty-message', rule: GRAMMAR, text: '' },
  { id: 'text-looks-alike', rule: GRAMMAR, text: ' call c1 t␊calls␊callc1 t␊Call c1 t␊end␊arg k 1␊call' },
  { id: 'text-then-call', rule: GRAMMAR, text: 'First:␊call c1 t␊end␊', calls: [c1] },
  { id: 'text-cr-then-call', rule: GRAMMAR, text: 'x␍call c1 t␊end␊', note: 'A CR ends no line.' },
  { id: 'two-calls', rule: GRAMMAR, text: 'call c1 t␊end␊call c2 u␊end␊', calls: [c1, call('c2', 'u')] },
  {
    id: 'call-without-arguments-twice',
    rule: GRAMMAR,
    text: 'call a.b:c-d_1 n.a-m_e␊end␊␊call c2 t␊end␊',
    calls: [call('a.b:c-d_1', 'n.a-m_e'), call('c2', 't')],
  },
  { id: 'longest-id', rule: GRAMMAR, text: `call ${'i'.repeat(64)} t␊end␊`, calls: [call('i'.repeat(64), 't')] },
  { id: 'call-in-code-fence', rule: GRAMMAR, text: '```␊call c1 t␊end␊```␊', calls: [c1] },
];

const REFUSED: readonly TextCase[] = [
  no('bad-call-two-blanks', LINES, '▸call c1  t␊', 'bad_call'),
  no('bad-call-no-name', ERRORS, '▸call c1␊', 'bad_call'),
  no('bad-call-cr', GRAMMAR, '▸call c1 t␍␊', 'bad_call'),
  no('bad-call-colon-in-name', GRAMMAR, '▸call c1 a:b␊', 'bad_call'),
  no('bad-call-long-id', GRAMMAR, `▸call ${'i'.repeat(65)} t␊`, 'bad_call'),
  no('bad-call-non-ascii', GRAMMAR, '▸call c1 é␊', 'bad_call'),
  no('bad-call-after-text', ERRORS, 'é␊▸call c1 t x␊', 'bad_call'),
  no('repeated-id', ERRORS, 'call c1 t␊end␊▸call c1 t␊end␊', 'bad_call', [c1]),
  no('bad-arg-no-value', ERRORS, 'call c1 t␊▸arg k␊', 'bad_arg'),
  no('bad-arg-empty-value', ERRORS, 'call c1 t␊▸arg k ␊', 'bad_arg'),
  no('bad-arg-nothing', LINES, 'call c1 t␊▸arg ␊', 'bad_arg'),
  no('bad-arg-long-key', GRAMMAR, `call c1 t␊▸arg ${'k'.repeat(65)} v␊`, 'bad_arg'),
  no('bad-arg-key-colon-equals', GRAMMAR, 'call c1 t␊▸arg k=v x␊', 'bad_arg'),
  no('repeated-key', ERRORS, 'call c1 t␊arg k x␊▸arg k y␊end␊', 'bad_arg'),
  no('arg-alone', LINES, 'call c1 t␊▸arg␊end␊', 'unexpected_line'),
  no('args-word', LINES, 'call c1 t␊▸args x␊end␊', 'unexpected_line'),
  no('end-blank', LINES, 'call c1 t␊▸end ␊', 'unexpected_line'),
  no('end-cr', LINES, 'call c1 t␊▸end␍␊', 'unexpected_line'),
  no('empty-line', LINES, 'call c1 t␊▸␊end␊', 'unexpected_line'),
  no('second-separator', SEPARATOR, 'call c1 t␊arg k 1␊x␊▸␊end␊', 'unexpected_line'),
  no('separator-after-inline', SEPARATOR, 'call c1 t␊arg k x␊▸␊end␊', 'unexpected_line'),
  no('call-inside-call', ERRORS, 'call c1 t␊▸call c2 t␊end␊', 'unexpected_line'),
  {
    id: 'count-inside-character',
    rule: ERRORS,
    text: 'call c1 t␊arg k 1␊é␊end␊',
    error: 'unexpected_line',
    place: { offset: 19, line: 3 },
    note: 'The count ends inside é: the line begins with its second byte.',
  },
  no('count-too-large-next-call', ERRORS, 'call c1 t␊arg k 30␊hello␊end␊call c2 t␊end␊▸', 'body_eof'),
  no('calls-before-error-stand', ERRORS, 'call c1 t␊end␊call c2 t␊▸oops␊end␊call c3 t␊end␊', 'unexpected_line', [c1]),
  no('first-error-stays', '0002, offsets: the first error noticed', '▸call x␊call y␊', 'bad_call'),
];

export const CTL_CASES: readonly CraftedCase[] = [
  ...[...WORKED_CASES, ...ENDS].flatMap((written) => twoEnds('ctl', { ...written, id: `ctl-${written.id}` })),
  ...[...ACCEPTED, ...REFUSED].map((written) => textCase('ctl', { ...written, id: `ctl-${written.id}` })),
];

function worked(id: string, text: string, complete: TwoEnds['complete'], cut = complete): TwoEnds {
  return { id: `worked-${id}`, rule: WORKED, text, complete, cut };
}

function both(
  id: string,
  rule: string,
  text: string,
  ...[complete, cut]: readonly [TwoEnds['complete'], TwoEnds['cut']]
): TwoEnds {
  return { id, rule, text, complete, cut };
}

function fine(id: string, rule: string, text: string, args: Readonly<Record<string, string>>): TextCase {
  return { id, rule, text, calls: [call('c1', 't', args)] };
}

function no(
  id: string,
  rule: string,
  text: string,
  ...[error, calls = []]: readonly [NonNullable<TextCase['error']>, TextCase['calls']?]
): TextCase {
  return { id, rule, text, error, calls };
}
