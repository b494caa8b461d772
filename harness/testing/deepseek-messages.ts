/** Messages in both DeepSeek forms, valid and almost (parsers/deepseek.ts). */
import fc from 'fast-check';
import { argumentsWith, joined, sectionedMessages, usually } from './sectioned-messages.ts';

const FORM = {
  section: '<｜tool▁calls▁begin｜>',
  endSection: '<｜tool▁calls▁end｜>',
  call: '<｜tool▁call▁begin｜>',
  endCall: '<｜tool▁call▁end｜>',
  separator: '<｜tool▁sep｜>',
};

const NAMES = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom('t', 'write_file', 'a.b-c', 'é') },
  { weight: 1, arbitrary: fc.constantFrom('', 'a b', 'a\n', '<t', '{}', '"t"') },
);

export function deepseekMessages(): fc.Arbitrary<Uint8Array> {
  const objects = argumentsWith(Object.values(FORM));
  const fenced = fc.tuple(NAMES, usually('\n```json\n'), objects, usually('\n```')).map(joined);
  // Any header before any body: `function` before arguments, and another name before a fence.
  const headers = fc.oneof({ weight: 3, arbitrary: fc.constant('function') }, { weight: 2, arbitrary: NAMES });
  const bodies = fc.oneof({ weight: 2, arbitrary: fenced }, { weight: 3, arbitrary: objects });
  return sectionedMessages(FORM, { headers, bodies });
}
