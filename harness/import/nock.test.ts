import nock from 'nock';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ANSWERS, ask, REQUEST, startAnswerServer } from '../testing/answer-server.ts';
import { bytesOrReasons, importBytes } from '../testing/import-memory.ts';

let recorded: string;

beforeAll(async () => {
  const server = await startAnswerServer();
  nock.recorder.rec({ output_objects: true, dont_print: true });
  for (const path of [...Object.keys(ANSWERS), '/json']) await ask(`${server.url}${path}/chat/completions`);
  await ask(`${server.url}/busy`);
  // Its recorder writes a definition once it has read the answer on its own.
  const count = Object.keys(ANSWERS).length + 2;
  await vi.waitFor(() => expect(nock.recorder.play()).toHaveLength(count));
  recorded = JSON.stringify(nock.recorder.play(), null, 2);
  nock.restore();
  await server.close();
});

afterAll(() => nock.recorder.clear());

describe("what nock's recorder wrote", () => {
  it('is imported byte for byte, compressed or not, and the rest has its reason', () => {
    const file = importBytes(recorded, 'nock.json');
    expect(file.format).toBe('nock');
    expect(bytesOrReasons(file)).toEqual([
      ...Object.values(ANSWERS).map(({ body }) => body),
      'not streamed (a JSON document, kept parsed)',
      'status 429',
    ]);
  });

  it('says what was asked and what is not known, and keeps no place of a private server', () => {
    const result = importBytes(recorded, 'nock.json').results.get('definition 4');
    if (result === undefined || !('recording' in result)) throw new Error('not imported');
    const { model: _, messages, ...parameters } = REQUEST;
    expect(result.recording.entry).toEqual({
      ...{ task: 'task', protocol: 'native', wire: 'openai-chat', provider: null, model: 'asked-model' },
      ...{ recordedAt: result.recording.entry.recordedAt, request: { messages, parameters }, source: 'recorded' },
      note:
        "Imported from a recording of nock's (nock.json, definition 4). Arrival times are unknown. " +
        'The body was kept compressed (gzip); these are the decoded bytes. The protocol was guessed.',
    });
    expect(JSON.stringify(result.recording.entry)).not.toContain('127.0.0.1');
    expect(result.recording.times).toBeUndefined();
  });

  it('is refused as a program, with what to do', () => {
    expect(() => importBytes("nock('https://api').post('/')", 'recorded.nock.js')).toThrow(
      'recorded.nock.js: is a program, and programs are not run. Record with nock.recorder.rec({ output_objects: true })',
    );
  });

  it('of what is no UTF-8 is hexadecimal', () => {
    const definition = {
      scope: 'https://api.openai.com:443',
      method: 'POST',
      path: '/v1/chat/completions',
      status: 200,
    };
    const body = Buffer.concat([Buffer.from('data: {"choices":[]}\n\n: '), Buffer.from([0xff]), Buffer.from('\n\n')]);
    const rawHeaders = ['Content-Type', 'text/event-stream'];
    const hex = { ...definition, response: body.toString('hex'), responseIsBinary: true, rawHeaders };
    const file = importBytes(JSON.stringify([hex, { ...hex, response: 'no hex' }, { scope: 1 }]), 'x.json');
    expect(bytesOrReasons(file)).toEqual([
      body,
      'its body is not hexadecimal',
      'scope: expected string, received number',
    ]);
    const first = file.results.get('definition 1');
    expect(first !== undefined && 'recording' in first && first.recording.entry.provider).toBe('openai');
  });
});
