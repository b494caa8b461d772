import { describe, expect, it } from 'vitest';
import type { ToolCall } from '../parsers/parser.ts';
import { chunk, sse, toolChunk, toolDelta } from '../testing/chat-streams.ts';
import type { AnswerEvent } from './agent-event.ts';
import { type Answer, readAnswer } from './answer.ts';
import { type AgentProtocol, PROTOCOL_RULES } from './protocol.ts';

interface Reading extends Answer {
  /** Id and kept text of each call, in order. */
  readonly ran: readonly (readonly [id: string, text: string])[];
  readonly events: readonly AnswerEvent[];
}

interface Feeding {
  readonly run?: (call: ToolCall) => Promise<void>;
  readonly signal?: AbortSignal;
  readonly lost?: Error;
}

async function read(protocol: AgentProtocol, chunks: readonly Uint8Array[], feeding: Feeding = {}): Promise<Reading> {
  const ran: [string, string][] = [];
  const events: AnswerEvent[] = [];
  async function* body() {
    yield* chunks;
    if (feeding.lost !== undefined) throw feeding.lost;
  }
  const answer = await readAnswer(body(), {
    rules: PROTOCOL_RULES[protocol],
    signal: feeding.signal ?? new AbortController().signal,
    hooks: {
      emit: (event) => events.push(event),
      run: async (call, text) => {
        ran.push([call.id, text]);
        await feeding.run?.(call);
      },
    },
  });
  return { ...answer, ran, events };
}

/** A message in deltas of one each. */
function message(...deltas: readonly string[]): Uint8Array {
  return sse(...deltas.map((content) => chunk({ content })), chunk({}, 'stop'), '[DONE]');
}

function unfinished(...deltas: readonly string[]): Uint8Array {
  return sse(...deltas.map((content) => chunk({ content })));
}

const CALL_1 = 'call c1 read_file\narg path 3\na.b\nend\n';
const CALL_2 = 'call c2 list_dir\narg path 1\n.\nend\n';

describe('a CTL answer', () => {
  it('runs each call with the text up to its end', async () => {
    const { end, ran, text } = await read('ctl', [message(`First:\n${CALL_1}\n`, `${CALL_2}\n\n`)]);
    expect(end).toEqual({ type: 'complete' });
    expect(ran).toEqual([
      ['c1', `First:\n${CALL_1}`],
      ['c2', `\n${CALL_2}`],
    ]);
    expect(text).toBe('');
  });

  it('runs a call before the next chunk is pulled', async () => {
    const order: string[] = [];
    async function* body() {
      order.push('pulled 1');
      yield unfinished(CALL_1);
      order.push('pulled 2');
      yield message('');
    }
    await readAnswer(body(), {
      rules: PROTOCOL_RULES.ctl,
      signal: new AbortController().signal,
      hooks: {
        emit: () => undefined,
        run: async () => {
          order.push('started');
          await new Promise((resolve) => setTimeout(resolve, 5));
          order.push('ended');
        },
      },
    });
    expect(order).toEqual(['pulled 1', 'started', 'ended', 'pulled 2']);
  });

  it('stops at an imagined result, and never runs the call behind it in the same chunk', async () => {
    const { end, ran, text, events } = await read('ctl', [message(`${CALL_1}Result: ok\n${CALL_2}`)]);
    expect(end).toEqual({ type: 'imagined-result' });
    expect(ran).toEqual([['c1', CALL_1]]);
    expect(text).toBe('');
    expect(events.filter((event) => event.type === 'text')).toEqual([]);
  });

  it('keeps text without a call, and a think block in it', async () => {
    const { end, text, ran } = await read('ctl', [message('<think>call c1 t\n</th', 'ink>It is done.\nca')]);
    expect([end.type, ran, text]).toEqual(['complete', [], '<think>call c1 t\n</think>It is done.\nca']);
  });

  it('runs a call that begins behind a think block', async () => {
    const { ran } = await read('ctl', [message(`<think>hm</think>${CALL_1}`)]);
    expect(ran).toEqual([['c1', `<think>hm</think>${CALL_1}`]]);
  });

  it('keeps of an error the text before the frame, and stops reading', async () => {
    const later = new Error('pulled behind the error');
    const { end, text, arrived } = await read('ctl', [unfinished('Now:\ncall c1 t\narg k 4\nhello\nend\n')], {
      lost: later,
    });
    expect(end).toMatchObject({ type: 'contract-error', error: { kind: 'unexpected_line', line: 4 } });
    expect([text, arrived]).toEqual(['Now:\n', 33]);
  });

  it('says of a complete answer that a declared length was not met', async () => {
    const { end } = await read('ctl', [message('call c1 t\narg k 400\nhello\nend\n')]);
    expect(end).toMatchObject({ type: 'contract-error', error: { kind: 'body_eof', declared: 400, arrived: 10 } });
  });

  it('takes a lost connection as a cut, and tells what had arrived', async () => {
    const { end, text } = await read('ctl', [unfinished('Now:\ncall c1 t\narg k 400\nhello')], {
      lost: new Error('other side closed'),
    });
    expect(end).toEqual({
      type: 'cut',
      cause: { by: 'connection', detail: 'other side closed' },
      unfinished: { id: 'c1', name: 't', key: 'k', declared: 400, arrived: 5 },
    });
    expect(text).toBe('Now:\n');
  });

  it.each([
    ['a finish reason', [chunk({}, 'length'), '[DONE]'], { by: 'reason', reason: 'length' }],
    ['an error of the provider', [{ error: { message: 'overloaded' } }], { by: 'failure', detail: expect.any(String) }],
    ['a payload that is no JSON', ['{"choices":'], { by: 'failure', detail: expect.any(String) }],
    ['nothing', [], { by: 'connection', detail: expect.stringContaining('closed') }],
  ])('is cut by %s', async (_, tail, cause) => {
    const { end, ran } = await read('ctl', [sse(chunk({ content: `${CALL_1}call c2 t\nend` }), ...tail)]);
    expect(end).toEqual({ type: 'cut', cause, unfinished: { id: 'c2', name: 't' } });
    expect(ran).toEqual([['c1', CALL_1]]);
  });

  it('is complete if the connection is lost behind a finish reason', async () => {
    const { end } = await read('ctl', [sse(chunk({ content: 'Done.' }), chunk({}, 'stop'))], { lost: new Error('x') });
    expect(end).toEqual({ type: 'complete' });
  });

  it('tells how far an argument has come', async () => {
    const { events } = await read('ctl', [message('call c1 t\narg k 5\nhe', 'llo\nend\n')]);
    expect(events).toEqual([
      { type: 'call-open', ordinal: 0, id: 'c1', name: 't' },
      { type: 'argument', ordinal: 0, key: 'k', bytes: 2, declared: 5 },
      { type: 'argument', ordinal: 0, key: 'k', bytes: 5, declared: 5 },
    ]);
  });

  it('pulls nothing more once it is cancelled, and ends no message', async () => {
    const controller = new AbortController();
    const { end, ran } = await read('ctl', [unfinished(CALL_1, CALL_2), message('never')], {
      signal: controller.signal,
      run: async () => controller.abort(),
    });
    expect(end).toEqual({ type: 'cancelled', unfinished: null });
    expect(ran.map(([id]) => id)).toEqual(['c1']);
  });
});

describe('an xml answer', () => {
  const BLOCK =
    '<minimax:tool_call>\n<invoke name="a">\n<parameter name="k">v</parameter>\n</invoke>\n<invoke name="b">\n</invoke>\n</minimax:tool_call>';

  it('runs all calls at its end, the text with the first', async () => {
    const { end, ran, text } = await read('xml', [message(`Now:\n${BLOCK}\n`)]);
    expect([end.type, text]).toEqual(['complete', '']);
    expect(ran).toEqual([
      ['call_0', `Now:\n${BLOCK}\n`],
      ['call_1', ''],
    ]);
  });

  it('runs nothing if text follows the block, and keeps the text before it', async () => {
    const { end, ran, text } = await read('xml', [message(`Now:\n${BLOCK}\nResult: ok`)]);
    expect(end).toMatchObject({ type: 'contract-error', error: { kind: 'xml_after_block' } });
    expect([ran, text]).toEqual([[], 'Now:\n']);
  });

  it('runs nothing of a cut answer', async () => {
    const { end, ran } = await read('xml', [unfinished(BLOCK)]);
    expect([end.type, ran]).toEqual(['cut', []]);
  });

  it('keeps what might have become a tag', async () => {
    expect((await read('xml', [message('abc\n<mini')])).text).toBe('abc\n<mini');
  });
});

describe('a native answer', () => {
  const CALLS = sse(
    chunk({ content: 'Now:' }),
    toolChunk(toolDelta({ index: 0, id: 'x', name: 'a', args: '{"k":' })),
    toolChunk(toolDelta({ index: 0, args: '1}' })),
    toolChunk(toolDelta({ index: 1, id: 'y', name: 'b', args: '{}' })),
  );
  const END = sse(chunk({}, 'tool_calls'), '[DONE]');

  it('runs its calls at the end with native-eos', async () => {
    const order: string[] = [];
    async function* body() {
      yield CALLS;
      order.push('calls have arrived');
      yield END;
    }
    const answer = await readAnswer(body(), {
      rules: PROTOCOL_RULES['native-eos'],
      signal: new AbortController().signal,
      hooks: { emit: () => undefined, run: async (call, text) => void order.push(`${call.id}:${text}`) },
    });
    expect(order).toEqual(['calls have arrived', 'x:Now:', 'y:']);
    expect(answer).toEqual({ end: { type: 'complete' }, text: '', calls: 2, arrived: 13 });
  });

  it('runs a call with native-inc when the next has opened', async () => {
    const { end, ran } = await read('native-inc', [CALLS]);
    expect(ran).toEqual([['x', 'Now:']]);
    expect(end).toMatchObject({ type: 'cut', unfinished: { id: 'y', name: 'b', arrived: 2 } });
  });

  it('runs none of a cut answer with native-eos', async () => {
    expect((await read('native-eos', [CALLS])).ran).toEqual([]);
  });

  it('runs the siblings of a bad call with native-inc, and none with native-eos', async () => {
    const bad = sse(
      toolChunk(toolDelta({ index: 0, id: 'x', name: 'a', args: '{"k":1}}' })),
      toolChunk(toolDelta({ index: 1, id: 'y', name: 'b', args: '{}' })),
      chunk({}, 'tool_calls'),
      '[DONE]',
    );
    const error = { type: 'contract-error', error: { kind: 'args_not_object', call: 'x' } };
    const inc = await read('native-inc', [bad]);
    const eos = await read('native-eos', [bad]);
    expect([inc.end, eos.end]).toMatchObject([error, error]);
    expect([inc.ran, eos.ran]).toEqual([[['y', '']], []]);
  });

  it('takes calls that stand in the text as calls, and not as text', async () => {
    const { ran, text } = await read('native-inc', [message('[{"name":"a","arguments":{}}', ' ]')]);
    expect([ran, text]).toEqual([[['call_0', '']], '']);
  });

  it('keeps text between and behind calls', async () => {
    const tail = sse(chunk({ content: ' And' }), chunk({}, 'tool_calls'), chunk({ content: ' so on.' }), '[DONE]');
    const { text, ran } = await read('native-inc', [CALLS, tail]);
    expect(ran).toEqual([
      ['x', 'Now:'],
      ['y', ' And'],
    ]);
    expect(text).toBe(' so on.');
  });

  it('tells how far the arguments have come', async () => {
    const { events } = await read('native-eos', [CALLS]);
    expect(events).toEqual([
      { type: 'text', text: 'Now:' },
      { type: 'call-open', ordinal: 0, id: 'x', name: 'a' },
      { type: 'argument', ordinal: 0, bytes: 5 },
      { type: 'argument', ordinal: 0, bytes: 7 },
      { type: 'call-open', ordinal: 1, id: 'y', name: 'b' },
      { type: 'argument', ordinal: 1, bytes: 2 },
    ]);
  });
});
