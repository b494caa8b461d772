import { beforeAll, describe, expect, it } from 'vitest';
import type { Recording } from '../harness/replay/recording.ts';
import { shippedSuites } from '../harness/replay/shipped.ts';
import { csvTable } from '../harness/report/table.ts';
import { chartsOfE } from './e-charts.ts';
import { CALLS, GAIN, HARM, HARM_CASES, TIMING } from './e-rows.ts';
import { type ExperimentERows, runEager } from './e-run.ts';
import { eagerSummary } from './e-summary.ts';

const OPTIONS = { lineLimit: 4096, seed: 1, concurrency: 0, onProgress: () => {} };
const TASKS = ['t01', 't02', 't14', 't20', 't26'];

function csv(rows: ExperimentERows): string {
  return [
    csvTable(TIMING, rows.timing),
    csvTable(CALLS, rows.calls),
    csvTable(GAIN, rows.gain),
    csvTable(HARM, rows.harm),
    csvTable(HARM_CASES, rows.harmCases),
    JSON.stringify(chartsOfE(rows)),
    eagerSummary(rows),
  ].join('\n');
}

describe('experiment E', () => {
  let recordings: readonly Recording[];
  let rows: ExperimentERows;
  beforeAll(async () => {
    const all = await shippedSuites(1);
    recordings = all.filter(({ suite, task, file }) =>
      suite === 'crafted' ? file.includes('case-0') : TASKS.includes(task),
    );
    rows = await runEager(recordings, OPTIONS);
  });

  it('gives the same bytes at any concurrency and in any order of recordings', async () => {
    expect(csv(await runEager([...recordings].reverse(), { ...OPTIONS, concurrency: 1 }))).toBe(csv(rows));
  });

  it('gives every call the same tool time under every protocol, and never two at once', () => {
    const drawn = rows.calls.filter(({ suite, tools }) => suite === 'reframed' && tools === 'drawn');
    const times = new Map<string, number>();
    for (const { task, call, started, ended } of drawn) {
      const name = `${task}/${call}`;
      expect(ended - started).toBe(times.get(name) ?? ended - started);
      times.set(name, ended - started);
    }
    expect(times.size).toBeGreaterThan(5);
    for (const [i, row] of rows.calls.entries()) {
      const before = rows.calls[i - 1];
      if (row.call > 0 && before?.recording === row.recording) expect(row.started).toBeGreaterThanOrEqual(before.ended);
    }
  });

  it('never has an eager protocol run a call later than native-eos on the same stream', () => {
    const of = (protocol: string) => rows.timing.filter((row) => row.protocol === protocol);
    const eos = new Map(of('native-eos').map((row) => [`${row.recording}/${row.suite}/${row.tools}`, row]));
    expect(eos.size).toBeGreaterThan(0);
    for (const row of of('native-inc')) {
      const base = eos.get(`${row.recording}/${row.suite}/${row.tools}`);
      if (base?.firstExecution === null || base === undefined) continue;
      expect(row.firstExecution).toBeLessThanOrEqual(base.firstExecution);
      expect(row.lastResult).toBeLessThanOrEqual(base.lastResult!);
    }
  });

  it('overlaps tools with generation only where calls run before the end', () => {
    for (const { protocol, overlapped } of rows.timing) {
      if (protocol === 'native-eos' || protocol === 'xml') expect(overlapped).toBe(0);
    }
    expect(rows.timing.some(({ protocol, overlapped }) => protocol === 'ctl' && overlapped > 0)).toBe(true);
  });

  it('lists what json-first-parse runs on an empty object that goes on', () => {
    const cases = rows.harmCases.filter(({ recording }) => recording.startsWith('case-01'));
    expect(cases.map(({ control, what }) => [control, what])).toEqual([['json-first-parse', 'no call']]);
  });

  it('compares nothing where a protocol has no answer, and says so', async () => {
    const alone = await runEager(
      recordings.filter(({ suite, framing }) => suite === 'reframed' && framing === 'ctl'),
      OPTIONS,
    );
    expect(alone.gain).toEqual([]);
    expect(eagerSummary(alone)).toContain('there is nothing to compare');
    expect(csv(alone)).not.toMatch(/NaN|Infinity|undefined/);
  });

  it('never shows NaN or an infinity', () => {
    expect(csv(rows)).not.toMatch(/NaN|Infinity|undefined/);
  });
});
