import { describe, expect, it } from 'vitest';
import type { ToolCall } from '../parsers/parser.ts';
import { chunk, sse, toolChunk, toolDelta } from '../testing/chat-streams.ts';
import type { AgentEvent } from './agent-event.ts';
import { type AgentOptions, type CallExecutor, runAgent } from './loop.ts';
import { ModelError } from './model-client.ts';
import { ScriptedModel, type ScriptedTurn } from './scripted-model.ts';
import type { SessionRecord } from './session-record.ts';
import { Transcript } from './transcript.ts';

const DONE = message('Done.');
const CALL_1 = 'call c1 list_dir\narg path 1\n.\nend\n';
const CALL_2 = 'call c2 list_dir\narg path 1\n.\nend\n';
const NO_LENGTH = 'call c1 t\narg k 400\nhello\nend\n';

function message(...deltas: readonly string[]): Uint8Array {
  return sse(...deltas.map((content) => chunk({ content })), chunk({}, 'stop'), '[DONE]');
}

interface Setting extends Partial<AgentOptions> {
  readonly execute?: CallExecutor;
  readonly records?: readonly SessionRecord[];
}

/** Runs to the end. `order`: what was recorded, and when calls ran. */
async function run(turns: readonly ScriptedTurn[], setting: Setting = {}) {
  const { execute, records = [{ type: 'user', text: 'Do it.' }], ...options } = setting;
  const model = new ScriptedModel(...turns);
  const order: string[] = [];
  const events: AgentEvent[] = [];
  const log = {
    append: async (record: SessionRecord) =>
      void order.push('id' in record ? `${record.type} ${record.id}` : record.type),
  };
  const transcript = new Transcript(log, records);
  const signal = options.signal ?? new AbortController().signal;
  const outcome = await runAgent(
    { protocol: 'ctl', system: 'S', tools: [], maxTurns: 10, retries: 2, ...options, signal },
    {
      model,
      transcript,
      emit: (event) => events.push(event),
      execute: async (call: ToolCall, cancel) => {
        order.push(`run ${call.id}`);
        return execute === undefined ? { type: 'result', exit: 0, output: `out of ${call.id}` } : execute(call, cancel);
      },
    },
  );
  return { outcome, model, order, events, records: transcript.records.slice(records.length) };
}

describe('a run', () => {
  it('goes on until the model answers with text alone', async () => {
    const { outcome, model } = await run([message(CALL_1), DONE]);
    expect(outcome).toEqual({ type: 'finished' });
    expect(model.told(1)).toEqual([
      ['user', 'Do it.'],
      ['assistant', CALL_1],
      ['user', 'result c1 exit=0 9\nout of c1\nend\n'],
    ]);
    expect(model.partings).toEqual(['left', 'left']);
  });

  it('records a call before it runs, and its result before the next call', async () => {
    const { order } = await run([message(`Now:\n${CALL_1}${CALL_2}`), DONE]);
    const call = (id: string) => ['assistant', `call ${id}`, `run ${id}`, `result ${id}`];
    expect(order).toEqual([...call('c1'), ...call('c2'), 'stop', 'assistant', 'stop']);
  });

  it('sends tools to a native protocol alone', async () => {
    const tools = [{ type: 'function', function: { name: 't', description: '', parameters: {} } }] as const;
    const text = await run([DONE], { tools });
    const native = await run([DONE], { tools, protocol: 'native-eos' });
    expect([text.model.requests[0]?.tools, native.model.requests[0]?.tools]).toEqual([undefined, tools]);
  });

  it('ends at the turn limit', async () => {
    const { outcome, model } = await run([message(CALL_1), message(CALL_1), message(CALL_1)], { maxTurns: 2 });
    expect([outcome, model.requests.length]).toEqual([{ type: 'turn-limit', turns: 2 }, 2]);
  });

  it('ends when the model cannot be asked', async () => {
    const { outcome, order } = await run([message(CALL_1), new ModelError('no key')]);
    expect(outcome).toEqual({ type: 'model-failed', problem: 'no key' });
    expect(order.at(-1)).toBe('stop');
  });

  it('does not go on when a record cannot be written: the tool is not started', async () => {
    const model = new ScriptedModel(message(CALL_1));
    let ran = false;
    const transcript = new Transcript({
      append: async (record) => {
        if (record.type === 'call') throw new Error('disk full');
      },
    });
    const options = { protocol: 'ctl', system: '', tools: [], maxTurns: 1, retries: 0 } as const;
    const running = runAgent(
      { ...options, signal: new AbortController().signal },
      {
        model,
        transcript,
        emit: () => undefined,
        execute: async () => {
          ran = true;
          return { type: 'result', exit: 0, output: '' };
        },
      },
    );
    await expect(running).rejects.toThrow('disk full');
    expect([ran, model.partings]).toEqual([false, ['closed']]);
  });

  it('tells the model a refusal, and records it as one', async () => {
    const refusal = { type: 'refusal', exit: 126, reason: 'no' } as const;
    const { order, model } = await run([message(CALL_1), DONE], { execute: async () => refusal });
    expect(order).toContain('refusal c1');
    expect(model.told(1).at(-1)).toEqual(['user', 'result c1 exit=126 2\nno\nend\n']);
  });

  it('gives two native calls of one id two ids, and says so', async () => {
    const twice = sse(
      toolChunk(toolDelta({ index: 0, id: 'x', name: 'a', args: '{}' })),
      toolChunk(toolDelta({ index: 1, id: 'x', name: 'b', args: '{}' })),
      chunk({}, 'tool_calls'),
      '[DONE]',
    );
    const { model, records, events } = await run([twice, twice, DONE], { protocol: 'native-eos' });
    const ids = model.requests[2]?.messages.flatMap((sent) => ('tool_call_id' in sent ? [sent.tool_call_id] : []));
    expect(ids).toEqual(['x', 'x_2', 'x_3', 'x_4']);
    expect(records).toContainEqual({ type: 'call', answer: 1, id: 'x_2', givenId: 'x', name: 'b', arguments: '{}' });
    expect(events).toContainEqual({ type: 'call', id: 'x_2', givenId: 'x', name: 'b', arguments: '{}' });
  });
});

describe('an answer that goes wrong', () => {
  it('is told with declared and arrived bytes, and asked for again', async () => {
    const { outcome, model, order } = await run([message(`So:\n${NO_LENGTH}`), message(CALL_1), DONE]);
    expect(outcome).toEqual({ type: 'finished' });
    const [, kept, feedback] = model.told(1);
    expect(kept).toEqual(['assistant', 'So:\n']);
    expect(feedback?.[1]).toContain('declared 400 bytes but only 10 arrived');
    expect(order.slice(0, 2)).toEqual(['assistant', 'tool_parse_error']);
  });

  it('keeps the effects of the calls before the error', async () => {
    const { model } = await run([message(`${CALL_1}call c1 again\n`), DONE]);
    const [, kept, told] = model.told(1);
    expect(kept).toEqual(['assistant', CALL_1]);
    expect(told?.[1]).toMatch(/^result c1 exit=0 9\nout of c1\nend\nYour message could not be read from line 5 /);
    expect(told?.[1]).toContain('Its call c1 stands, with its result.');
  });

  it('ends the run after so many in a row', async () => {
    const bad = message(NO_LENGTH);
    const { outcome, model } = await run([bad, bad, bad, bad], { retries: 2 });
    expect(outcome).toMatchObject({ type: 'gave-up', answers: 3, problem: expect.stringContaining('declared 400') });
    expect(model.requests).toHaveLength(3);
  });

  it('does not count against the next one once an answer was good', async () => {
    const bad = message(NO_LENGTH);
    const { outcome } = await run([bad, message(CALL_1), bad, DONE], { retries: 1 });
    expect(outcome).toEqual({ type: 'finished' });
  });

  it('is told what had arrived of a cut', async () => {
    const cut = sse(chunk({ content: `${CALL_1}call c2 write_file\narg content 400\nhello` }));
    const { model, records } = await run([cut, DONE]);
    expect(model.told(1).at(-1)?.[1]).toContain('Of call c2 (write_file), 5 of 400 declared bytes of argument content');
    expect(records.find(({ type }) => type === 'stop')).toMatchObject({ reason: 'cut', answer: 1 });
    expect(model.partings).toEqual(['closed', 'left']);
  });

  it('is asked for again in the same words if nothing of it arrived', async () => {
    const { model } = await run([sse(), DONE]);
    expect(model.told(1)).toEqual(model.told(0));
  });

  it('stops at an imagined result, without complaint', async () => {
    const { model, records } = await run([message(`${CALL_1}Result: ok\n${CALL_2}`), DONE]);
    expect(model.partings).toEqual(['closed', 'left']);
    expect(model.told(1)).toEqual([
      ['user', 'Do it.'],
      ['assistant', CALL_1],
      ['user', 'result c1 exit=0 9\nout of c1\nend\n'],
    ]);
    expect(JSON.stringify(records)).not.toContain('Result: ok');
  });
});

describe('cancelling', () => {
  it('records the result of the running call, and what had been emitted behind it as refused', async () => {
    const controller = new AbortController();
    const native = sse(
      toolChunk(toolDelta({ index: 0, id: 'x', name: 'a', args: '{}' })),
      toolChunk(toolDelta({ index: 1, id: 'y', name: 'b', args: '{}' })),
      chunk({}, 'tool_calls'),
      '[DONE]',
    );
    const { outcome, order, records } = await run([native], {
      protocol: 'native-eos',
      signal: controller.signal,
      execute: async () => {
        controller.abort();
        return { type: 'result', exit: 130, output: '' };
      },
    });
    expect(outcome).toEqual({ type: 'cancelled' });
    expect(order).toEqual(['call x', 'run x', 'result x', 'call y', 'refusal y', 'stop']);
    expect(records).toContainEqual(expect.objectContaining({ type: 'refusal', id: 'y', exit: 130 }));
    expect(records.at(-1)).toMatchObject({ type: 'stop', reason: 'cancelled' });
  });

  it('before the first request asks nothing', async () => {
    const { outcome, model } = await run([DONE], { signal: AbortSignal.abort() });
    expect([outcome, model.requests.length]).toEqual([{ type: 'cancelled' }, 0]);
  });
});
