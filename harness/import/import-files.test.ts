import { expect, it } from 'vitest';
import { importFiles } from './import-files.ts';

it('a file that the system does not give is unreadable, and the next one is read', async () => {
  const target = { holds: () => null, add: () => Promise.reject(new Error('nothing to add')) };
  const gone = { path: 'not there/x.har', name: 'x.har', named: true };
  const outcomes = importFiles([gone, gone], target, { format: 'auto', wire: null, redact: true });
  const reason = 'not there/x.har: cannot be opened (ENOENT). Is it there, and yours to read?';
  const outcome = { outcome: 'unreadable', reason, file: gone.path, place: null, format: null };
  const seen: unknown[] = [];
  for await (const one of outcomes) seen.push(one);
  expect(seen).toEqual([outcome, outcome]);
});
