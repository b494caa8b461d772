/** Crafted streams for calls that the two JSON protocols read in the text of a message (docs/decisions/0002, JSON). */
import type { ExpectedCall } from '../../../harness/replay/recording.ts';
import {
  bytesOf,
  type CraftedCase,
  delta,
  type Ending,
  ending,
  expectation,
  markedPlace,
  type Outcome,
  unmarked,
} from './case.ts';
import { called, fragmentEvents } from './native-case.ts';

const TEXT = 'streams.md: without any tool delta, both read the text';
const CALL = '0002, calls in text: what a call is';
const SHAPE = '0002, calls in text: the shape of an element is looked at first';
const REST = '0002, calls in text: the rest must be in the language';

interface TextCallCase {
  readonly id: string;
  readonly rule: string;
  readonly text: string;
  readonly note?: string;
  readonly cut?: boolean;
  /** Native calls that follow in deltas of their own. */
  readonly followedBy?: string;
  readonly whole: Outcome;
  readonly object?: Outcome;
}

const ONE = '{"name":"t","arguments":{"k":1}}';
const first = inText(0, '{"k":1}');
const second = inText(1, '{"k":1}');
const delivered = called('c1', 'u');
const laterCall = fragmentEvents([{ index: 0, id: 'c1', name: 'u', args: '{}' }]);

const CASES: readonly TextCallCase[] = [
  { id: 'object', rule: TEXT, text: ONE, whole: { calls: [first] } },
  { id: 'object-cut', rule: TEXT, text: ONE, cut: true, whole: {}, object: { calls: [first] } },
  { id: 'array', rule: TEXT, text: `[${ONE}, ${ONE}]`, whole: { calls: [first, second] } },
  { id: 'array-cut', rule: TEXT, text: `[${ONE},${ONE}`, cut: true, whole: {}, object: { calls: [first, second] } },
  { id: 'blanks-around', rule: TEXT, text: ` ␍␊\t${ONE}␊ `, whole: { calls: [first] } },
  { id: 'after-thinking', rule: TEXT, text: `<think>[${ONE}]</think>␊${ONE}`, whole: { calls: [first] } },
  { id: 'members-in-other-order', rule: CALL, text: '{"arguments":{"k":1},"name":"t"}', whole: { calls: [first] } },
  {
    id: 'arguments-verbatim',
    rule: CALL,
    text: '{"name":"t","arguments": { "k" : 1.0 } }',
    whole: { calls: [inText(0, '{ "k" : 1.0 }')] },
  },
  { id: 'name-escaped', rule: CALL, text: '{"name":"\\u0074","arguments":{}}', whole: { calls: [inText(0, '{}')] } },
  ...[
    ['prose', `Look: ${ONE}`],
    ['fence', `\`\`\`json␊${ONE}␊\`\`\``],
    ['another-member', '{"name":"t","arguments":{},"id":"c1"}'],
    ['no-arguments', '{"name":"t"}'],
    ['arguments-string', '{"name":"t","arguments":"{}"}'],
    ['empty-name', '{"name":"","arguments":{}}'],
    ['name-number', '{"name":1,"arguments":{}}'],
    ['never-closes', '{"name":"t","arguments":{}'],
    ['no-json', '{name:"t",arguments:{}}'],
    ['empty-array', '[]'],
    ['array-of-other', `[1,${ONE}]`],
  ].map(([id = '', text = '']) => ({ id: `text-${id}`, rule: CALL, text, whole: {} })),
  ran('text-after', `${ONE} ▸x`, [first]),
  ran('object-after', `${ONE}▸${ONE}`, [first]),
  ran('array-no-comma', `[${ONE} ▸${ONE}]`, [first]),
  ran('array-other-element', `[${ONE},{"name":"u"▸}]`, [first]),
  ran('array-number', `[${ONE},▸1]`, [first]),
  ran('array-trailing-comma', `[${ONE},▸]`, [first]),
  ran('array-text-after', `[${ONE}]▸x`, [first]),
  ran('array-open', `[${ONE}▸`, [first]),
  ran('array-element-open', `[${ONE},{"name":▸`, [first]),
  {
    id: 'repeated-key',
    rule: CALL,
    text: '{"name":"t","arguments":{"k":1,"k":2}▸}',
    whole: { error: 'duplicate_key' },
  },
  {
    id: 'name-twice',
    rule: SHAPE,
    text: '{"name":"a","name":"b","arguments":{}▸}',
    whole: { error: 'duplicate_key' },
  },
  { id: 'name-twice-and-another-member', rule: SHAPE, text: '{"name":"a","name":"b","arguments":{},"x":1}', whole: {} },
  {
    id: 'delta-after-wrong-text',
    rule: '0002, calls in text: if a tool delta comes, nothing in the text is an error',
    text: `${ONE} x`,
    followedBy: laterCall,
    whole: { calls: [delivered] },
    note: 'json-object has run the call of the text, and has told its error, before the tool delta came: an expected finding.',
  },
  {
    id: 'delta-after-pending-text',
    rule: '0002, calls in text: pending text becomes text when a tool delta comes',
    text: '{"name":"t","arg',
    followedBy: laterCall,
    whole: { calls: [delivered] },
  },
  {
    id: 'delta-after-text-call',
    rule: '0002, calls in text: a tool delta after text that ran',
    text: ONE,
    followedBy: laterCall,
    whole: { calls: [delivered] },
    note: 'json-object ran the call of the text before the tool delta came: an expected S1 violation.',
  },
];

export const TEXT_CALL_CASES: readonly CraftedCase[] = CASES.map((written) => {
  const { id, rule, note, whole, object = whole, cut = false } = written;
  const how: Ending = cut ? 'nothing' : 'stop';
  const end = cut ? 'cut' : 'complete';
  const place = markedPlace(written.text);
  return {
    id: `text-call-${id}`,
    framing: 'native',
    rule,
    ...(note !== undefined && { note }),
    bytes: bytesOf(delta({ content: unmarked(written.text) }) + (written.followedBy ?? '') + ending(how)),
    expect: [
      expectation('json-whole', end, { ...whole, place }),
      expectation('json-object', end, { ...object, place }),
    ],
  };
});

function inText(ordinal: number, argsText: string): ExpectedCall {
  return called(`call_${ordinal}`, 't', argsText);
}

/** An error after calls that json-object has run and json-whole has not. */
function ran(id: string, text: string, calls: readonly ExpectedCall[]): TextCallCase {
  return { id, rule: REST, text, whole: { error: 'args_not_object' }, object: { calls, error: 'args_not_object' } };
}
