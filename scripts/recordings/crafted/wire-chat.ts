/** Crafted streams for what docs/wire-formats.md says of OpenAI chat chunks: free text, errors. */
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

const ERRORS = 'OpenAI chat: errors';
const HALF = tool({ index: 0, id: 'c1', type: 'function', function: { name: 't', arguments: '' } });
const CODE = { choices: null, base_resp: { status_code: 1027, status_msg: 'x' } };
const STOPPED = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], x_groq: { error: 'over capacity' } };
const MESSAGE = { role: 'assistant', tool_calls: [{ id: 'c1', function: { name: 't', arguments: '{"k":1}' } }] };

const AGAIN = event({
  object: 'chat.completion',
  choices: [{ index: 0, message: MESSAGE, finish_reason: 'tool_calls' }],
});

/** A call without its arguments yet: passed over, the error would let it run with none. */
const ERROR_CASES: readonly WireCase[] = [
  failed('reports-groq', STOPPED),
  failed('reports-minimax', CODE),
  failed('reports-object', { object: 'error', message: 'engine died', type: 'InternalServerError', code: 500 }),
  failed('reports-type', { type: 'error', detail: null }),
  failed('reports-code', { text: 'network', error_code: 50004 }),
  failed('reports-list', { errors: [{ message: 'x' }] }),
  failed('reports-detail', { detail: 'x' }),
  failed('reports-message', { code: 500, message: 'x' }),
  {
    ...good(
      'reports-none',
      `${HALF + moreArguments('{"k":1}')}${event({ x_groq: { error: '' }, base_resp: { status_code: 0 } })}`,
      {
        calls: [{ id: 'c1', name: 't', args: { k: 1 } }],
      },
    ),
    rule: ERRORS,
  },
  {
    ...good('message-again', HALF + moreArguments('{"k":1}') + AGAIN, {
      calls: [{ id: 'c1', name: 't', args: { k: 1 } }],
    }),
    rule: ERRORS,
    note: 'MiniMax ends a stream with the whole message.',
  },
  failed('reports-errors-object', { errors: { message: 'x' } }),
  failed('reports-msg', { code: 429, msg: 'rate limited' }),
  {
    ...good('reports-status', HALF + moreArguments('{"k":1}') + event({ type: 'status', message: 'searching' }), {
      calls: [{ id: 'c1', name: 't', args: { k: 1 } }],
    }),
    rule: ERRORS,
  },
  {
    id: 'whole-message',
    rule: ERRORS,
    events: event({
      object: 'chat.completion',
      choices: [{ index: 0, message: MESSAGE, finish_reason: 'tool_calls' }],
    }),
    end: 'cut',
    whole: { error: 'bad_delta' },
    note: 'An answer that was not streamed: passed over, its call would be lost without a word.',
  },
];

export const CHAT_CASES: readonly CraftedCase[] = [...CASES, ...ERROR_CASES].map((written) =>
  wireCase('openai-chat', 'chat', written),
);

function good(id: string, events: string, whole: Outcome): WireCase {
  return { id, rule: RULE, events: events + ending('tool_calls'), whole };
}

function failed(id: string, report: object): WireCase {
  const events = HALF + event(report) + ending({ finish: 'tool_calls' });
  return { id, rule: ERRORS, events, end: 'cut', whole: { error: 'stream_error' } };
}

function event(payload: object): string {
  return `data: ${JSON.stringify(payload)}\n\n`;
}

function moreArguments(args: string): string {
  return tool({ index: 0, function: { arguments: args } });
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
