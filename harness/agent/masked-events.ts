/**
 * Events as they may be shown: without keys, also without one that comes in several pieces of text. What may be the
 * beginning of a key waits for the text that follows, or for the next event of another kind.
 */
import type { AgentEvent } from './agent-event.ts';
import type { KeyMask } from './key-mask.ts';

type Emit = (event: AgentEvent) => void;

export function maskedEvents(mask: KeyMask, emit: Emit): Emit {
  const held = { text: '', reasoning: '' };
  const show = (type: 'text' | 'reasoning', text: string): void => {
    if (text !== '') emit({ type, text });
  };
  const release = (type: 'text' | 'reasoning'): void => {
    const text = held[type];
    held[type] = '';
    show(type, mask.text(text));
  };
  return (event) => {
    if (event.type === 'text' || event.type === 'reasoning') {
      const open = mask.open(held[event.type] + event.text);
      held[event.type] = open.held;
      return show(event.type, open.shown);
    }
    // Text goes on beside the arguments of native calls.
    if (event.type !== 'argument') for (const type of ['reasoning', 'text'] as const) release(type);
    emit(mask.value(event));
  };
}
