import { describe, expect, it } from 'vitest';
import { chatMessages } from './conversation.ts';
import type { SessionRecord } from './session-record.ts';

const TASK: SessionRecord = { type: 'user', text: 'Do it.' };
const FRAME = 'call c1 list_dir\narg path 1\n.\nend\n';
const TEXT_CALL: readonly SessionRecord[] = [
  { type: 'assistant', answer: 1, text: FRAME, call: 'c1' },
  { type: 'call', answer: 1, id: 'c1', name: 'list_dir', values: [['path', '.']] },
];
const RESULT: SessionRecord = { type: 'result', answer: 1, id: 'c1', exit: 0, output: 'é\n' };
const COMPLETE: SessionRecord = { type: 'stop', answer: 1, reason: 'complete' };

function messages(protocol: 'ctl' | 'native-eos', ...records: readonly SessionRecord[]) {
  return chatMessages(protocol, 'S', [TASK, ...records]).slice(2);
}

describe('the messages of a text protocol', () => {
  it('begin with the system prompt and the task', () => {
    expect(chatMessages('ctl', 'S', [TASK])).toEqual([
      { role: 'system', content: 'S' },
      { role: 'user', content: 'Do it.' },
    ]);
  });

  it('bring results back as frames, whose length is in bytes', () => {
    expect(messages('ctl', ...TEXT_CALL, RESULT, COMPLETE)).toEqual([
      { role: 'assistant', content: FRAME },
      { role: 'user', content: 'result c1 exit=0 3\né\n\nend\n' },
    ]);
  });

  it('tell an error behind the results', () => {
    const error = { kind: 'call_eof' as const, offset: 9, line: 2 };
    const [, told] = messages('ctl', ...TEXT_CALL, RESULT, {
      type: 'tool_parse_error',
      answer: 1,
      error,
      feedback: 'Send the rest again.',
    });
    expect(told?.content).toBe('result c1 exit=0 3\né\n\nend\nSend the rest again.\n');
  });

  it('show a refusal as a result', () => {
    const [, told] = messages('ctl', ...TEXT_CALL, {
      type: 'refusal',
      answer: 1,
      id: 'c1',
      exit: 126,
      reason: 'the user said no',
    });
    expect(told?.content).toBe('result c1 exit=126 16\nthe user said no\nend\n');
  });

  it('show a call without a result as unknown', () => {
    const [, told] = messages('ctl', ...TEXT_CALL);
    expect(told?.content).toMatch(/^result c1 exit=255 \d+\nunknown: the run was interrupted/);
  });

  it('leave out text whose call was never recorded', () => {
    expect(messages('ctl', TEXT_CALL[0]!)).toEqual([]);
  });

  it('keep two answers apart', () => {
    const second = { type: 'assistant', answer: 2, text: 'Done.' } as const;
    expect(messages('ctl', ...TEXT_CALL, RESULT, COMPLETE, second).map(({ role }) => role)).toEqual([
      'assistant',
      'user',
      'assistant',
    ]);
  });

  it('never have two of the user in a row', () => {
    const told = messages('ctl', ...TEXT_CALL, RESULT, COMPLETE, { type: 'user', text: 'And now?' });
    expect(told[1]?.content).toBe('result c1 exit=0 3\né\n\nend\n\nAnd now?');
  });

  it('have something for an answer of which nothing was kept', () => {
    const cut = { type: 'stop', answer: 1, reason: 'cut', feedback: 'Cut off.' } as const;
    expect(messages('ctl', cut)).toEqual([
      { role: 'assistant', content: '[nothing of this message was kept]' },
      { role: 'user', content: 'Cut off.\n' },
    ]);
  });

  it('leave out an answer of which nothing arrived', () => {
    expect(messages('ctl', { type: 'stop', answer: 1, reason: 'cut' })).toEqual([]);
  });
});

describe('the messages of a native protocol', () => {
  const call = (id: string, source: string): SessionRecord => ({
    type: 'call',
    answer: 1,
    id,
    name: 'shell',
    arguments: source,
  });

  it('bring results back as tool messages, arguments as they arrived', () => {
    const records: SessionRecord[] = [
      { type: 'assistant', answer: 1, text: 'Now' },
      call('x', '{ "n":1.0 }'),
      { type: 'result', answer: 1, id: 'x', exit: 3, output: 'no\n' },
      { type: 'assistant', answer: 1, text: ' this.' },
      call('y', ''),
      { type: 'refusal', answer: 1, id: 'y', exit: 126, reason: 'no' },
      COMPLETE,
    ];
    expect(messages('native-eos', ...records)).toEqual([
      {
        role: 'assistant',
        content: 'Now this.',
        tool_calls: [
          { id: 'x', type: 'function', function: { name: 'shell', arguments: '{ "n":1.0 }' } },
          { id: 'y', type: 'function', function: { name: 'shell', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'x', content: 'exit=3\nno\n' },
      { role: 'tool', tool_call_id: 'y', content: 'exit=126\nno' },
    ]);
  });

  it('tell a cut in a user message behind the results', () => {
    const told = messages(
      'native-eos',
      call('x', '{}'),
      { type: 'result', answer: 1, id: 'x', exit: 0, output: '' },
      { type: 'stop', answer: 1, reason: 'cut', feedback: 'Cut off.' },
    );
    expect(told.map(({ role, content }) => [role, content])).toEqual([
      ['assistant', null],
      ['tool', 'exit=0\n'],
      ['user', 'Cut off.'],
    ]);
  });
});
