/** Messages in the Kimi K2 form, valid and almost (parsers/kimi.ts). */
import fc from 'fast-check';
import { argumentsWith, sectionedMessages } from './sectioned-messages.ts';

const FORM = {
  section: '<|tool_calls_section_begin|>',
  endSection: '<|tool_calls_section_end|>',
  call: '<|tool_call_begin|>',
  endCall: '<|tool_call_end|>',
  separator: '<|tool_call_argument_begin|>',
};

const GOOD_IDS = ['functions.t:0', 'functions.write_file:1', 'functions.a.b-c:12', 't:0', ' functions.t:0\n', 'é:3'];
const BAD_IDS = [
  '',
  'functions.t',
  'functionst0',
  'functions.:0',
  'functions.a b:0',
  'functions.a:b:0',
  'call_abc',
  'functions.t:x',
  'functions.<t:0',
  'functions.functions.t:0',
  ':0',
];

export function kimiMessages(): fc.Arbitrary<Uint8Array> {
  const headers = fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom(...GOOD_IDS) },
    { weight: 1, arbitrary: fc.constantFrom(...BAD_IDS) },
  );
  return sectionedMessages(FORM, { headers, bodies: argumentsWith(Object.values(FORM)) });
}
