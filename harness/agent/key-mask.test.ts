import { describe, expect, it } from 'vitest';
import { KeyMask, keysIn } from './key-mask.ts';

const KEY = 'sk-SECRETSECRET1234567890';
const mask = new KeyMask([KEY, 'other-key-42']);

describe('a key', () => {
  it('is in no text of a record, wherever it stands', () => {
    const record = { type: 'stop', feedback: `provided: ${KEY}.`, values: [['k', `x${KEY}y`]], [`${KEY}`]: 1 };
    expect(mask.value(record)).toEqual({
      type: 'stop',
      feedback: 'provided: [key].',
      values: [['k', 'x[key]y']],
      '[key]': 1,
    });
  });

  it('is masked whichever of them it is', () => {
    expect(mask.text(`${KEY} other-key-42`)).toBe('[key] [key]');
  });

  it('leaves no piece on either side of a gap', () => {
    const [head, tail] = [`a ${KEY.slice(0, 20)}`, `${KEY.slice(9)} b`];
    const { output, omitted } = mask.outcome({
      exit: 0,
      output: Buffer.from(head + tail),
      omitted: { at: head.length, bytes: 7 },
    });
    expect(Buffer.from(output).toString()).toBe('a  b');
    expect(omitted).toEqual({ at: 2, bytes: 7 + 20 + KEY.length - 9 });
  });

  it('is masked as the source of JSON has it, and in bytes that are no text', () => {
    expect(new KeyMask(['a"very"long\\key']).text('{"k":"a\\"very\\"long\\\\key"}')).toBe('{"k":"[key]"}');
    const bytes = (text: string) => ({
      base64: Buffer.concat([Buffer.from([0xff]), Buffer.from(text)]).toString('base64'),
    });
    expect(mask.value([['k', bytes(KEY)]])).toEqual([['k', bytes('[key]')]]);
  });

  it('leaves no beginning of 8 or more where a text was cut', () => {
    expect(mask.text(`${KEY.slice(0, 8)}… and ${KEY.slice(0, 20)}`)).toBe('[key]… and [key]');
    expect(mask.text(`${KEY.slice(0, 7)}… ${KEY.slice(0, 9)}.`)).toBe(`${KEY.slice(0, 7)}… ${KEY.slice(0, 9)}.`);
  });

  it('of fewer than 8 bytes is none: it would be found everywhere', () => {
    expect(new KeyMask(['abc1234']).text('abc1234')).toBe('abc1234');
  });

  it('is the value of any variable for keys of models', () => {
    expect(keysIn({ OPENAI_API_KEY: ' one ', CST_API_KEY: 'two', ANTHROPIC_API_KEY: 'two', HOME: '/' })).toEqual([
      'two',
      'one',
    ]);
  });
});
