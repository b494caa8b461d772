/** Crafted streams for docs/wire-formats.md "OpenAI Responses". */
import type { ExpectedCall } from '../../../harness/replay/recording.ts';
import type { CraftedCase, Outcome } from './case.ts';
import { called } from './native-case.ts';
import { C1, C2, namedEvent, type WireCase, wireCase } from './wire-case.ts';

const EVENTS = 'OpenAI Responses, events';
const IDENTITY = 'OpenAI Responses, which call';
const CLOSES = 'what closes a call';
const END = 'OpenAI Responses, complete or cut';
const CUSTOM = 'free text';

const BEGIN = namedEvent({ type: 'response.created', response: { id: 'r', status: 'in_progress' } });
const OPEN1 = added(0, item('c1', 't', '', 'in_progress'));
const TEXT1 = delta(0, '{"k":') + delta(0, '1}');
const CALL1 = OPEN1 + TEXT1 + whole(0, '{"k":1}') + done(0, item('c1', 't', '{"k":1}'));
const CALL2 = added(1, item('c2', 'u', '', 'in_progress')) + delta(1, '{"k":2}') + done(1, item('c2', 'u', '{"k":2}'));
const COMPLETED = completed();
const THOUGHT = added(0, { type: 'reasoning', id: 'r', summary: [] });

const GOOD: readonly WireCase[] = [
  good('one-call', EVENTS, CALL1),
  good('two-calls', EVENTS, CALL1 + CALL2, [C1, C2]),
  good('text-before', EVENTS, message(1, 'Hello') + CALL1),
  good('refusal', EVENTS, namedEvent({ type: 'response.refusal.delta', output_index: 1, delta: 'No.' }) + CALL1),
  good('reasoning', EVENTS, namedEvent({ type: 'response.reasoning_text.delta', output_index: 1, delta: '{' }) + CALL1),
  good('unknown-event', EVENTS, namedEvent({ type: 'keepalive', sequence_number: 3 }) + CALL1),
  { ...good('interleaved', CLOSES, interleaved(), [C1, C2]), object: { calls: [C2, C1] } },
  good('item-ids-differ', IDENTITY, CALL1.replaceAll('"item_id":"i_c1"', '"item_id":"other"')),
  good('no-output-index', IDENTITY, CALL1.replaceAll('"output_index":0,', '')),
  good('done-only', IDENTITY, done(0, item('c1', 't', '{"k":1}'))),
  good('arguments-done-only', IDENTITY, OPEN1 + whole(0, '{"k":1}') + done(0, item('c1', 't', '{"k":1}'))),
  good('arguments-in-added', IDENTITY, added(0, item('c1', 't', '{"k":1}')) + done(0, item('c1', 't', '{"k":1}'))),
  good('no-arguments', CLOSES, OPEN1 + done(0, item('c1', 't', '')), [called('c1', 't', '')]),
  good('status-absent', CLOSES, OPEN1 + TEXT1 + done(0, item('c1', 't', '{"k":1}', undefined))),
  good('surrogate-over-deltas', EVENTS, surrogate(), [called('c1', 't', '{"k":"😀"}')]),
  { id: 'completed-only', rule: IDENTITY, events: BEGIN + completed([item('c1', 't', '{"k":1}')]) },
  { id: 'completed-closes', rule: CLOSES, events: BEGIN + OPEN1 + TEXT1 + completed([item('c1', 't', '{"k":1}')]) },
  good('done-at-another-index', IDENTITY, OPEN1 + TEXT1 + done(1, item('c1', 't', '{"k":1}'))),
  good('arguments-done-alone', CLOSES, OPEN1 + TEXT1 + whole(0, '{"k":1}')),
  good('call-id-for-all', IDENTITY, callIdAlone()),
  again('completed-under-another-id', CALL1, [item('c9', 't', '{"k":1}')]),
  again('completed-without-the-reasoning', THOUGHT + CALL2, [item('c9', 'u', '{"k":2}')], [C2]),
  again('completed-only-behind-reasoning', THOUGHT, [item('c1', 't', '{"k":1}')]),
  { id: 'second-response-not-read', rule: END, events: BEGIN + CALL1 + COMPLETED + BEGIN + CALL2 + COMPLETED },
  { id: 'done-behind', rule: END, events: `${BEGIN + CALL1 + COMPLETED}data: [DONE]\n\n` },
  good(
    'web-search',
    'tools that the provider runs',
    done(1, { type: 'web_search_call', id: 'w', status: 'completed' }) + CALL1,
  ),
  good(
    'mcp-call',
    'tools that the provider runs',
    added(1, { type: 'mcp_call', id: 'm', name: 'x', arguments: '' }) +
      namedEvent({ type: 'response.mcp_call_arguments.delta', output_index: 1, delta: '{}' }) +
      CALL1,
  ),
  good(
    'computer-call',
    'tools that a client runs and we do not read',
    done(1, {
      type: 'computer_call',
      id: 'w',
      call_id: 'k',
      action: { type: 'click', x: 1, y: 2 },
      status: 'completed',
    }) + CALL1,
  ),
];

const SQL: ExpectedCall = { id: 'c1', name: 'sql', args: { input: 'SELECT "a"\nFROM b' } };
const OPEN_SQL = added(0, custom('', 'in_progress'));
const SQL_DELTAS = input(0, 'SELECT "a"\n') + input(0, 'FROM b');

const CUSTOM_CASES: readonly WireCase[] = [
  good('custom', CUSTOM, OPEN_SQL + SQL_DELTAS + done(0, custom('SELECT "a"\nFROM b')), [SQL]),
  good('custom-empty', CUSTOM, OPEN_SQL + done(0, custom('')), [{ ...SQL, args: { input: '' } }]),
  good('custom-json', CUSTOM, done(0, custom('[1]')), [{ ...SQL, args: { input: '[1]' } }]),
  { ...incomplete('custom-incomplete', OPEN_SQL + SQL_DELTAS + done(0, custom('SELECT "a"\nFROM b', 'incomplete'))) },
  { ...incomplete('custom-cut', OPEN_SQL + SQL_DELTAS) },
  incomplete('custom-closed-then-cut', OPEN_SQL + SQL_DELTAS + done(0, custom('SELECT "a"\nFROM b')), { calls: [SQL] }),
  bad('custom-other-text', CUSTOM, OPEN_SQL + SQL_DELTAS + done(0, custom('SELECT "a"'))),
];

const REFUSED: readonly WireCase[] = [
  late('delta-after-done', CALL1 + delta(0, ',"x":1}')),
  late('other-text-after-done', CALL1 + done(0, item('c1', 't', '{"k":2}'))),
  late('orphan', CALL1 + delta(7, '{}'), 'orphan_delta'),
  bad('other-text', IDENTITY, OPEN1 + TEXT1 + done(0, item('c1', 't', '{"k":2}'))),
  bad('other-arguments-done', IDENTITY, OPEN1 + TEXT1 + whole(0, '{"k":2}') + done(0, item('c1', 't', '{"k":1}'))),
  bad(
    'delta-after-arguments-done',
    IDENTITY,
    OPEN1 + TEXT1 + whole(0, '{"k":1}') + delta(0, ' ') + done(0, item('c1', 't', '{"k":1} ')),
  ),
  bad('other-name', IDENTITY, OPEN1 + TEXT1 + done(0, item('c1', 'u', '{"k":1}'))),
  bad('arguments-object', IDENTITY, done(0, item('c1', 't', { k: 1 }))),
  bad('delta-number', IDENTITY, OPEN1 + delta(0, 5) + done(0, item('c1', 't', '{}'))),
  bad('never-done', CLOSES, OPEN1 + TEXT1),
  bad('incomplete-then-completed', CLOSES, OPEN1 + TEXT1 + done(0, item('c1', 't', '{"k":1}', 'incomplete'))),
  bad('done-as-a-message', IDENTITY, OPEN1 + TEXT1 + done(0, { type: 'message', content: [], status: 'completed' })),
  bad('delta-of-a-custom-tool', IDENTITY, OPEN1 + input(0, '{"k":1}') + done(0, item('c1', 't', '{"k":1}'))),
  late('other-name-after-done', CALL1 + done(0, item('c1', 'u', '{"k":1}'))),
  late('incomplete-after-done', CALL1 + done(0, item('c1', 't', '{"k":1}', 'incomplete'))),
  {
    ...late('completed-which', CALL1 + completed([item('c8', 't', '{"k":1}'), item('c9', 't', '{"k":1}')])),
    note: 'Two calls under ids that no event gave, for one that has run: none of them runs, since one may be that.',
  },
  ...['in_progress', 'failed'].map((status) =>
    bad(`completed-${status}`, CLOSES, OPEN1 + TEXT1 + completed([item('c1', 't', '{"k":1}', status)])),
  ),
  late('same-call-id-twice', CALL1 + CALL1.replaceAll('"output_index":0', '"output_index":1')),
  late('listed-twice', completed([item('c1', 't', '{"k":1}'), item('c1', 't', '{"k":1}')])),
  bad(
    'done-at-the-index-of-another',
    IDENTITY,
    OPEN1 + added(1, item('c2', 't', '')) + done(1, item('c1', 't', '{"k":1}')),
  ),
  bad('orphan-inside', IDENTITY, OPEN1 + TEXT1 + delta(7, ',') + done(0, item('c1', 't', '{"k":1}'))),
  failed('index-twice', OPEN1 + OPEN1),
  failed('second-response', OPEN1 + BEGIN),
  failed('text-differs', message(0, 'Hello', 'Hell')),
];

const ENDS: readonly WireCase[] = [
  incomplete('incomplete', CALL1, { calls: [C1] }),
  incomplete(
    'incomplete-inside',
    OPEN1 + delta(0, '{"k":') + whole(0, '{"k":') + done(0, item('c1', 't', '{"k":', 'incomplete')),
  ),
  {
    ...incomplete(
      'incomplete-whole',
      OPEN1 + TEXT1 + whole(0, '{"k":1}') + done(0, item('c1', 't', '{"k":1}', 'incomplete')),
    ),
    note: 'response.function_call_arguments.done comes for a cut call, too: it closes nothing.',
  },
  { id: 'nothing', rule: END, events: BEGIN + CALL1, end: 'cut', whole: {}, object: { calls: [C1] } },
  {
    id: 'done-alone',
    rule: END,
    events: `${BEGIN + CALL1}data: [DONE]\n\n`,
    end: 'cut',
    whole: {},
    object: { calls: [C1] },
  },
  error('failed', namedEvent({ type: 'response.failed', response: { status: 'failed', error: { message: 'x' } } })),
  error('error-event', namedEvent({ type: 'error', code: 'server_error', message: 'x', sequence_number: 4 })),
];

export const RESPONSES_CASES: readonly CraftedCase[] = [...GOOD, ...CUSTOM_CASES, ...REFUSED, ...ENDS].map((written) =>
  wireCase('openai-responses', 'responses', written),
);

function good(id: string, rule: string, events: string, calls: readonly ExpectedCall[] = [C1]): WireCase {
  return { id, rule, events: BEGIN + events + COMPLETED, whole: { calls } };
}

/** The whole response says its calls in another way than the events. */
function again(id: string, events: string, output: readonly object[], calls = [C1]): WireCase {
  return { id, rule: IDENTITY, events: BEGIN + events + completed(output), whole: { calls } };
}

function late(id: string, events: string, kind: Outcome['error'] = 'bad_delta'): WireCase {
  const outcomes = { whole: { error: kind }, object: { calls: [C1], error: kind }, offset: 7 };
  return { id, rule: CLOSES, events: BEGIN + events + COMPLETED, ...outcomes };
}

function bad(id: string, rule: string, events: string): WireCase {
  return { id, rule, events: BEGIN + events + COMPLETED, whole: { error: 'bad_delta' } };
}

function failed(id: string, events: string): WireCase {
  return { id, rule: EVENTS, events: BEGIN + events + COMPLETED, end: 'cut', whole: { error: 'bad_delta' } };
}

function incomplete(id: string, events: string, object: Outcome = {}): WireCase {
  const details = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
  const ending = namedEvent({ type: 'response.incomplete', response: details });
  return { id, rule: END, events: BEGIN + events + ending, end: 'cut', whole: {}, object };
}

function error(id: string, event: string): WireCase {
  const events = BEGIN + OPEN1 + delta(0, '{"k":') + event + delta(0, '1}') + COMPLETED;
  return { id, rule: END, events, end: 'cut', whole: { error: 'stream_error' }, offset: 5 };
}

function item(call_id: string, name: string, args: unknown, status: string | undefined = 'completed'): object {
  return { id: `i_${call_id}`, type: 'function_call', status, arguments: args, call_id, name };
}

function custom(text: string, status = 'completed'): object {
  return { id: 'i_c1', type: 'custom_tool_call', status, input: text, call_id: 'c1', name: 'sql' };
}

function added(output_index: number, value: object): string {
  return namedEvent({ type: 'response.output_item.added', output_index, item: value });
}

function done(output_index: number, value: object): string {
  return namedEvent({ type: 'response.output_item.done', output_index, item: value });
}

function delta(output_index: number, fragment: unknown): string {
  return ofItem('response.function_call_arguments.delta', output_index, { delta: fragment });
}

function whole(output_index: number, args: string): string {
  return ofItem('response.function_call_arguments.done', output_index, { arguments: args });
}

function input(output_index: number, fragment: string): string {
  return ofItem('response.custom_tool_call_input.delta', output_index, { delta: fragment });
}

function ofItem(type: string, output_index: number, fields: object): string {
  return namedEvent({ type, output_index, item_id: `i_c${output_index + 1}`, ...fields });
}

function message(output_index: number, said: string, again = said): string {
  const part = { output_index, content_index: 0 };
  return (
    namedEvent({ type: 'response.output_text.delta', ...part, delta: said }) +
    namedEvent({ type: 'response.output_text.done', ...part, text: again })
  );
}

function completed(output: readonly object[] = []): string {
  return namedEvent({ type: 'response.completed', response: { status: 'completed', output } });
}

function surrogate(): string {
  return OPEN1 + delta(0, '{"k":"\ud83d') + delta(0, '\ude00"}') + done(0, item('c1', 't', '{"k":"😀"}'));
}

/** As llama.cpp has it: neither index nor id. */
function callIdAlone(): string {
  return CALL1.replaceAll('"output_index":0,', '')
    .replaceAll('"id":"i_c1",', '')
    .replaceAll('"item_id":"i_c1"', '"item_id":"c1"');
}

function interleaved(): string {
  return OPEN1 + delta(0, '{"k":') + CALL2 + delta(0, '1}') + done(0, item('c1', 't', '{"k":1}'));
}
