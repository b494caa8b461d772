import { describe, expect, it } from 'vitest';
import { KeyMask } from './key-mask.ts';
import type { SessionRecord } from './session-record.ts';
import { NO_LOG, Transcript } from './transcript.ts';

const TASK: SessionRecord = { type: 'user', text: 'Do it.' };
const call = (answer: number, id: string): SessionRecord => ({ type: 'call', answer, id, name: 't', arguments: '{}' });
const result = (answer: number, id: string): SessionRecord => ({ type: 'result', answer, id, exit: 0, output: '' });
const stop = (answer: number): SessionRecord => ({ type: 'stop', answer, reason: 'complete' });

describe('a transcript', () => {
  it('has a record only once the log has it', async () => {
    const full = new Error('disk full');
    const transcript = new Transcript({ append: () => Promise.reject(full) });
    await expect(transcript.append(TASK)).rejects.toBe(full);
    expect(transcript.records).toEqual([]);
  });

  it('numbers answers from 1, and goes on where the log ends', () => {
    expect(new Transcript(NO_LOG).nextAnswer).toBe(1);
    expect(new Transcript(NO_LOG, [TASK, call(4, 'x')]).nextAnswer).toBe(5);
  });

  it('gives an id that a call of the session has a suffix', async () => {
    const transcript = new Transcript(NO_LOG, [call(1, 'x')]);
    await transcript.append(call(2, 'x_2'));
    expect([transcript.freeId('x'), transcript.freeId('y')]).toEqual(['x_3', 'y']);
  });

  it('has no key in it, nor in an id, whose calls stay apart', async () => {
    const key = 'sk-0123456789';
    const transcript = new Transcript(NO_LOG, [{ type: 'user', text: `Use ${key}.` }], new KeyMask([key]));
    const ids = [transcript.freeId(key)];
    await transcript.append(call(1, ids[0]!));
    ids.push(transcript.freeId(key));
    expect(ids).toEqual(['[key]', '[key]_2']);
    expect(transcript.records[0]).toEqual({ type: 'user', text: 'Use [key].' });
  });

  it('makes calls without a result unknown, and ends their answer', async () => {
    const transcript = new Transcript(NO_LOG, [TASK, call(1, 'a'), result(1, 'a'), call(1, 'b')]);
    expect((await transcript.closeInterrupted())?.map(({ id }) => id)).toEqual(['b']);
    expect(transcript.records.slice(4)).toMatchObject([
      { type: 'result', answer: 1, id: 'b', exit: 'unknown' },
      {
        type: 'stop',
        answer: 1,
        reason: 'interrupted',
        feedback:
          'The run was interrupted before the end of your message was read. Above stands what was kept of it. ' +
          'Its call a stands, with its result. Whether its call b had its effect is unknown: look before you repeat it. ' +
          'No other call of it has run. Go on from there.',
      },
    ]);
    expect(await transcript.closeInterrupted()).toBeNull();
  });

  it('says the same of a call of which an interrupted resumption has said so', async () => {
    const unknown: SessionRecord = { type: 'result', answer: 1, id: 'a', exit: 'unknown', output: '' };
    const transcript = new Transcript(NO_LOG, [TASK, call(1, 'a'), unknown]);
    expect(await transcript.closeInterrupted()).toEqual([]);
    expect(transcript.records[3]).toMatchObject({
      feedback: expect.stringContaining('kept of it. Whether its call a had its effect is unknown'),
    });
  });

  it('leaves an answer alone that is over', async () => {
    const transcript = new Transcript(NO_LOG, [TASK, call(1, 'a'), result(1, 'a'), stop(1)]);
    expect(await transcript.closeInterrupted()).toBeNull();
  });

  it.each([
    ['a task without an answer', [TASK], false],
    ['results that were not told', [TASK, call(1, 'a'), result(1, 'a'), stop(1)], false],
    ['an answer in text', [TASK, { type: 'assistant', answer: 1, text: 'Done.' }, stop(1)], true],
    ['an empty answer', [TASK, stop(1)], true],
    ['a cut answer', [TASK, { type: 'stop', answer: 1, reason: 'cut' }], false],
  ] as const)('ends with %s: finished %s', (_, records, finished) => {
    expect(new Transcript(NO_LOG, records).isFinished).toBe(finished);
  });
});
