import { describe, expect, it } from 'vitest';
import { CONTROL_NAMES } from '../harness/controls/controls.ts';
import { loadSuites } from '../harness/replay/load.ts';
import { csvTable } from '../harness/report/table.ts';
import type { Finding } from './c-recording.ts';
import { ERRORS, LAG, PENDING, SAFETY, SALVAGE } from './c-rows.ts';
import { type ExperimentRows, runExperiment } from './c-run.ts';
import { passingControls, probeControls } from './control-probes.ts';
import { expectedUnder, readExpectedFindings, vanished } from './expected-findings.ts';

const OPTIONS = { lineLimit: 4096, seed: 1, expected: readExpectedFindings(), onProgress: () => {} };
const CASE_02 = 'case-02-empty-object-then-arguments-parallel.native.sse';

async function recordings(contains: string) {
  const all = await loadSuites(new URL('../recordings', import.meta.url).pathname, { suites: ['crafted'] });
  return all.filter(({ file }) => file.includes(contains));
}

function csv(rows: ExperimentRows): string {
  return [
    csvTable(SAFETY, rows.safety),
    csvTable(PENDING, rows.pending),
    csvTable(ERRORS, rows.errors),
    csvTable(SALVAGE, rows.salvage),
    csvTable(LAG, rows.lag),
  ].join('\n');
}

describe('experiment C', () => {
  it('gives the same bytes in this thread, in three threads, and with the recordings in another order', async () => {
    const chosen = await recordings('case-3');
    const here = csv(await runExperiment(chosen, { ...OPTIONS, concurrency: 1 }));
    const threads = csv(await runExperiment([...chosen].reverse(), { ...OPTIONS, concurrency: 3 }));
    expect(threads).toBe(here);
  });

  it('reports the S1 violation of json-object on {} first, as an expected finding, and no other', async () => {
    const rows = await runExperiment(await recordings('case-02'), { ...OPTIONS, concurrency: 1 });
    const own = rows.safety.filter(({ parser }) => parser === 'json-object');
    expect(own.map(({ level, s1, verdict }) => [level, s1, verdict])).toEqual([
      ['wire', 1, 'expected finding'],
      ['content', 1, 'expected finding'],
    ]);
    expect(
      rows.safety.filter(({ parser }) => parser === 'json-whole').every(({ verdict }) => verdict === 'holds'),
    ).toBe(true);
  });

  it('is refused whole by a thread that fails, and names the recording', async () => {
    const [first] = await recordings('case-01');
    const broken = { ...first!, limits: null as unknown as object };
    await expect(runExperiment([broken], { ...OPTIONS, concurrency: 2 })).rejects.toThrow(/crafted\/case-01/);
  });
});

describe('controls', () => {
  it('are all caught by their probes', () => {
    const findings = probeControls({ lineLimit: 4096, seed: 1 });
    expect(passingControls(findings)).toEqual([]);
  });

  it('that no finding names are passing', () => {
    expect(passingControls([])).toEqual(CONTROL_NAMES);
  });
});

describe('expected findings', () => {
  const list = readExpectedFindings();
  const finding: Finding = {
    suite: 'crafted',
    recording: CASE_02,
    parser: 'json-object',
    property: 'S1',
    level: 'wire',
    prefix: 1,
    what: '',
  };

  it('cover a finding by parser, property and recording, and no other', () => {
    expect(expectedUnder(finding, list)?.id).toBe('json-object-empty-object-then-arguments');
    expect(expectedUnder({ ...finding, property: 'S2' }, list)).toBeNull();
    expect(expectedUnder({ ...finding, parser: 'json-whole' }, list)).toBeNull();
    expect(expectedUnder({ ...finding, recording: 'other.sse' }, list)).toBeNull();
    expect(expectedUnder({ ...finding, recording: 'other.sse', property: 'reopening' }, list)?.recordings).toBe('*');
  });

  it('that no longer appear are reported, if their recording ran', () => {
    const ran = new Set([`crafted/${CASE_02}`]);
    const gone = vanished([], list, { ran, whole: false });
    expect(gone).toHaveLength(4);
    expect(gone[0]).toContain('no longer violates S1');
    expect(vanished([], list, { ran: new Set(), whole: false })).toEqual([]);
    expect(vanished([], list, { ran: new Set(), whole: true })).toContain(
      'json-object-reopened-call: json-object violates reopening nowhere any more',
    );
  });
});
