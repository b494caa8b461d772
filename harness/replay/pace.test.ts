import { describe, expect, it } from 'vitest';
import { readStream } from '../stream/reader.ts';
import { chatStream } from './envelope.ts';
import { pacedArrivals, seededPace } from './pace.ts';
import { formatTimes, parseTimes } from './times.ts';

const BYTES = chatStream({
  id: 'x',
  model: 'm',
  parts: [{ type: 'text', pieces: ['one two three', ' four', ' five six'] }],
  finish: 'stop',
  usage: { promptTokens: 0, completionTokens: 0 },
});
const SOURCE = { events: readStream(BYTES, 'openai-chat').events, size: BYTES.length };

describe('a seeded pace', () => {
  it('is the same for the same label, within its bounds, and differs from label to label', () => {
    const paces = Array.from({ length: 200 }, (_, i) => seededPace(`t${i}`));
    expect(seededPace('t7')).toEqual(paces[7]);
    for (const { firstToken, tokensPerSecond } of paces) {
      expect(firstToken).toBeGreaterThanOrEqual(300);
      expect(firstToken).toBeLessThanOrEqual(900);
      expect(tokensPerSecond).toBeGreaterThanOrEqual(30);
      expect(tokensPerSecond).toBeLessThanOrEqual(90);
    }
    expect(new Set(paces.map(({ firstToken }) => firstToken)).size).toBeGreaterThan(100);
  });
});

describe('paced arrivals', () => {
  const arrivals = pacedArrivals(SOURCE, { firstToken: 400, tokensPerSecond: 50 }, 'a');

  it('are arrival times that a recording could have had', () => {
    expect(parseTimes(formatTimes(arrivals), { file: 'x', size: BYTES.length })).toEqual(arrivals);
  });

  it('begin when the first event is whole, and take about as long as the tokens do', () => {
    // Three tokens at 50 a second are 60 ms, with jitter 30 to 90.
    expect(arrivals[0]?.ms).toBeGreaterThanOrEqual(430);
    expect(arrivals[0]?.ms).toBeLessThanOrEqual(490);
    // Six tokens at 50 a second are 120 ms, with jitter 60 to 180.
    expect(arrivals.at(-1)?.ms).toBeGreaterThanOrEqual(460);
    expect(arrivals.at(-1)?.ms).toBeLessThanOrEqual(580);
  });

  it('have one row for each wire offset at which events became available', () => {
    const offsets = new Set(SOURCE.events.map(({ at }) => at + 1));
    expect(arrivals.map(({ bytes }) => bytes)).toEqual([...offsets].sort((a, b) => a - b));
  });

  it('of a stream without an event are one', () => {
    expect(pacedArrivals({ events: [], size: 9 }, { firstToken: 300, tokensPerSecond: 30 }, 'a')).toEqual([
      { ms: 300, bytes: 9 },
    ]);
  });
});
