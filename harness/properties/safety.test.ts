import { describe, expect, it } from 'vitest';
import type { ToolCall } from '../parsers/parser.ts';
import type { ReplayStep } from '../replay/replay.ts';
import { fakeCall, fakeStep } from '../testing/fake-frontiers.ts';
import { SafetyCheck } from './safety.ts';

const FIRST = fakeCall(0, 'one', 9);
const SECOND = fakeCall(1, 'two', 19);

function check(oracle: readonly ToolCall[], steps: readonly ReplayStep[]): Record<string, string> {
  const safety = new SafetyCheck('content', oracle);
  for (const step of steps) safety.step(step);
  return Object.fromEntries(
    safety
      .verdicts()
      .map((verdict) => [
        verdict.property,
        verdict.status === 'violated' ? `${verdict.count} from ${verdict.first.prefix}` : `${verdict.status}`,
      ]),
  );
}

const SAFE = { S1: 'holds', S2: 'holds', S3: 'holds' };

describe('S1', () => {
  it('holds for a call that is executable from the byte that ends its frame on', () => {
    expect(
      check([FIRST], [fakeStep(9, {}), fakeStep(10, { calls: [FIRST] }), fakeStep(10, { calls: [FIRST] }, true)]),
    ).toEqual(SAFE);
  });

  it('sees a call that is executable one byte early', () => {
    expect(check([FIRST], [fakeStep(9, { calls: [FIRST] })])).toEqual({ ...SAFE, S1: '1 from 9' });
  });

  it('sees a call that is no call of the stream', () => {
    expect(check([FIRST], [fakeStep(20, { calls: [FIRST, SECOND] })])).toEqual({ ...SAFE, S1: '1 from 20' });
    expect(check([], [fakeStep(20, { calls: [FIRST] }, true)])).toEqual({ ...SAFE, S1: '1 from 20' });
  });

  it('lets the end of the stream stand for the last byte', () => {
    expect(check([fakeCall(0, 'one', 10)], [fakeStep(10, {}), fakeStep(10, { calls: [FIRST] }, true)])).toEqual(SAFE);
  });
});

describe('S2', () => {
  it('sees a call that differs from the same call of the whole stream', () => {
    expect(check([fakeCall(0, 'onE', 9)], [fakeStep(10, { calls: [FIRST] })])).toEqual({ ...SAFE, S2: '1 from 10' });
  });

  it('sees a call that is replaced by another one', () => {
    const other = fakeCall(0, 'other', 9);
    const steps = [fakeStep(10, { calls: [FIRST] }), fakeStep(11, { calls: [other] })];
    expect(check([FIRST], steps)).toEqual({ ...SAFE, S2: '1 from 11' });
  });

  it('sees a value that changes in place', () => {
    const call = fakeCall(0, 'one', 9);
    const safety = new SafetyCheck('content', [FIRST]);
    safety.step(fakeStep(10, { calls: [call] }));
    if (call.args.form === 'values') call.args.values[0]?.bytes.set([0x58]);
    safety.step(fakeStep(11, { calls: [call] }, true));
    expect(safety.verdicts()[1]).toMatchObject({ property: 'S2', status: 'violated', first: { prefix: 11 } });
  });

  it('sees an earlier call that is replaced while the last one stays', () => {
    const steps = [
      fakeStep(20, { calls: [FIRST, SECOND] }),
      fakeStep(21, { calls: [fakeCall(0, 'other', 9), SECOND] }, true),
    ];
    expect(check([FIRST, SECOND], steps)).toEqual({ ...SAFE, S2: '1 from 21' });
  });
});

describe('S3', () => {
  it('sees a list that shrinks', () => {
    const steps = [
      fakeStep(20, { calls: [FIRST, SECOND] }),
      fakeStep(21, { calls: [FIRST] }),
      fakeStep(21, { calls: [FIRST] }, true),
    ];
    expect(check([FIRST, SECOND], steps)).toEqual({ ...SAFE, S3: '1 from 21' });
  });
});

describe('executions', () => {
  it('tell with which prefix each call became executable', () => {
    const safety = new SafetyCheck('content', [FIRST, SECOND]);
    safety.step(fakeStep(10, { calls: [FIRST] }));
    safety.step(fakeStep(25, { calls: [FIRST, SECOND] }, true));
    expect(safety.executions.map(({ ordinal, prefix, atEnd }) => [ordinal, prefix, atEnd])).toEqual([
      [0, 10, false],
      [1, 25, true],
    ]);
  });
});
