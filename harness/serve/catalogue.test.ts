import { describe, expect, it } from 'vitest';
import { Catalogue, modelName } from './catalogue.ts';
import { inMemory, textBytes } from './test-server.ts';

const BYTES = textBytes('x');
const CTL = inMemory('a', BYTES);
const AGAIN = { ...inMemory('a', BYTES), file: 'a.ctl.2.sse' };
const NATIVE = inMemory('a', BYTES, { framing: 'native' });
const ALONE = inMemory('b', BYTES, { framing: 'xml' });
const GEMINI = { ...inMemory('c', BYTES), wire: 'gemini' as const };
const catalogue = new Catalogue([ALONE, NATIVE, GEMINI, AGAIN, CTL]);

function found(name: string, framing: 'ctl' | 'native' | 'xml' = 'ctl'): string {
  const finding = catalogue.find(name, framing);
  return 'recording' in finding ? modelName(finding.recording) : finding.missing;
}

describe('a catalogue', () => {
  it('lists what it can serve, in order, and counts what it leaves out', () => {
    expect(catalogue.names).toEqual(['s/a.ctl', 's/a.ctl.2', 's/a.native', 's/b.xml']);
    expect(catalogue.leftOut).toBe(1);
  });

  it('finds a recording by its file, whatever framing is asked for', () => {
    expect([found('s/a.native'), found('s/a.ctl.2.sse', 'native')]).toEqual(['s/a.native', 's/a.ctl.2']);
  });

  it('finds the first recording of a task in the framing that is asked for, or its only one', () => {
    expect([found('s/a'), found('s/a', 'native'), found('s/b')]).toEqual(['s/a.ctl', 's/a.native', 's/b.xml']);
    expect(found('s/a', 'xml')).toBe('s/a has no xml recording; it has s/a.ctl, s/a.ctl.2, s/a.native');
  });

  it('says what there is instead', () => {
    expect(found('s/z')).toBe(
      'there is no recording s/z; there are the recordings s/a.ctl, s/a.ctl.2, s/a.native, s/b.xml',
    );
    expect(found('gpt')).toBe('there is no recording gpt; there are the suites s');
    expect([catalogue.has('s/a'), catalogue.has('s/a.ctl'), catalogue.has('s'), catalogue.has('s/c')]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
