import { expect, it } from 'vitest';
import { zonedTime } from './zoned-time.ts';

it.each([
  ['2026-02-28T23:59:59Z', '2026-02-28T23:59:59.000Z'],
  ['2024-02-29 00:00:00+01:00', '2024-02-28T23:00:00.000Z'],
  ['Sat, 28 Feb 2026 01:02:03 GMT', '2026-02-28T01:02:03.000Z'],
])('a time with a zone is one: %s', (text, time) => {
  expect(new Date(zonedTime(text) ?? Number.NaN).toISOString()).toBe(time);
});

it.each([
  ...['2026-02-30T00:00:00Z', '2026-02-29T00:00:00+01:00', '2026-13-01T00:00:00Z', 'Mon, 30 Feb 2026 00:00:00 GMT'],
  ...['2026-02-28T23:59:59', '2026-02-28', 'noon Z'],
])('what is none, or has no zone, is null: %s', (text) => {
  expect(zonedTime(text)).toBeNull();
});
