/** Crafted streams for docs/wire-formats.md "Anthropic Messages". */
import type { CraftedCase, Outcome } from './case.ts';
import { called } from './native-case.ts';
import { C1, C2, namedEvent, type WireCase, wireCase } from './wire-case.ts';

const EVENTS = 'Anthropic Messages, events';
const IDENTITY = 'Anthropic Messages, which call';
const CLOSES = 'what closes a call';
const END = 'Anthropic Messages, complete or cut';

const BEGIN = messageStart({});
const STOP = namedEvent({ type: 'message_stop' });
const PING = namedEvent({ type: 'ping' });
const CALL1 = open(0, 'c1', 't') + json(0, '{"k":') + json(0, '1}') + stop(0);
const CALL2 = open(1, 'c2', 'u') + json(1, '{"k":2}') + stop(1);
const FINISH = finish('tool_use') + STOP;

const SPACED = called('c1', 't', '{"k":1} ');

const GOOD: readonly WireCase[] = [
  good('one-call', EVENTS, CALL1),
  good('message-start-twice', EVENTS, BEGIN + CALL1),
  good('two-calls', EVENTS, CALL1 + CALL2, [C1, C2]),
  good('text-before', EVENTS, text(0, 'Hello') + CALL1.replaceAll('"index":0', '"index":1')),
  good('pings', EVENTS, PING + CALL1.replaceAll('event: content_block_delta', `${PING}event: content_block_delta`)),
  good('thinking', EVENTS, thinking(1) + CALL1),
  good('unknown-event', EVENTS, namedEvent({ type: 'content_block_note', index: 0 }) + CALL1),
  good('unknown-delta', EVENTS, text(1, 'a') + delta(1, { type: 'note_delta', note: '}' }) + CALL1),
  good('citations', EVENTS, text(1, 'a') + delta(1, { type: 'citations_delta', citation: {} }) + CALL1),
  { ...good('interleaved-blocks', CLOSES, interleaved(), [C1, C2]), object: { calls: [C2, C1] } },
  {
    ...good('next-opens-before-the-end', CLOSES, comesBack(), [SPACED, C2]),
    object: { calls: [C2, SPACED] },
  },
  good('input-at-start', IDENTITY, open(0, 'c1', 't', { k: 1 }) + json(0, '') + stop(0)),
  good('input-at-start-numbers', IDENTITY, bigNumbers(), [called('c1', 't', '{"k": 12345678901234567890, "j": 1.0}')]),
  good('no-input', CLOSES, open(0, 'c1', 't') + json(0, '') + stop(0), [called('c1', 't', '')]),
  good('surrogate-over-deltas', EVENTS, surrogate('\ud83d', '\ude00"}'), [called('c1', 't', '{"k":"😀"}')]),
  good('server-tool', 'tools that the provider runs', serverTool('server_tool_use', 'web_search_tool_result') + CALL1),
  good('mcp-tool', 'tools that the provider runs', serverTool('mcp_tool_use', 'mcp_tool_result') + CALL1),
  {
    id: 'message-begins-whole',
    rule: EVENTS,
    events:
      messageStart({ content: [{ type: 'tool_use', id: 'c1', name: 't', input: { k: 1 } }], stop_reason: 'tool_use' }) +
      STOP,
    note: 'The answer to a code execution that goes on stands in message_start as a whole.',
  },
  { id: 'second-message-not-read', rule: END, events: BEGIN + CALL1 + FINISH + BEGIN + CALL2 + FINISH },
  { id: 'done-behind', rule: END, events: `${BEGIN + CALL1 + FINISH}event: data\ndata: [DONE]\n\n` },
];

const REFUSED: readonly WireCase[] = [
  late('delta-after-stop', CALL1 + json(0, ',"x":1}'), 'It belongs to nobody: the call stays as it was.'),
  late('number-after-stop', CALL1 + delta(0, { type: 'input_json_delta', partial_json: 5 })),
  late('orphan', CALL1 + json(7, '{}'), undefined, 'orphan_delta'),
  bad('input-and-deltas', open(0, 'c1', 't', { k: 1 }) + json(0, '{"k":1}') + stop(0), 'args_not_object'),
  bad('other-delta-inside', open(0, 'c1', 't') + delta(0, { type: 'note_delta', note: ',' }) + rest1()),
  bad('orphan-inside', open(0, 'c1', 't') + json(7, ',') + rest1(), 'bad_delta'),
  {
    ...late('same-id-twice', CALL1 + CALL1.replaceAll('"index":0', '"index":1')),
    note: 'A second call under one id is the first delivered again: it must not run twice.',
  },
  bad('input-string', open(0, 'c1', 't', '{"k":1}') + stop(0)),
  bad('partial-json-number', open(0, 'c1', 't') + delta(0, { type: 'input_json_delta', partial_json: 5 }) + stop(0)),
  bad('name-number', open(0, 'c1', 5) + json(0, '{}') + stop(0)),
  bad('nameless', open(0, 'c1', undefined) + json(0, '{}') + stop(0), 'orphan_delta'),
  bad('never-stopped', open(0, 'c1', 't') + json(0, '{"k":1}')),
  bad('stopped-open', open(0, 'c1', 't') + json(0, '{"k":') + stop(0), 'args_not_object'),
  bad('surrogate-at-stop', surrogate('\ud83d', '')),
  failed('index-twice', open(0, 'c1', 't') + json(0, '{"k":') + open(0, 'c2', 'u')),
  failed('index-string', CALL1 + json('1', '{}'), { calls: [C1] }),
  failed('text-for-no-block', delta(3, { type: 'text_delta', text: 'a' })),
  failed('another-message-start', open(0, 'c1', 't') + json(0, '{"k":') + messageStart({ id: 'other' }) + CALL1),
];

const COMPLETE = ['tool_use', 'end_turn', 'stop_sequence'];
const CUT = ['max_tokens', 'pause_turn', 'refusal', 'model_context_window_exceeded', 'stop', 'banana'];

const ENDS: readonly WireCase[] = [
  ...COMPLETE.map((reason) => ({ id: `reason-${reason}`, rule: END, events: BEGIN + CALL1 + finish(reason) + STOP })),
  ...CUT.map((reason) => cut(`reason-${reason}`, CALL1 + finish(reason) + STOP)),
  cut('no-message-stop', CALL1 + finish('tool_use')),
  cut('no-reason', CALL1 + STOP),
  cut('nothing', CALL1),
  {
    id: 'message-begins-whole-and-cut',
    rule: EVENTS,
    events:
      messageStart({
        content: [{ type: 'tool_use', id: 'c1', name: 't', input: { k: 1 } }],
        stop_reason: 'max_tokens',
      }) + STOP,
    end: 'cut',
    whole: {},
  },
  cut('inside-arguments', open(0, 'c1', 't') + json(0, '{"k":') + finish('max_tokens') + STOP, {}),
  cut('inside-arguments-stopped', open(0, 'c1', 't') + json(0, '{"k":') + stop(0) + finish('max_tokens') + STOP, {}),
  cut('before-arguments-stopped', open(0, 'c1', 't') + stop(0) + finish('max_tokens') + STOP, {}),
  cut('whole-and-not-stopped', open(0, 'c1', 't') + json(0, '{"k":1}') + finish('max_tokens') + STOP, {}),
  cut('surrogate-held', `${open(0, 'c1', 't')}${json(0, '{"k":"\ud83d')}`, {}),
  error('error-event', namedEvent({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } })),
  error('error-by-name', 'event: error\ndata: upstream went away\n\n'),
  error('error-without-type', 'data: {"error":{"message":"Overloaded"}}\n\n'),
  { ...error('bad-json', 'event: content_block_delta\ndata: {"type":\n\n'), whole: { error: 'sse_bad_json' } },
];

export const ANTHROPIC_CASES: readonly CraftedCase[] = [...GOOD, ...REFUSED, ...ENDS].map((written) =>
  wireCase('anthropic', 'anthropic', written),
);

function good(id: string, rule: string, events: string, calls = [C1]): WireCase {
  return { id, rule, events: BEGIN + events + FINISH, whole: { calls } };
}

/** A call that ran, and something for it that comes too late. */
function late(id: string, events: string, note?: string, kind: Outcome['error'] = 'bad_delta'): WireCase {
  const outcomes = { whole: { error: kind }, object: { calls: [C1], error: kind }, offset: 7 };
  return { id, rule: CLOSES, events: BEGIN + events + FINISH, ...outcomes, ...(note !== undefined && { note }) };
}

function bad(id: string, events: string, kind: Outcome['error'] = 'bad_delta'): WireCase {
  return { id, rule: IDENTITY, events: BEGIN + events + FINISH, whole: { error: kind } };
}

function failed(id: string, events: string, object: Outcome = {}): WireCase {
  const error = 'bad_delta';
  return {
    id,
    rule: EVENTS,
    events: BEGIN + events + FINISH,
    end: 'cut',
    whole: { error },
    object: { ...object, error },
  };
}

function cut(id: string, events: string, object: Outcome = { calls: [C1] }): WireCase {
  return { id, rule: END, events: BEGIN + events, end: 'cut', whole: {}, object };
}

function error(id: string, event: string): WireCase {
  const events = BEGIN + open(0, 'c1', 't') + json(0, '{"k":') + event + json(0, '1}') + stop(0) + FINISH;
  return { id, rule: END, events, end: 'cut', whole: { error: 'stream_error' }, offset: 5 };
}

function messageStart(message: object): string {
  const empty = { id: 'msg', type: 'message', role: 'assistant', content: [], stop_reason: null };
  return namedEvent({ type: 'message_start', message: { ...empty, ...message } });
}

function open(index: number, id: string, name: unknown, input: unknown = {}): string {
  return block(index, { type: 'tool_use', id, name, input });
}

function block(index: number, content_block: object): string {
  return namedEvent({ type: 'content_block_start', index, content_block });
}

function delta(index: unknown, value: object): string {
  return namedEvent({ type: 'content_block_delta', index, delta: value });
}

function json(index: unknown, partial_json: string): string {
  return delta(index, { type: 'input_json_delta', partial_json });
}

function stop(index: number): string {
  return namedEvent({ type: 'content_block_stop', index });
}

function finish(stop_reason: string): string {
  return namedEvent({ type: 'message_delta', delta: { stop_reason, stop_sequence: null } });
}

function text(index: number, content: string): string {
  return block(index, { type: 'text', text: '' }) + delta(index, { type: 'text_delta', text: content }) + stop(index);
}

function rest1(): string {
  return json(0, '{"k":1}') + stop(0);
}

function thinking(index: number): string {
  const thought = delta(index, { type: 'thinking_delta', thinking: '{"name":"x","arguments":{}}' });
  const signature = delta(index, { type: 'signature_delta', signature: 'c2ln' });
  return block(index, { type: 'thinking', thinking: '' }) + thought + signature + stop(index);
}

function interleaved(): string {
  const both = open(0, 'c1', 't') + json(0, '{"k":') + open(1, 'c2', 'u') + json(1, '{"k":') + json(0, '1}');
  return both + json(1, '2}') + stop(1) + stop(0);
}

/** What takes a call back in OpenAI chat: a later one opens while the first has only the half of its text. */
function comesBack(): string {
  return (
    open(0, 'c1', 't') + json(0, '{"k":1}') + open(1, 'c2', 'u') + json(0, ' ') + json(1, '{"k":2}') + stop(1) + stop(0)
  );
}

function bigNumbers(): string {
  return open(0, 'c1', 't', 'INPUT').replace('"INPUT"', '{"k": 12345678901234567890, "j": 1.0}') + stop(0);
}

function surrogate(high: string, rest: string): string {
  return open(0, 'c1', 't') + json(0, `{"k":"${high}`) + json(0, rest) + stop(0);
}

function serverTool(use: string, result: string): string {
  const called =
    block(5, { type: use, id: 'srv1', name: 'web_search', input: {} }) + json(5, '{"query":"x"}') + stop(5);
  return called + block(6, { type: result, tool_use_id: 'srv1', content: [] }) + stop(6);
}
