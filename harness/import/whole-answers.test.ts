import { describe, expect, it } from 'vitest';
import type { Chunk } from './chunk.ts';
import { MixedAnswers } from './mixed-answers.ts';
import { refuseMixed } from './whole-answers.ts';

const chunk = (value: object | '[DONE]'): Chunk =>
  value === '[DONE]'
    ? { payload: value, value: null, time: null, of: new Map() }
    : { payload: JSON.stringify(value), value: value as Chunk['value'], time: null, of: new Map() };
const start = (id: string, content: readonly object[] = []) => ({ type: 'message_start', message: { id, content } });
const block = (index: number) => ({ type: 'content_block_start', index, content_block: { type: 'text' } });
const created = (id: string) => ({ type: 'response.created', response: { id } });
const completed = { type: 'response.completed', response: {} };
const STOP = { type: 'message_stop' };
const said = (finish_reason: string | null = null) => ({ choices: [{ index: 0, delta: {}, finish_reason }] });

function refused(wire: Parameters<typeof refuseMixed>[1], ...answers: readonly (readonly (object | '[DONE]')[])[]) {
  try {
    refuseMixed(
      answers.map((answer) => answer.map(chunk)),
      wire,
    );
    return null;
  } catch (error) {
    return error instanceof MixedAnswers ? error.chunk.payload : error;
  }
}

describe('the answers of a log', () => {
  it('are taken where each is one from its beginning to its end', () => {
    expect(
      refused('anthropic', [start('a'), start('a'), block(0), block(1), STOP], [start('b', [{}]), block(1)]),
    ).toBeNull();
    expect(refused('openai-responses', [created('a'), completed], [created('b')])).toBeNull();
    expect(refused('openai-chat', [said('stop'), '[DONE]'], [said()])).toBeNull();
  });

  it('are taken where the only one has lost its beginning', () => {
    expect(refused('anthropic', [block(2), STOP])).toBeNull();
    expect(refused('anthropic', [start('a'), block(1), STOP, block(3)])).toBeNull();
  });

  it.each([
    ['an event of another format', 'openai-chat', [[said(), created('a')]], created('a')],
    ['an event of another format', 'openai-responses', [[created('a'), STOP]], STOP],
    ['a second beginning', 'anthropic', [[start('a'), start('b')]], start('b')],
    ['what comes behind the end', 'openai-responses', [[created('a'), completed, created('b')]], created('b')],
    ['what comes before the beginning', 'anthropic', [[block(0), start('a')]], block(0)],
    [
      'a block out of order',
      'anthropic',
      [
        [start('b'), STOP],
        [start('a'), block(1)],
      ],
      block(1),
    ],
    ['an answer without a beginning beside others', 'openai-responses', [[created('a')], [completed]], completed],
    ['a beginning alone beside others', 'anthropic', [[start('a')], [start('b'), block(0), STOP]], start('a')],
    ['a [DONE] of an answer that has not finished', 'openai-chat', [[said(), '[DONE]'], [said('stop')]], '[DONE]'],
  ] as const)('are refused for %s (%s)', (_, wire, answers, wrong) => {
    expect(refused(wire, ...answers)).toBe(wrong === '[DONE]' ? wrong : JSON.stringify(wrong));
  });
});
