/** Answers in the harmony form, valid and almost (parsers/harmony.ts). */
import fc from 'fast-check';
import { perhapsThinking, utf8 } from './ctl-messages.ts';
import { argumentsWith, joined, usually } from './sectioned-messages.ts';

const TOKENS = ['<|start|>', '<|channel|>', '<|constrain|>', '<|message|>', '<|end|>', '<|call|>', '<|return|>'];

const GOOD_HEADERS = [
  '<|channel|>commentary to=functions.t <|constrain|>json',
  '<|channel|>commentary to=functions.write_file<|constrain|>json',
  ' to=functions.a.b-c<|channel|>commentary json',
  ' to=functions.t<|channel|>analysis',
  '<|channel|>commentary  to=functions.é  <|constrain|>json ',
];
const ODD_HEADERS = [
  '<|channel|>commentary to=functions.t to=functions.u',
  ' to=functions.t<|channel|>commentary to=functions.u',
  '<|channel|>commentary to=functions.t <|constrain|>to=x',
  '<|channel|>commentary to=functions.t <|constrain|>response',
  '<|channel|>commentary to=functions.t code',
  '<|channel|>commentary to=functions. json',
  '<|channel|>commentary to=functions',
  '<|channel|>commentary to=functions.a{b',
  '<|channel|>commentary functions.t',
  '<|channel|>commentary\nto=functions.t',
  '<|channel|>––commentary to=functions.t',
  '<|channel|> to=functions.t',
  '<|channel|>commentary<|channel|>final',
  '<|channel|>commentary<|constrain|>json to=functions.t',
  '<|channel|>commentary to=functions.t <|constrain|>',
  '<|channel|>commentary constrain:json',
  ' to=functions.t <|channel|>commentary',
  '<|channel|>final json',
  ' json<|channel|>final',
  '',
];
const UNREAD_HEADERS = [
  '<|channel|>analysis to=browser.search',
  '<|channel|>analysis to=python code',
  '<|channel|>analysis to=functionsx',
];

const ROLES = fc.oneof(
  { weight: 30, arbitrary: fc.constant('<|start|>assistant') },
  { weight: 1, arbitrary: fc.constantFrom('<|start|>', '<|start|>functions.t', '<|start|>user', 'assistant', '') },
);

const CONTENT = fc.constantFrom('', 'Hello.\n', '{"a":1}', 'é <|', '<|start|>', '<|message|>x', '<|ends|>', '<<|end');

function messages(headers: fc.Arbitrary<string>, content: fc.Arbitrary<Uint8Array>, closer: fc.Arbitrary<string>) {
  return fc.tuple(headers, usually('<|message|>'), content, closer).map(joined);
}

const MESSAGE = fc.oneof(
  {
    weight: 6,
    arbitrary: messages(fc.constantFrom(...GOOD_HEADERS), argumentsWith(TOKENS), usually('<|call|>')),
  },
  {
    weight: 3,
    arbitrary: messages(
      fc.constantFrom('<|channel|>analysis', '<|channel|>final', '<|channel|>commentary', '<|channel|>final json'),
      CONTENT.map(utf8),
      fc.oneof(usually('<|end|>'), usually('<|return|>')),
    ),
  },
  {
    weight: 1,
    arbitrary: messages(fc.constantFrom(...UNREAD_HEADERS), CONTENT.map(utf8), usually('<|call|>')),
  },
  {
    weight: 1,
    arbitrary: messages(fc.constantFrom(...ODD_HEADERS), argumentsWith(TOKENS), fc.constantFrom('<|call|>', '<|end|>')),
  },
);

const OUTSIDE = fc.oneof(
  { weight: 20, arbitrary: fc.constant('') },
  { weight: 2, arbitrary: fc.constantFrom('\n', 'x to=y', 'é\n', ' to=', '<|star', '<') },
  { weight: 1, arbitrary: fc.constantFrom(...TOKENS) },
);

export function harmonyMessages(): fc.Arbitrary<Uint8Array> {
  const first = fc.oneof({ weight: 2, arbitrary: fc.constant('') }, { weight: 1, arbitrary: ROLES });
  const further = fc.array(fc.tuple(OUTSIDE, ROLES, MESSAGE).map(joined), { maxLength: 2 });
  return perhapsThinking(
    fc
      .tuple(
        OUTSIDE,
        first,
        MESSAGE,
        further.map((all) => Buffer.concat(all)),
        OUTSIDE,
      )
      .map(joined),
  );
}
