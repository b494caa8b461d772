import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readStream } from '../stream/reader.ts';
import { chunkEvent } from './envelope.ts';
import { guessFraming, guessFramingOf } from './guess.ts';
import { loadSuites } from './load.ts';
import type { Recording } from './recording.ts';
import { reframedSuite } from './reframe.ts';

function guess(delta: object): string {
  const bytes = Buffer.from(chunkEvent({ id: 'x', model: 'm' }, delta));
  return guessFraming(readStream(bytes, 'openai-chat').events);
}

describe('the framing is guessed from the content', () => {
  test.each([
    ['a length-prefixed argument', 'Hi.\ncall c1 t\narg k 1\nx\nend\n', 'ctl'],
    ['a heredoc', 'call c1 t\narg k <<E\nx\nE\nend\n', 'ctl-heredoc'],
    ['a heredoc before a length', 'call c1 t\narg a x\narg k <<E\narg b 5\nE\nend\n', 'ctl-heredoc'],
    ['a length before a heredoc', 'call c1 t\narg a 1\nx\narg k <<E\nE\nend\n', 'ctl'],
    ['inline values alone', 'call c1 t\narg k x\nend\ncall c2 t\nend\n', 'ctl-heredoc'],
    ['a heredoc in a later call', 'call c1 t\nend\ncall c2 t\narg k <<E\nE\nend\n', 'ctl-heredoc'],
    ['an argument outside a call', 'call c1 t\nend\narg k <<E\n', 'ctl'],
    ['no arguments', 'call c1 t\nend\n', 'ctl'],
    ['the opener at a line start', 'Hi.\n<minimax:tool_call>\n', 'xml'],
    ['the opener in prose', 'Write <minimax:tool_call> so.', 'native'],
    ['a call header in a value of xml', '<minimax:tool_call>\ncall c1 t\n', 'xml'],
    ['the opener in a value of ctl', 'call c1 t\narg k 20\n<minimax:tool_call>\n', 'ctl'],
    ['a line that is no valid header', 'call me maybe later\n', 'native'],
    ['a draft in a think block', '<think>\n<minimax:tool_call>\n</think>\ncall c1 t\nend\n', 'ctl'],
    ['an open think block', '<think>\ncall c1 t\nend\n', 'native'],
    ['an object behind the opener', 'Hi. <tool_call>\n{"name":"t"', 'hermes'],
    ['a function behind the opener', '<tool_call>\r\n<function=t>', 'qwen-xml'],
    ['a name behind the opener', '<tool_call>t\n<arg_key>k', 'glm'],
    ['the opener of three dialects in prose', 'Write `<tool_call>`, then {"name":"t"}.', 'native'],
    ['an opener in prose before a call', 'Write <tool_call> so: <tool_call>\n{}', 'hermes'],
    ['the section of deepseek', 'Hi.<｜tool▁calls▁begin｜>', 'deepseek'],
    ['the section of kimi', '<|tool_calls_section_begin|>', 'kimi'],
    ['a channel of harmony', '<|channel|>analysis<|message|>Hm.<|end|>', 'harmony'],
    ['a dialect in a value of ctl', 'call c1 t\narg k 14\n<tool_call>\n{}\n\nend\n', 'ctl'],
    ['a dialect in a value of xml', '<minimax:tool_call><invoke name="t"><parameter name="k"><tool_call>{', 'xml'],
    ['a call header behind a call of a dialect', '<tool_call>{}</tool_call>\ncall c1 t\n', 'hermes'],
    ['JSON in text', '{"name":"t","arguments":{}}', 'native'],
  ])('%s', (_, content, framing) => {
    expect(guess({ content })).toBe(framing);
  });

  test('a tool delta is native whatever the text says', () => {
    const call = { index: 0, id: 'c1', function: { name: 't', arguments: '' } };
    expect(guess({ content: 'call c1 t\nend\n', tool_calls: [call] })).toBe('native');
  });
});

test('every reply is guessed as what it was asked for', async () => {
  const replies = await loadSuites(resolve(import.meta.dirname, '../../recordings'), { suites: ['replies'] });
  expect(await wrongGuesses(replies)).toEqual([]);
});

test('reframed recordings are guessed right, but where a heredoc had to be written with a length', async () => {
  const replies = await loadSuites(resolve(import.meta.dirname, '../../recordings'), { suites: ['replies'] });
  expect(await wrongGuesses(await reframedSuite(replies, 'seed'))).toEqual(['t20.ctl-heredoc.sse: ctl']);
});

async function wrongGuesses(recordings: readonly Recording[]): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const { file, framing, wire, bytes } of recordings) {
    const guessed = guessFraming(readStream(await bytes(), wire).events);
    if (guessed !== framing) wrong.push(`${file}: ${guessed}`);
  }
  return wrong;
}

describe('the framing in the name of a file', () => {
  const text = (content: string) =>
    readStream(Buffer.from(chunkEvent({ id: 'x', model: 'm' }, { content })), 'openai-chat').events;

  test.each([
    ['decides where the content shows none', 'a.ctl.sse', 'call c1 t\r\nend\r\n', 'ctl'],
    ['decides between the two ctl modes', 'a.ctl.2.sse', 'call c1 t\narg k <<E\nE\nend\n', 'ctl'],
    ['does not hide another framing', 'a.ctl.sse', '<minimax:tool_call>\n', 'xml'],
    ['does not hide a text framing in what is called native', 'a.native.sse', 'call c1 t\nend\n', 'ctl'],
    ['is none where the word is no framing', 'a.b.sse', 'call c1 t\narg k <<E\nE\nend\n', 'ctl-heredoc'],
  ])('%s', (_, file, content, framing) => {
    expect(guessFramingOf(file, text(content))).toBe(framing);
  });

  test('gives way to native tool calls', () => {
    const delta = { tool_calls: [{ index: 0, id: 'c1', function: { name: 't', arguments: '{}' } }] };
    const events = readStream(Buffer.from(chunkEvent({ id: 'x', model: 'm' }, delta)), 'openai-chat').events;
    expect(guessFramingOf('a.ctl.sse', events)).toBe('native');
  });
});
