import { expect, test } from 'vitest';
import { readStream } from '../stream/reader.ts';
import { type Answer, chatStream } from './envelope.ts';

const ANSWER: Answer = {
  id: 'x',
  model: 'm',
  parts: [
    { type: 'text', pieces: ['é', '\n'] },
    { type: 'call', id: 'c1', name: 't', pieces: ['{"k', '":1}'] },
    { type: 'call', id: 'c2', name: 'u', pieces: ['{}'] },
  ],
  finish: 'tool_calls',
  usage: { promptTokens: 2, completionTokens: 3 },
};

test('the events are role, deltas, finish reason, usage and [DONE], in that order', () => {
  const payloads = Buffer.from(chatStream(ANSWER)).toString().split('\n\n').filter(Boolean);
  const chunks = payloads.slice(0, -1).map((line) => JSON.parse(line.replace(/^data: /, '')));
  expect(chunks.map((chunk) => chunk.choices[0]?.delta ?? chunk.usage)).toEqual([
    { role: 'assistant', content: '' },
    { content: 'é' },
    { content: '\n' },
    { tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 't', arguments: '' } }] },
    { tool_calls: [{ index: 0, function: { arguments: '{"k' } }] },
    { tool_calls: [{ index: 0, function: { arguments: '":1}' } }] },
    { tool_calls: [{ index: 1, id: 'c2', type: 'function', function: { name: 'u', arguments: '' } }] },
    { tool_calls: [{ index: 1, function: { arguments: '{}' } }] },
    {},
    { prompt_tokens: 2, completion_tokens: 3, total_tokens: 5 },
  ]);
  expect(chunks.at(-2).choices[0].finish_reason).toBe('tool_calls');
  expect(payloads.at(-1)).toBe('data: [DONE]');
});

test('the stream reader reads back what was written', () => {
  const { events, end } = readStream(chatStream(ANSWER), 'openai-chat');
  const content = events.flatMap((event) => ('bytes' in event ? [Buffer.from(event.bytes).toString()] : []));
  expect(content.join('')).toBe('é\n{"k":1}{}');
  expect(end).toBe('complete');
});
