/** Crafted streams for the heredoc arguments of ctl.md. */
import type { CraftedCase } from './case.ts';
import { call, type TextCase, textCase } from './text-case.ts';

const GRAMMAR = 'ctl.md: grammar, heredoc-arg';
const ERRORS = 'ctl.md: contract errors';

const LONGEST_TAG = 'T'.repeat(32);

const CASES: readonly TextCase[] = [
  fine('no-lines', 'call c1 t␊arg k <<E␊E␊end␊', ''),
  fine('one-empty-line', 'call c1 t␊arg k <<E␊␊E␊end␊', '\n'),
  fine('single-quotes', "call c1 t␊arg k <<'E'␊x␊E␊end␊", 'x\n'),
  fine('double-quotes', 'call c1 t␊arg k <<"E"␊x␊E␊end␊', 'x\n'),
  fine('longest-tag', `call c1 t␊arg k <<${LONGEST_TAG}␊x␊${LONGEST_TAG}␊end␊`, 'x\n'),
  fine('tag-of-digits', 'call c1 t␊arg k <<007␊x␊007␊end␊', 'x\n'),
  fine(
    'body-looks-alike',
    'call c1 t␊arg k <<E␊end␊call c2 t␊arg k 5␊```␊<<E␊E␊end␊',
    'end\ncall c2 t\narg k 5\n```\n<<E\n',
  ),
  fine('tag-not-byte-equal', 'call c1 t␊arg k <<E␊ E␊E ␊E␍␊EE␊e␊E␊end␊', ' E\nE \nE\r\nEE\ne\n'),
  fine('length-in-heredoc', 'call c1 t␊arg k 5␊hello␊end␊', 'hello'),
  fine('inline', 'call c1 t␊arg k hello world␊end␊', 'hello world'),
  {
    id: 'two-values',
    rule: GRAMMAR,
    text: 'call c1 t␊arg a <<E␊x␊E␊arg b <<E␊y␊E␊end␊',
    calls: [call('c1', 't', { a: 'x\n', b: 'y\n' })],
  },
  no('tag-long', `call c1 t␊▸arg k <<${LONGEST_TAG}T␊x␊`, 'bad_arg'),
  no('tag-empty', 'call c1 t␊▸arg k <<␊x␊', 'bad_arg'),
  no('tag-hyphen', 'call c1 t␊▸arg k <<A-B␊x␊', 'bad_arg'),
  no('tag-after-blank', 'call c1 t␊▸arg k << E␊x␊E␊end␊', 'bad_arg'),
  no('tag-and-blank', 'call c1 t␊▸arg k <<E ␊x␊E␊end␊', 'bad_arg'),
  no('tag-cr', 'call c1 t␊▸arg k <<E␍␊x␊E␊end␊', 'bad_arg'),
  no('quotes-differ', 'call c1 t␊▸arg k <<\'E"␊x␊E␊end␊', 'bad_arg'),
  no('quote-open', "call c1 t␊▸arg k <<'E␊x␊E␊end␊", 'bad_arg'),
  no('indented-tag', 'call c1 t␊arg k <<E␊  x␊  E␊  end␊▸', 'heredoc_eof'),
  no('separator-after-tag', 'call c1 t␊arg k <<E␊x␊E␊▸␊end␊', 'unexpected_line'),
  no('tag-in-body', 'call c1 t␊arg k <<E␊x␊E␊▸y␊E␊end␊', 'unexpected_line'),
  no('repeated-key', 'call c1 t␊arg k <<E␊E␊▸arg k <<E␊E␊end␊', 'bad_arg'),
];

export const HEREDOC_CASES: readonly CraftedCase[] = CASES.map((written) =>
  textCase('ctl-heredoc', { ...written, id: `heredoc-${written.id}` }),
);

function fine(id: string, text: string, value: string): TextCase {
  return { id, rule: GRAMMAR, text, calls: [call('c1', 't', { k: value })] };
}

function no(id: string, text: string, error: NonNullable<TextCase['error']>): TextCase {
  return { id, rule: ERRORS, text, error };
}
