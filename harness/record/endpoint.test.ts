import { describe, expect, test } from 'vitest';
import { CTL_PAGE } from '../agent/prompts.ts';
import { nativeTools, toolsPrompt } from '../agent/tools/registry.ts';
import { endpointUrl, type RequestSettings, requestBody, requestHeaders, storedRequest } from './endpoint.ts';
import { askedTask } from './test-record.ts';

const CHAT: RequestSettings = { wire: 'openai-chat', systems: new Map(), fields: {} };
const asked = { task: askedTask('a', 'hello'), model: 'm', round: 1 };
const USER = { role: 'user', content: 'hello' };
const TOOL = {
  type: 'function',
  function: { name: 'add', description: 'adds', parameters: { type: 'object', properties: { x: {}, y: {} } } },
};

describe('a chat request', () => {
  test('in a text protocol has tools and page in the system message', () => {
    expect(requestBody({ ...asked, protocol: 'ctl' }, CHAT)).toEqual({
      model: 'm',
      messages: [{ role: 'system', content: `${toolsPrompt().trimEnd()}\n\n${CTL_PAGE}` }, USER],
      stream: true,
    });
  });

  test('in the native protocol has the tools in their field', () => {
    const { messages, tools } = requestBody({ ...asked, protocol: 'native' }, CHAT);
    expect(messages).toEqual([{ role: 'system', content: toolsPrompt() }, USER]);
    expect(tools).toEqual(nativeTools());
  });

  test('has the tools of its task, if it brings some', () => {
    const task = { ...asked.task, tools: [TOOL] };
    expect(requestBody({ ...asked, task, protocol: 'native' }, CHAT)['tools']).toEqual([TOOL]);
    const { messages } = requestBody({ ...asked, task, protocol: 'ctl' }, CHAT) as { messages: { content: string }[] };
    expect(messages[0]?.content).toBe(`You act only through these tools:\n\n- add(x, y): adds\n\n${CTL_PAGE}`);
  });

  test('has a system message that was given, and nothing with it', () => {
    const systems = new Map([['ctl', 'only this'] as const]);
    const { messages } = requestBody({ ...asked, protocol: 'ctl' }, { ...CHAT, systems });
    expect(messages).toEqual([{ role: 'system', content: 'only this' }, USER]);
  });

  test('keeps the system message of its task, with the page after it', () => {
    const task = { ...asked.task, messages: [{ role: 'developer', content: 'mine' }, USER] };
    const content = (protocol: 'ctl' | 'native') =>
      (requestBody({ ...asked, task, protocol }, CHAT)['messages'] as object[])[0];
    expect(content('native')).toEqual({ role: 'developer', content: 'mine' });
    expect(content('ctl')).toEqual({ role: 'developer', content: `mine\n\n${CTL_PAGE}` });
  });

  test('has a seed of its run, fields of its task, and above them those of the command line', () => {
    const task = { ...asked.task, body: { grammar: 'root ::= "x"', top_p: 0.1 } };
    const body = requestBody(
      { ...asked, task, round: 3, protocol: 'ctl' },
      { ...CHAT, fields: { top_p: 0.9 }, seed: 7 },
    );
    expect(body).toMatchObject({ grammar: 'root ::= "x"', top_p: 0.9, seed: 9 });
    const { parameters } = storedRequest(body);
    expect(parameters).toEqual({ stream: true, seed: 9, grammar: 'root ::= "x"', top_p: 0.9 });
  });
});

describe('a request to Anthropic', () => {
  test('has system, tools and a limit in its own form', () => {
    const task = { ...asked.task, tools: [TOOL] };
    expect(requestBody({ ...asked, task, protocol: 'native' }, { ...CHAT, wire: 'anthropic' })).toEqual({
      model: 'm',
      system: 'You act only through these tools:\n\n- add(x, y): adds\n',
      messages: [USER],
      tools: [{ name: 'add', description: 'adds', input_schema: TOOL.function.parameters }],
      stream: true,
      max_tokens: 4096,
    });
  });

  test('has the key in a header of its own', () => {
    expect(requestHeaders('anthropic', 'k')).toMatchObject({ 'x-api-key': 'k', 'anthropic-version': '2023-06-01' });
    expect(requestHeaders('anthropic', 'k')).not.toHaveProperty('authorization');
    expect(requestHeaders('openai-chat', undefined)).not.toHaveProperty('authorization');
  });
});

test.each([
  ['openai-chat', 'http://h:1', 'http://h:1/v1/chat/completions'],
  ['openai-chat', 'http://h/v1/chat/completions', 'http://h/v1/chat/completions'],
  ['anthropic', 'https://h', 'https://h/v1/messages'],
  ['anthropic', 'https://h/v1/', 'https://h/v1/messages'],
  ['anthropic', 'https://h/x/v1/messages', 'https://h/x/v1/messages'],
] as const)('%s at %s is asked at %s', (wire, base, url) => {
  expect(String(endpointUrl(wire, base))).toBe(url);
});
