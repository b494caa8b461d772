import { describe, expect, it } from 'vitest';
import { cancelledFeedback, contractErrorFeedback, cutFeedback } from './feedback.ts';

const NOTHING = { calls: [] };

describe('what the model is told', () => {
  it('of a length that was not met: declared and arrived bytes', () => {
    const error = {
      kind: 'body_eof',
      declared: 495,
      arrived: 438,
      offset: 500,
      line: 20,
      call: 'c2',
      key: 'k',
    } as const;
    const told = contractErrorFeedback(error, { calls: [{ id: 'c1' }] });
    expect(told).toContain('from line 20 (byte 500) on: ');
    expect(told).toContain('declared 495 bytes but only 438 arrived');
    expect(told).toContain('Its call c1 stands, with its result.');
    expect(told).toContain('Send the rest again.');
  });

  it('of native arguments: the place within them, and none in the message', () => {
    const error = { kind: 'args_not_object', detail: 'unexpected byte', argsOffset: 3, offset: 90, line: 1, call: 'x' };
    const told = contractErrorFeedback({ ...error, kind: 'args_not_object' }, NOTHING);
    expect(told).toContain('at byte 3 of the arguments');
    expect(told).not.toMatch(/line|90/);
  });

  it('of a cut: why, what ran, and what had arrived of the call under way', () => {
    const unfinished = { id: 'c3', name: 'write_file', key: 'content', declared: 400, arrived: 5 };
    const kept = { calls: [{ id: 'c1' }, { id: 'c2' }] };
    expect(cutFeedback({ by: 'reason', reason: 'length' }, unfinished, kept)).toBe(
      'Your message was cut off: the answer ended with "length". Its calls c1, c2 stand, with their results. ' +
        'Of call c3 (write_file), 5 of 400 declared bytes of argument content had arrived. It has not run: send it again.',
    );
  });

  it('of a cut in prose: to go on', () => {
    expect(cutFeedback({ by: 'connection', detail: 'other side closed' }, null, NOTHING)).toBe(
      'Your message was cut off: the connection was lost (other side closed). No call of it has run. Go on from there.',
    );
  });

  it('of a user who cancelled', () => {
    expect(cancelledFeedback({ name: 'shell', arrived: 3 }, NOTHING)).toBe(
      'The user stopped you here. No call of it has run. Of call (shell), 3 bytes of its arguments had arrived. It has not run.',
    );
  });
});
