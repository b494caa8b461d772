import { describe, expect, it } from 'vitest';
import {
  type ExpectedFinding,
  expectedUnder,
  type FoundFinding,
  formatExpectedFindings,
  parseExpectedFindings,
  renewed,
  vanished,
} from './expected-findings.ts';

const entry = (fields: Partial<ExpectedFinding> = {}): ExpectedFinding => ({
  parser: 'json-object',
  properties: ['S1', 'agreement'],
  recordings: ['a.sse', 'b.sse'],
  reason: 'the provider comes back',
  ...fields,
});

const found = (recording: string, property: FoundFinding['property']): FoundFinding => ({
  parser: 'json-object',
  property,
  recording,
  what: `call c1 of ${recording}`,
});

const ALL = { asked: () => true, whole: true };
const inA = { asked: ({ recording }: { recording: string }) => recording === 'a.sse', whole: false };

describe('a list of expected findings', () => {
  it('is read back as it was written', () => {
    const list = [entry(), entry({ id: 'reopened', recordings: '*', properties: ['reopening'] })];
    expect(parseExpectedFindings(formatExpectedFindings(list), 'known.json')).toEqual(list);
  });

  it.each([
    ['{', 'known.json: not JSON ('],
    ['{}', 'known.json: Invalid input: expected array'],
    ['[{"parser":"json-object","properties":["S1"],"recordings":"*"}]', 'known.json, [0].reason: Invalid input'],
    [JSON.stringify([entry({ parser: 'yaml' as 'ctl' })]), 'known.json, [0].parser: Invalid option'],
    [JSON.stringify([{ ...entry(), resaon: '' }]), 'known.json, [0]: Unrecognized key: "resaon"'],
    [JSON.stringify([entry({ recordings: [] })]), 'known.json, [0].recordings: Too small'],
  ])('that is %s is refused with its place', (text, words) => {
    expect(() => parseExpectedFindings(text, 'known.json')).toThrow(words);
    expect(() => parseExpectedFindings(text, 'known.json')).toThrow('An entry is {"parser"');
  });

  it('covers a finding by parser, property and recording', () => {
    const list = [entry(), entry({ id: 'any', recordings: '*', properties: ['reopening'] })];
    expect(expectedUnder(found('b.sse', 'S1'), list)).toBe(list[0]);
    expect(expectedUnder(found('c.sse', 'S1'), list)).toBeNull();
    expect(expectedUnder(found('b.sse', 'S2'), list)).toBeNull();
    expect(expectedUnder({ ...found('b.sse', 'S1'), parser: 'json-whole' }, list)).toBeNull();
    expect(expectedUnder(found('c.sse', 'reopening'), list)?.id).toBe('any');
  });
});

describe('what has vanished', () => {
  it('is said by parser, property and recording, with the id of an entry that has one', () => {
    const findings = [found('a.sse', 'S1'), found('a.sse', 'agreement'), found('b.sse', 'agreement')];
    expect(vanished(findings, [entry()], ALL)).toEqual(['json-object no longer violates S1 on b.sse']);
    expect(vanished([], [entry({ id: 'back', recordings: '*' })], ALL)).toEqual([
      'back: json-object violates S1 nowhere any more',
      'back: json-object violates agreement nowhere any more',
    ]);
  });

  it('is only what was asked, and for any recording only of a whole run', () => {
    const list = [entry(), entry({ recordings: '*' })];
    expect(vanished([], list, inA)).toEqual([
      'json-object no longer violates S1 on a.sse',
      'json-object no longer violates agreement on a.sse',
    ]);
  });
});

describe('a list that is brought up to date', () => {
  it('gets one entry for each recording and parser that is new, with what was found', () => {
    const findings = [found('c.sse', 'agreement'), found('c.sse', 'S1'), found('c.sse', 'S1'), found('d.sse', 'K')];
    expect(renewed(findings, [], ALL)).toEqual([
      {
        parser: 'json-object',
        properties: ['S1', 'agreement'],
        recordings: ['c.sse'],
        reason: 'not explained yet: call c1 of c.sse',
      },
      {
        parser: 'json-object',
        properties: ['K'],
        recordings: ['d.sse'],
        reason: 'not explained yet: call c1 of d.sse',
      },
    ]);
  });

  it('keeps reasons, loses what has gone, and leaves what was not asked', () => {
    const list = [entry({ id: 'back' })];
    const findings = [found('a.sse', 'S1'), found('b.sse', 'S1'), found('b.sse', 'agreement')];
    expect(renewed(findings, list, ALL)).toEqual([
      { ...list[0], properties: ['S1'], recordings: ['a.sse'] },
      { ...list[0], properties: ['S1', 'agreement'], recordings: ['b.sse'] },
    ]);
    expect(renewed([], list, inA)).toEqual([{ ...list[0], recordings: ['b.sse'] }]);
    expect(renewed([], list, ALL)).toEqual([]);
  });

  it('keeps an entry for any recording while one is left, or the run was no whole one', () => {
    const list = [entry({ recordings: '*' })];
    expect(renewed([found('x.sse', 'S1')], list, ALL)).toEqual([{ ...list[0], properties: ['S1'] }]);
    expect(renewed([], list, inA)).toEqual(list);
    expect(renewed([], list, ALL)).toEqual([]);
  });

  it('accepts all of the run that made it', () => {
    const findings = [found('a.sse', 'S1'), found('c.sse', 'K'), found('b.sse', 'agreement')];
    const list = renewed(findings, [entry()], ALL);
    expect(findings.map((finding) => expectedUnder(finding, list))).not.toContain(null);
    expect(vanished(findings, list, ALL)).toEqual([]);
  });
});
