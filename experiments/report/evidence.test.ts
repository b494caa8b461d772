import { describe, expect, it } from 'vitest';
import type { Recording } from '../../harness/replay/recording.ts';
import { parseCsv } from './csv.ts';
import { evidenceCsv, evidenceOf } from './evidence.ts';
import type { Results } from './results.ts';

function recording(suite: string, file: string, what: Partial<Recording> = {}): Recording {
  const [task = '', framing] = file.split('.');
  return {
    suite,
    file,
    task,
    framing: framing === 'xml' ? 'xml' : 'ctl',
    guessed: false,
    wire: 'openai-chat',
    sha256: `hash of ${file}`,
    size: 1,
    source: 'enveloped',
    expectations: [],
    bytes: () => Promise.reject(new Error('nobody reads it')),
    ...what,
  };
}

function resultsAbout(recordings: readonly Recording[]): Results {
  const named = recordings.map(({ suite, file, sha256 }) => ({ suite, file, sha256 }));
  return { letter: 'd', program: 'test', recordings: named, tables: [], charts: [] };
}

describe('the evidence', () => {
  const answers = [
    recording('replies', 't1.ctl.sse', { model: 'm', run: 'run1' }),
    recording('replies', 't1.xml.sse', { model: 'm', run: 'run2' }),
    recording('crafted', 'rule.ctl.sse', { source: 'crafted' }),
  ];

  it('is counted suite by suite, over the recordings that the results name and no other', () => {
    const more = [...answers, recording('replies', 't2.ctl.sse', { model: 'another' })];
    expect(parseCsv(evidenceCsv(evidenceOf(resultsAbout(answers), more)))).toEqual([
      ['suite', 'source', 'streams', 'tasks', 'framings', 'model', 'runs'],
      ['crafted', 'crafted', '1', '1', 'ctl', 'none', '0'],
      ['replies', 'enveloped', '2', '1', 'ctl, xml', 'm', '2'],
    ]);
  });

  it.each([
    ['is gone', answers.slice(1)],
    ['has other bytes', [recording('replies', 't1.ctl.sse', { sha256: 'another' }), ...answers.slice(1)]],
  ])('is refused where a recording %s', (_, now) => {
    expect(() => evidenceOf(resultsAbout(answers), now)).toThrow(
      'results/d are about another replies/t1.ctl.sse than recordings/ has: npm run exp:d makes them anew',
    );
  });
});
