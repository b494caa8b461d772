import { describe, expect, test } from 'vitest';
import { formatTimes, parseTimes } from './times.ts';

const SOURCE = { file: 'a.times.csv', size: 9 };

test('times are read as they were written', () => {
  const arrivals = [
    { ms: 0, bytes: 4 },
    { ms: 0.25, bytes: 5 },
    { ms: 12, bytes: 9 },
  ];
  expect(parseTimes(formatTimes(arrivals), SOURCE)).toEqual(arrivals);
});

describe('times are refused, with the line', () => {
  test.each([
    ['no head', '1,9\n', 'a.times.csv, line 1: expected the head ms,bytes'],
    ['a field too many', 'ms,bytes\n1,9,9\n', 'line 2: expected <milliseconds>,<bytes so far>'],
    ['a negative time', 'ms,bytes\n-1,9\n', 'line 2: expected'],
    ['an empty line', 'ms,bytes\n1,4\n\n2,9\n', 'line 3: expected'],
    ['time that runs backwards', 'ms,bytes\n5,4\n4,9\n', 'line 3: the time runs backwards'],
    ['bytes that do not grow', 'ms,bytes\n1,4\n2,4\n', 'line 3: the bytes so far do not grow'],
    ['another size', 'ms,bytes\n1,4\n', 'line 2: 4 bytes, but the recording has 9'],
    ['no chunk at all', 'ms,bytes\n', 'line 1: 0 bytes, but the recording has 9'],
  ])('%s', (_, text, message) => {
    expect(() => parseTimes(text, SOURCE)).toThrow(message);
  });
});
