import { describe, expect, test } from 'vitest';
import type { WireFormat } from '../stream/wire-format.ts';
import { type AnswerContent, answerContent } from './answer-content.ts';

const OVERLOADED =
  'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n';
const LIMITED = 'data: {"error":{"message":"Rate limit exceeded","code":429}}\n\n';
const START = 'event: message_start\ndata: {"type":"message_start","message":{"id":"m","content":[]}}\n\n';
const PING = 'event: ping\ndata: {"type":"ping"}\n\n';

function chat(delta: object, more: object = {}): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta, ...more }] })}\n\n`;
}

function contentOf(text: string, asked: WireFormat = 'openai-chat'): AnswerContent {
  return answerContent(Buffer.from(text), asked);
}

describe('nothing but an error', () => {
  test.each([
    ['as the first event of Anthropic', OVERLOADED, 'Overloaded'],
    ['behind what opens a message, and a ping', `${START}${PING}${OVERLOADED}`, 'Overloaded'],
    ['as the first chunk of a chat', LIMITED, 'Rate limit exceeded'],
    [
      'behind comments and a role',
      `: PROCESSING\n\n${chat({ role: 'assistant', content: '' })}${LIMITED}`,
      'Rate limit exceeded',
    ],
    ['without the blank line behind it', LIMITED.trimEnd(), 'Rate limit exceeded'],
    [
      'of Responses',
      'data: {"type":"response.created","response":{}}\n\ndata: {"type":"response.failed","response":{"error":{"code":"server_error","message":"Sorry"}}}\n\n',
      'Sorry',
    ],
    ['of Gemini', 'data: {"error":{"code":503,"message":"Busy","status":"UNAVAILABLE"}}\n\n', 'Busy'],
  ])('%s', (_, text, message) => {
    expect(contentOf(text)).toEqual({ kind: 'error', error: { message, passing: true, forAll: false } });
  });
});

describe('an answer', () => {
  test('that is over before anything has come is none', () => {
    const silent = { kind: 'none', silent: true };
    expect(contentOf('data: [DONE]\n\n')).toMatchObject(silent);
    expect(contentOf('data: {"choices":[]}\n\ndata: [DONE]\n\n')).toMatchObject({ ...silent, silent: false });
  });

  test('that has a call of a tool which the provider runs is one, whatever comes then', () => {
    const block = {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'server_tool_use', id: 's', name: 'web_search' },
    };
    const started = `${START}event: content_block_start\ndata: ${JSON.stringify(block)}\n\n`;
    expect(contentOf(started + OVERLOADED).kind).toBe('answer');
  });

  test.each([
    ['text', chat({ content: 'a' })],
    ['reasoning', chat({ reasoning: 'a' })],
    ['a call', chat({ tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '' } }] })],
    ['a finish reason', chat({}, { finish_reason: 'stop' })],
  ])('that has %s before its error ends in it', (_, text) => {
    const error = { message: 'Rate limit exceeded', passing: true, forAll: false };
    expect(contentOf(text + LIMITED)).toEqual({ kind: 'answer', wire: 'openai-chat', error });
  });

  test.each([
    ['has no error', chat({ content: 'a' }), 'openai-chat'],
    ['has one behind its end', `${chat({ content: 'a' })}data: [DONE]\n\n${LIMITED}`, 'openai-chat'],
    ['is cut before its text', START, 'anthropic'],
    ['is cut in its first event, which has a name', START.slice(0, 50), 'anthropic'],
    ['has a field of the wrong type', chat({ content: 7 }), 'openai-chat'],
  ] as const)('that %s is one', (_, text, wire) => {
    expect(contentOf(text)).toEqual({ kind: 'answer', wire, error: null });
  });
});

describe('no event of a wire format', () => {
  test.each([
    ['a page', '<html>\n<body>gateway</body>', false, '<html>\n<body>gateway</body>'],
    ['plain JSON', '{"error":{"message":"no"}}', false, '{"error":{"message":"no"}}'],
    ['an event of something else', ': hi\n\ndata: hello\n\ndata: you\n\n', false, 'hello'],
    ['a chunk that is cut', 'data: {"id":"x","choi', false, '{"id":"x","choi'],
    ['comments', ': keep\n\n: keep\n\n', true, ': keep\n\n: keep\n\n'],
    [
      'pings',
      `\uFEFFretry: 5\r\n\r\n${PING}data: {"type": "ping"}\n\n`,
      true,
      `\uFEFFretry: 5\r\n\r\n${PING}data: {"type": "ping"}\n\n`,
    ],
    ['many colons, and a line that is no field', `${':'.repeat(60)}\nx`, false, `${':'.repeat(60)}\nx`],
  ])('%s', (_, text, silent, said) => {
    expect(contentOf(text)).toEqual({ kind: 'none', silent, said });
  });
});
