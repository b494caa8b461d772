import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { answerOf } from '../testing/answer-server.ts';
import { bytesOrReasons, importBytes } from '../testing/import-memory.ts';

const LF = answerOf('\n');
/** PyYAML does not fold a text with blanks at the end of a line. */
const TEXT = LF.toString().replaceAll(/ +\n/g, '\n');
const gzipped = Buffer.concat([LF, Buffer.from(': gzip\n\n')]);

/** As PyYAML writes a text: single-quoted, folded between words, and n line ends as n + 1. */
function folded(text: string, indent: string): string {
  const words = text.replaceAll("'", "''").replace(/(\S{20}) (?=\S)/g, `$1\n${indent}`);
  const marked = words.split(`\n${indent}`).map((part) => part.replace(/\n+/g, (ends) => `${ends}\n${indent}`));
  return `'${marked.join(`\n${indent}`)}'`;
}

/** As vcrpy 9 writes one. */
const VCRPY = `interactions:
- request:
    body: '{"model": "claude-x", "messages": [{"role": "user", "content": "What is
      it?"}], "stream": true}'
    headers:
      accept:
      - application/json
      x-api-key:
      - sk-ant-not-kept
    method: POST
    uri: https://api.openai.com/v1/chat/completions
  response:
    body:
      string: ${folded(TEXT, '        ')}
    headers:
      Content-Type:
      - text/event-stream; charset=utf-8
      Date:
      - Tue, 29 Jul 2025 15:41:24 GMT
    status:
      code: 200
      message: OK
- request:
    body: !!binary |
      ${Buffer.from('{"model":"bin","messages":[{"role":"user","content":"ü"}]}').toString('base64')}
    headers: {}
    method: POST
    uri: http://10.0.0.7:8080/v1/chat/completions
  response:
    body:
      string: !!binary |
        ${(
          gzipSync(gzipped)
            .toString('base64')
            .match(/.{1,60}/g) ?? []
        ).join('\n        ')}
    headers:
      content-encoding: [gzip]
      content-type: [text/event-stream]
    status: {code: 200, message: OK}
- request: {body: null, headers: {}, method: POST, uri: 'http://x/'}
  response:
    body: {string: '{"error": 1}'}
    headers: {content-type: [application/json]}
    status: {code: 500, message: no}
- request: {body: !!python/object/new:_io.BytesIO {state: !!python/tuple [a, 0]}, headers: {}, method: POST, uri: 'http://x/'}
  response:
    body: {string: ''}
    headers: {}
    status: {code: 200, message: OK}
- request: {parsed_body: {a: 1}, headers: {}, method: POST, uri: 'http://x/'}
  response:
    parsed_body: {b: 1}
    headers: {}
    status: {code: 200, message: OK}
- request: {}
  response: {status: {code: many}}
version: 1
`;

/** As ruby vcr 6 writes one. */
const RUBY = `---
http_interactions:
- request:
    method: post
    uri: https://api.openai.com/v1/chat/completions
    body:
      encoding: UTF-8
      string: '{"model":"gpt-x","messages":[{"content":"What''s up?","role":"user"}]}'
    headers:
      Authorization:
      - Bearer <TOKEN>
  response:
    status:
      code: 200
      message: OK
    headers:
      Content-Type:
      - text/event-stream
    body:
      encoding: UTF-8
      string: |+
        data: {"choices":[{"delta":{"content":"blanks at the end"}}]}    }

        data: [DONE]

  recorded_at: Tue, 14 Jul 2026 01:07:10 GMT
- request:
    method: post
    uri: https://api.openai.com/v1/chat/completions
    body:
      encoding: US-ASCII
      string: ''
  response:
    status: {code: 200, message: OK}
    headers: {}
    body:
      encoding: ASCII-8BIT
      string: !binary |-
        ${answerOf('\r\n').toString('base64')}
  recorded_at: Tue, 14 Jul 2026 01:07:11 GMT
- request: {method: post, uri: https://api.openai.com/v1/chat/completions}
  response:
    status: {code: 200, message: OK}
    headers: {}
    body:
      encoding: UTF-8
      base64_string: |
        ${gzipped.toString('base64')}
  recorded_at: yesterday
recorded_with: VCR 6.4.0
`;

/** As go-vcr 4 writes one. */
const GO = `---
version: 2
interactions:
    - id: 0
      request:
        proto: HTTP/1.1
        body: '{"contents":[{"role":"user"}],"generationConfig":{"temperature":0}}'
        url: https://generativelanguage.googleapis.com/v1beta/models/gemini-x:streamGenerateContent?alt=sse
        method: POST
      response:
        body: "data: {\\"candidates\\": [{\\"content\\": {\\"parts\\": [{\\"text\\": \\"语 \\L \\N \\uFEFF\\"}]}}]}\\r\\n\\r\\n"
        headers:
            Content-Type:
                - text/event-stream
        status: 200 OK
        code: 200
        duration: 538.291µs
    - id: 1
      request: {body: '', url: 'https://bedrock-runtime.us-east-1.amazonaws.com/model/a/invoke-with-response-stream', method: POST}
      response:
        body: !!binary AAAAkgAAAFLFbHHw
        headers: {Content-Type: [application/vnd.amazon.eventstream]}
        status: 200 OK
        code: 200
`;

function entries(text: string, file: string) {
  return [...importBytes(text, file).results.values()].flatMap((one) =>
    'recording' in one ? [one.recording.entry] : [],
  );
}

describe('a vcrpy cassette', () => {
  it('is imported byte for byte: folded text, !!binary, compressed; and the rest has its reason', () => {
    const file = importBytes(VCRPY, 'test_x.yaml');
    expect(file.format).toBe('vcrpy');
    expect(bytesOrReasons(file)).toEqual([
      Buffer.from(TEXT),
      gzipped,
      'status 500',
      'the answer has no body',
      'not streamed (the cassette keeps it parsed)',
      'response.status.code: expected number, received string',
    ]);
  });

  it('keeps what was asked, without headers and private places', () => {
    expect(entries(VCRPY, 'test_x.yaml')).toEqual([
      {
        ...{ task: 'task', protocol: 'native', wire: 'openai-chat', provider: 'openai', model: 'claude-x' },
        recordedAt: '2025-07-29T15:41:24.000Z',
        request: { messages: [{ role: 'user', content: 'What is it?' }], parameters: { stream: true } },
        source: 'recorded',
        note: 'Imported from a vcrpy cassette (test_x.yaml, interaction 1). Arrival times are unknown. The protocol was guessed.',
      },
      {
        ...{ task: 'task', protocol: 'native', wire: 'openai-chat', provider: null, model: 'bin', recordedAt: null },
        request: { messages: [{ role: 'user', content: 'ü' }], parameters: {} },
        source: 'recorded',
        note:
          'Imported from a vcrpy cassette (test_x.yaml, interaction 2). Arrival times are unknown. ' +
          'The body was kept compressed (gzip); these are the decoded bytes. The protocol was guessed.',
      },
    ]);
  });

  it('may be JSON', () => {
    const response = { status: { code: 200 }, headers: {}, body: { string: LF.toString() } };
    const json = JSON.stringify({ version: 1, interactions: [{ request: { uri: 'http://x/' }, response }] });
    expect(bytesOrReasons(importBytes(json, 'x.json'))).toEqual([LF]);
  });
});

describe('a cassette of ruby vcr', () => {
  it('is imported byte for byte: text, !binary, base64', () => {
    const file = importBytes(RUBY, 'x.yml');
    expect(file.format).toBe('ruby-vcr');
    const text = 'data: {"choices":[{"delta":{"content":"blanks at the end"}}]}    }\n\ndata: [DONE]\n\n';
    expect(bytesOrReasons(file)).toEqual([Buffer.from(text), answerOf('\r\n'), gzipped]);
    expect(entries(RUBY, 'x.yml').map(({ recordedAt, model }) => [recordedAt, model])).toEqual([
      ['2026-07-14T01:07:10.000Z', 'gpt-x'],
      ['2026-07-14T01:07:11.000Z', 'served-model'],
      [null, 'served-model'],
    ]);
  });

  it('is not sure of a line end of YAML 1.1 that is not escaped', () => {
    const text = RUBY.replace('at the end', 'at\u2028the end');
    expect(bytesOrReasons(importBytes(text, 'x.yml'))).toEqual([
      'its text holds a line end of YAML 1.1 unescaped (U+0085, U+2028 or U+2029), so that its bytes are unknown',
      answerOf('\r\n'),
      gzipped,
    ]);
  });
});

describe('a go-vcr cassette', () => {
  it('is imported byte for byte, and other kinds of streams have their reason', () => {
    const file = importBytes(GO, 'x.yaml');
    expect(file.format).toBe('go-vcr');
    expect(bytesOrReasons(file)).toEqual([
      Buffer.from('data: {"candidates": [{"content": {"parts": [{"text": "语 \u2028 \u0085 \uFEFF"}]}}]}\r\n\r\n'),
      'no event stream (application/vnd.amazon.eventstream)',
    ]);
    expect(entries(GO, 'x.yaml')).toMatchObject([
      {
        ...{ wire: 'gemini', provider: 'google', model: 'gemini-x' },
        request: { messages: [{ role: 'user' }], parameters: { generationConfig: { temperature: 0 } } },
      },
    ]);
  });
});
