import { describe, expect, it } from 'vitest';
import { isKeyField, withoutKeyFields } from './key-fields.ts';

describe('fields for headers and keys', () => {
  it.each([
    ...['headers', 'header', 'extra_headers', 'extraHeaders', 'X-Api-Key', 'apiKey', 'OPENAI_API_KEY', 'authorization'],
    ...['authorization_token', 'auth', 'proxy-authorization', 'cookie', 'Set-Cookie', 'token', 'access_token'],
    ...['clientSecret', 'password', 'AWS_ACCESS_KEY_ID', 'credentials', 'subscription-key', 'openai_key', 'geminiKey'],
    ...['refresh_tokens', 'masterKey', 'hf_key'],
  ])('are known by their names: %s', (name) => {
    expect(isKeyField(name)).toBe(true);
  });

  it.each([
    ...['max_tokens', 'max_completion_tokens', 'eos_token', 'prompt_cache_key', 'author', 'key', 'stop_token_ids'],
    ...['subheader', 'authors', 'token_type', 'logprobs', 'header_level', 'keys', 'tokens', 'sort_key', 'primaryKey'],
  ])('and others are none: %s', (name) => {
    expect(isKeyField(name)).toBe(false);
  });

  it.each<[string, object, object, number]>([
    [
      'of a remote tool',
      { tools: [{ type: 'mcp', server_label: 'x', headers: { 'X-Own': 'a' }, authorization: 'b' }] },
      { tools: [{ type: 'mcp', server_label: 'x' }] },
      2,
    ],
    [
      'of a list of servers',
      { mcp_servers: [{ type: 'url', name: 'x', authorization_token: 'a' }] },
      { mcp_servers: [{ type: 'url', name: 'x' }] },
      1,
    ],
    ['deep in a message', { input: [{ a: [{ b: { Cookie: 'c' } }] }] }, { input: [{ a: [{ b: {} }] }] }, 1],
    [
      'as a pair of name and value',
      {
        env: [
          { name: 'API_KEY', value: 'a' },
          { name: 'LANG', value: 'C' },
        ],
      },
      { env: [{ name: 'API_KEY' }, { name: 'LANG', value: 'C' }] },
      1,
    ],
    [
      'whatever the halves of the pair are called',
      { a: { Name: 'Authorization', Value: 'a' }, b: { header_name: 'X-Api-Key', header_value: 'b' } },
      { a: { Name: 'Authorization' }, b: { header_name: 'X-Api-Key' } },
      2,
    ],
    [
      'as a pair in a list, but no list of names',
      {
        a: [
          ['X-Api-Key', 'a'],
          ['accept', 'b'],
        ],
        required: ['token', 'password'],
      },
      { a: [['accept', 'b']], required: ['token', 'password'] },
      1,
    ],
    ['as a parameter of the URL', { params: { key: 'a', q: 'b' }, key: 'c' }, { params: { q: 'b' }, key: 'c' }, 1],
    [
      'but no parameters of tools, other than their values',
      { properties: { token: { type: 'string', default: 'a' }, headers: { type: 'object' }, secret: 'b' } },
      { properties: { token: { type: 'string' }, headers: { type: 'object' } } },
      2,
    ],
    ['and no flags and numbers', { header: true, token: 1, auth: null }, { header: true, token: 1, auth: null }, 0],
  ])('are left out: %s', (_, request, kept, left) => {
    expect(withoutKeyFields(request)).toEqual({ value: kept, left });
  });

  it('leaves a field __proto__ where it is', () => {
    const value = JSON.parse('{"__proto__": {"a": 1}, "token": "x"}') as object;
    expect(JSON.stringify(withoutKeyFields(value).value)).toBe('{"__proto__":{"a":1}}');
  });
});
