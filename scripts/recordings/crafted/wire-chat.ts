/** Crafted streams for docs/wire-formats.md "free text" in OpenAI chat chunks. */
import { type CraftedCase, delta, ending, type Outcome } from './case.ts';
import { type WireCase, wireCase } from './wire-case.ts';

const RULE = 'free text';

const SQL = { id: 'c1', name: 'sql', args: { input: 'SELECT "a"\nFROM b' } };
const OPEN = tool({ index: 0, id: 'c1', type: 'custom', custom: { name: 'sql', input: '' } });
const TEXT = more('SELECT "a"\n') + more('FROM b');
const NEXT = tool({ index: 1, id: 'c2', type: 'function', function: { name: 'u', arguments: '{}' } });
const U = { id: 'c2', name: 'u', args: {} };

const BOTH: Outcome = { calls: [SQL, U] };
/** The sibling closes with the finish reason, the text with the end. */
const SWAPPED: Outcome = { calls: [U, SQL] };

const CASES: readonly WireCase[] = [
  good('custom', OPEN + TEXT, { calls: [SQL] }),
  good('custom-empty', OPEN, { calls: [{ ...SQL, args: { input: '' } }] }),
  good('custom-surrogate', OPEN + more('\ud83d') + more('\ude00'), { calls: [{ ...SQL, args: { input: '😀' } }] }),
  {
    ...cut('custom-and-next', OPEN + more('SELECT "a"\n') + NEXT),
    note: 'Nothing shows that free text is whole: only a complete end makes it run.',
  },
  { ...good('custom-comes-back', OPEN + more('SELECT "a"\n') + NEXT + more('FROM b'), BOTH), object: SWAPPED },
  cut('custom-length', OPEN + TEXT + ending({ finish: 'length' })),
  good('custom-input-number', OPEN + more(5), { error: 'bad_delta' }),
  {
    ...good('function-call-mirror', mirrored('{"a":') + mirrored('1}'), {
      calls: [{ id: 'c1', name: 't', args: { a: 1 } }],
    }),
    rule: 'legacy function_call',
    note: 'llama-cpp-python says each delta in tool_calls and again in function_call.',
  },
  {
    id: 'function-call-another',
    rule: 'legacy function_call',
    events: delta({ ...beside('{}'), function_call: { name: 'u', arguments: '{}' } }) + ending('tool_calls'),
    end: 'cut',
    whole: { error: 'bad_delta' },
  },
  good('custom-and-function', OPEN + tool({ index: 0, function: { arguments: '{}' } }), { error: 'bad_delta' }),
];

export const CHAT_CUSTOM_CASES: readonly CraftedCase[] = CASES.map((written) =>
  wireCase('openai-chat', 'chat', written),
);

function good(id: string, events: string, whole: Outcome): WireCase {
  return { id, rule: RULE, events: events + ending('tool_calls'), whole };
}

function cut(id: string, events: string): WireCase {
  return { id, rule: RULE, events, end: 'cut', whole: {} };
}

function beside(args: string): object {
  return { tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 't', arguments: args } }] };
}

function mirrored(args: string): string {
  return delta({ ...beside(args), function_call: { name: 't', arguments: args } });
}

/** As servers send them: the members that say nothing are null. */
function more(input: unknown): string {
  return tool({ index: 0, id: null, type: null, function: null, custom: { input } });
}

function tool(element: object): string {
  return delta({ tool_calls: [element] });
}
