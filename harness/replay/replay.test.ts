import { describe, expect, it } from 'vitest';
import { CtlParser } from '../parsers/ctl.ts';
import { DEFAULT_OPTIONS } from '../parsers/parser.ts';
import { delta, done, finish, text } from '../testing/hand-made-events.ts';
import { type ReplayObserver, type ReplayStep, replayContent, replayWire } from './replay.ts';

class Notebook implements ReplayObserver {
  readonly steps: ReplayStep[] = [];
  readonly calls: number[] = [];

  step(step: ReplayStep): void {
    this.steps.push({ ...step });
    this.calls.push(step.frontier.calls.length);
  }
}

describe('a replay of the content', () => {
  it('has a step for each byte, for each event without any, and for the end', () => {
    const notes = new Notebook();
    const events = [text('é'), delta(0, '', { name: 'a' }), delta(0, '{'), finish('complete'), done()];
    replayContent({ events, end: 'complete' }, new CtlParser(DEFAULT_OPTIONS), notes);
    expect(notes.steps.map(({ prefix, delivered, heldMost, ended }) => [prefix, delivered, heldMost, ended])).toEqual([
      [1, 1, 0, false],
      [2, 2, 0, false],
      [2, 2, 0, false],
      [3, 3, 0, false],
      [3, 3, 0, false],
      [3, 3, 0, false],
      [3, 3, 0, true],
    ]);
  });

  it('shows the call with the byte that completes it', () => {
    const notes = new Notebook();
    replayContent({ events: [text('call c1 t\nend\n')], end: 'cut' }, new CtlParser(DEFAULT_OPTIONS), notes);
    expect(notes.calls.indexOf(1)).toBe(13);
  });

  it('tells the parser how the stream ended', () => {
    const events = [text('call c1 t\nend')];
    const complete = new Notebook();
    replayContent({ events, end: 'complete' }, new CtlParser(DEFAULT_OPTIONS), complete);
    const cut = new Notebook();
    replayContent({ events, end: 'cut' }, new CtlParser(DEFAULT_OPTIONS), cut);
    expect([complete.calls.at(-2), complete.calls.at(-1), cut.calls.at(-1)]).toEqual([0, 1, 0]);
  });
});

describe('a replay of the wire', () => {
  const payload = JSON.stringify({ choices: [{ index: 0, delta: { content: 'call c1 t\nend\n' } }] });
  const first = `data: ${payload}\n\n`;
  const bytes = Buffer.from(`${first}data: [DONE]\n\n`);

  it('has a step for each byte and for the end', () => {
    const notes = new Notebook();
    const end = replayWire({ bytes, wire: 'openai-chat' }, new CtlParser(DEFAULT_OPTIONS), notes);
    expect(end).toBe('complete');
    expect(notes.steps.map(({ prefix }) => prefix)).toEqual([...bytes.keys()].map((i) => i + 1).concat(bytes.length));
    expect(notes.steps.at(-1)).toMatchObject({ ended: true, delivered: 14 });
  });

  it('tells an observer that wants it how many prefixes passed without feeding the parser', () => {
    const told: [string, number][] = [];
    replayWire({ bytes, wire: 'openai-chat' }, new CtlParser(DEFAULT_OPTIONS), {
      step: ({ prefix, heldMost }) => told.push([`step ${heldMost}`, prefix]),
      quiet: (count) => told.push(['quiet', count]),
    });
    expect(told).toEqual([
      ['quiet', first.length - 1],
      [`step ${payload.length}`, first.length],
      ['quiet', bytes.length - first.length - 1],
      [`step ${payload.length}`, bytes.length],
      [`step ${payload.length}`, bytes.length],
    ]);
  });

  it('delivers content with the byte that completes its event', () => {
    const notes = new Notebook();
    replayWire({ bytes, wire: 'openai-chat' }, new CtlParser(DEFAULT_OPTIONS), notes);
    expect(notes.calls.indexOf(1)).toBe(first.length - 1);
    expect(notes.steps[first.length - 2]).toMatchObject({ delivered: 0 });
    expect(notes.steps[first.length - 2]?.heldMost).toBe(payload.length);
  });

  it('is a cut where the transport ends without a word', () => {
    expect(
      replayWire(
        { bytes: bytes.subarray(0, first.length - 1), wire: 'openai-chat' },
        new CtlParser(DEFAULT_OPTIONS),
        new Notebook(),
      ),
    ).toBe('cut');
  });
});
