import { describe, expect, it } from 'vitest';
import { Attempts } from './attempts.ts';
import { readChatRequest } from './chat-request.ts';

const SYSTEM = { role: 'system', content: 'be brief' };
const USER = { role: 'user', content: 'do it' };
const ASSISTANT = { role: 'assistant', content: null, tool_calls: [] };

function read(fields: object) {
  return readChatRequest(JSON.stringify({ model: 'm', messages: [SYSTEM, USER], ...fields }));
}

describe('a chat request', () => {
  it('has a turn: its assistant messages, plus 1', () => {
    expect(read({}).turn).toBe(1);
    expect(read({ messages: [SYSTEM, USER, ASSISTANT, { role: 'tool', content: 'x' }, ASSISTANT] }).turn).toBe(3);
  });

  it('is streamed only if it says so, and has tools only if there are any', () => {
    expect(read({})).toMatchObject({ isStreamed: false, hasTools: false, model: 'm' });
    expect(read({ stream: true, tools: [{}] })).toMatchObject({ isStreamed: true, hasTools: true });
    expect(read({ stream: null, tools: [], functions: null, model: null })).toMatchObject({
      isStreamed: false,
      hasTools: false,
      model: null,
    });
  });

  it('belongs to the same turn whatever was said since the last answer', () => {
    const { turnKey } = read({});
    expect(read({ messages: [SYSTEM, USER, { role: 'user', content: 'send the rest again' }] }).turnKey).toBe(turnKey);
    expect(read({ temperature: 1 }).turnKey).toBe(turnKey);
    const others = [
      { model: 'n' },
      { messages: [SYSTEM, { ...USER, content: 'do that' }] },
      { messages: [USER] },
      { messages: [SYSTEM, USER, ASSISTANT] },
    ].map((fields) => read(fields).turnKey);
    expect(new Set([turnKey, ...others]).size).toBe(5);
  });

  it.each([
    ['{"model":', 'The request body is not JSON', null],
    ['[]', 'The request body: ', null],
    ['{"model":"m"}', 'messages: ', 'messages'],
    ['{"model":"m","messages":[]}', 'messages: ', 'messages'],
    ['{"model":7,"messages":[{"role":"user"}]}', 'model: ', 'model'],
    ['{"model":"m","messages":[{"role":"user"},{}]}', 'messages.1.role: ', 'messages.1.role'],
    ['{"model":"m","messages":[{"role":"user"}],"stream":"yes"}', 'stream: ', 'stream'],
  ])('%s is refused with the field at fault', (text, message, param) => {
    expect(() => readChatRequest(text)).toThrow(
      expect.objectContaining({ status: 400, message: expect.stringContaining(message) }),
    );
    try {
      readChatRequest(text);
    } catch (error) {
      expect((error as { body(): unknown }).body()).toMatchObject({ error: { type: 'invalid_request_error', param } });
    }
  });
});

describe('attempts', () => {
  it('are counted for each turn, and the oldest of very many turns are forgotten', () => {
    const attempts = new Attempts();
    expect([attempts.next('a'), attempts.next('a'), attempts.next('b')]).toEqual([1, 2, 1]);
    for (let i = 0; i < 9_998; i++) attempts.next(`x${i}`);
    expect(attempts.next('a')).toBe(3);
    for (let i = 0; i < 10_000; i++) attempts.next(`y${i}`);
    expect(attempts.next('a')).toBe(1);
  });
});
