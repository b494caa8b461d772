import { describe, expect, it } from 'vitest';
import { chatStream } from '../replay/envelope.ts';
import { chunk, sse, toolChunk, toolDelta } from '../testing/chat-streams.ts';
import { textBytes } from './test-server.ts';
import { wholeMessage } from './whole-message.ts';

describe('a whole message', () => {
  it('of a text has it joined, with id, model and usage of the stream', () => {
    expect(wholeMessage(textBytes('Hel', 'lo ', '\u00e9'))).toEqual({
      completion: {
        id: 'x',
        object: 'chat.completion',
        created: 0,
        model: 'm',
        choices: [
          { index: 0, message: { role: 'assistant', content: 'Hello \u00e9' }, finish_reason: 'stop', logprobs: null },
        ],
        usage: { prompt_tokens: 1, completion_tokens: 3, total_tokens: 4 },
      },
    });
  });

  it('has the calls in order, each with its arguments as they were written', () => {
    const parts = [
      { type: 'call', id: 'c1', name: 'read', pieces: ['{"a"', ':1.0}'] },
      { type: 'call', id: 'c2', name: 'write', pieces: [] },
    ] as const;
    const usage = { promptTokens: 0, completionTokens: 0 };
    const { completion } = wholeMessage(
      chatStream({ id: 'x', model: 'm', parts, finish: 'tool_calls', usage }),
    ) as never;
    expect(completion).toMatchObject({
      choices: [
        {
          message: {
            content: null,
            tool_calls: [
              { id: 'c1', type: 'function', function: { name: 'read', arguments: '{"a":1.0}' } },
              { id: 'c2', type: 'function', function: { name: 'write', arguments: '' } },
            ],
          },
          finish_reason: 'tool_calls',
        },
      ],
    });
  });

  it('of an answer that ran into its limit is what there is of it', () => {
    const { completion } = wholeMessage(
      sse(chunk({ reasoning: 'hm' }), chunk({ content: 'ha' }, 'length'), '[DONE]'),
    ) as never;
    expect(completion).toMatchObject({
      choices: [{ message: { content: 'ha', reasoning_content: 'hm' }, finish_reason: 'length' }],
    });
    expect(completion).not.toHaveProperty('usage');
  });

  it('gives a call without an id one', () => {
    const bytes = sse(toolChunk(toolDelta({ index: 0, name: 'f', args: '{}' })), '[DONE]');
    expect(wholeMessage(bytes)).toMatchObject({
      completion: { choices: [{ message: { tool_calls: [{ id: 'call_0' }] }, finish_reason: 'stop' }] },
    });
  });

  it.each([
    ['a stream that is cut off', sse(chunk({ content: 'ha' })), 'the stream is cut off'],
    ['a stream that failed', sse(chunk({ content: 'ha' }), '{', '[DONE]'), 'sse_bad_json, '],
    ['a call without a name', sse(toolChunk({ index: 0, id: 'c', function: {} }), '[DONE]'), 'a call without a name'],
    [
      'a delta that was refused',
      sse(
        toolChunk(toolDelta({ index: 0, id: 'c', name: 'f', args: {} })),
        toolChunk({ index: 0, function: { arguments: '{}' } }),
      ),
      'args_not_object, ',
    ],
  ])('is not made of %s', (_, bytes, problem) => {
    expect(wholeMessage(bytes)).toEqual({ problem: expect.stringContaining(problem) });
  });
});
