import { describe, expect, it } from 'vitest';
import type { AgentEvent } from './agent-event.ts';
import { KeyMask } from './key-mask.ts';
import { maskedEvents } from './masked-events.ts';

const KEY = 'sk-SECRETSECRET1234567890';
const STOP: AgentEvent = { type: 'stop', reason: 'cut', detail: `the stream failed (no such key ${KEY})` };

function shown(...events: readonly AgentEvent[]): readonly AgentEvent[] {
  const out: AgentEvent[] = [];
  const emit = maskedEvents(new KeyMask([KEY, 'an-other-key']), (event) => out.push(event));
  for (const event of events) emit(event);
  return out;
}

function texts(text: string, size: number): AgentEvent[] {
  const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
    text.slice(at * size, (at + 1) * size),
  );
  return pieces.map((piece) => ({ type: 'text', text: piece }));
}

function joined(events: readonly AgentEvent[]): string {
  return events.map((event) => (event.type === 'text' ? event.text : '')).join('');
}

describe('a key in the text of a model', () => {
  it('is masked in pieces of any size', () => {
    const text = `ass ${KEY}${KEY} sk-SECRET an-other-keys sk-`;
    for (let size = 1; size <= text.length; size++) {
      expect(joined(shown(...texts(text, size), STOP)), `pieces of ${size}`).toBe(
        'ass [key][key] sk-SECRET [key]s sk-',
      );
    }
  });

  it('is not begun where an answer ends in it', () => {
    expect(joined(shown(...texts(`x ${KEY.slice(0, -1)}`, 5), STOP))).toBe('x [key]');
  });

  it('holds nothing back for good, nor out of order', () => {
    const call: AgentEvent = { type: 'call-open', ordinal: 0, id: 'a', name: 'shell' };
    const argument: AgentEvent = { type: 'argument', ordinal: 0, bytes: 3 };
    const text = (of: string): AgentEvent => ({ type: 'text', text: of });
    expect(shown(text('calls'), call, text(`k${KEY.slice(0, 9)}`), argument, text(KEY.slice(9)), call)).toEqual([
      text('call'),
      text('s'),
      call,
      text('k'),
      argument,
      text('[key]'),
      call,
    ]);
  });
});

describe('a key in any other event', () => {
  it('is masked', () => {
    expect(shown(STOP)).toEqual([{ type: 'stop', reason: 'cut', detail: 'the stream failed (no such key [key])' }]);
  });
});
