import { describe, expect, it } from 'vitest';
import { chunk, sse } from '../testing/chat-streams.ts';
import { detectWireFormat } from './dialect.ts';

const PING = Buffer.from('event: ping\ndata: {"type": "ping"}\n\n');

describe('the wire format of a stream', () => {
  it.each([
    ['openai-chat', sse(chunk({ content: 'a' }))],
    ['openai-chat', sse({ error: { message: 'x' } }, { choices: [] })],
    ['openai-chat', sse('[DONE]')],
    ['anthropic', sse({ type: 'message_start', message: {} })],
    ['anthropic', Buffer.concat([PING, sse({ type: 'message_start', message: {} })])],
    ['openai-responses', Buffer.concat([PING, sse({ type: 'response.created' })])],
    ['openai-chat', Buffer.concat([PING, sse({ choices: [] })])],
    ['openai-responses', sse({ type: 'response.created', response: {} })],
    ['openai-responses', sse({ type: 'response.created', response: { instructions: 'x'.repeat(100_000) } })],
    ['gemini', sse({ candidates: [{ content: { parts: [] } }] })],
    ['anthropic', Buffer.from('event: message_start\ndata: {"type":\n\n')],
    ['anthropic', sse({ type: 'error', error: { type: 'overloaded_error', message: 'x' } })],
    ['openai-responses', sse({ type: 'error', code: null, message: 'x', sequence_number: 1 })],
    ['gemini', sse({ error: { code: 503, message: 'x', status: 'UNAVAILABLE' } })],
    ['openai-chat', Buffer.concat([Buffer.from('event: ping\ndata: {}\n\n'), sse(chunk({ content: 'a' }))])],
    ['gemini', sse({ promptFeedback: { blockReason: 'SAFETY' } })],
  ])('%s', (format, bytes) => {
    expect(detectWireFormat(bytes)).toBe(format);
    expect(detectWireFormat(bytes.subarray(0, -1))).toBe(format);
  });

  it.each([
    ['nothing', Buffer.from('')],
    ['no SSE', Buffer.from('{"choices":[]}')],
    ['payloads that say nothing', sse('{', '1', 'null', '[]', {}, { type: 'error' }, { type: 7 }, { choices: null })],
    [
      'bytes that are no UTF-8',
      Buffer.concat([Buffer.from('data: {"choices":[],"a":"'), Uint8Array.of(0xff), Buffer.from('"}\n\n')]),
    ],
    ['a telling payload too late', sse(...Array.from({ length: 1024 }, () => ({})), chunk({}))],
  ])('null for %s', (_, bytes) => {
    expect(detectWireFormat(bytes)).toBeNull();
  });
});
