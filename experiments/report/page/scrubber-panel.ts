/** One framing: its bytes, and in words what holds at the cursor. */
import type { ScrubberReading, ScrubberStream } from '../scrubber-types.ts';
import type { Words } from '../scrubber-words.ts';
import { element, setText } from './scrubber-dom.ts';
import type { ByteStreamView } from './scrubber-stream.ts';

/** When each protocol runs a call. */
const RULES: Readonly<Record<string, string>> = {
  ctl: 'Values are counted; a call runs at the LF of “end”.',
  'ctl-heredoc': 'Values end at a tag; a call runs at the LF of “end”.',
  xml: 'Calls run at the end of a complete answer.',
  'json-whole': 'All calls run at the end of a complete answer, or none.',
  'json-object': 'A call runs when the next one, a finish reason or [DONE] has come.',
};

const FACTS = [
  ['position', 'Cursor'],
  ['pending', 'Pending'],
  ['executable', 'Executable'],
  ['lastRun', 'Ran last'],
  ['underWay', 'Under way'],
  ['error', 'Contract error'],
  ['cut', 'If cut here'],
] as const satisfies readonly (readonly [keyof Words, string])[];

export class FramingPanel {
  readonly root: HTMLElement;
  readonly bytes: ByteStreamView;
  readonly #facts = new Map<keyof Words, HTMLElement>();

  constructor({ file }: ScrubberStream, { protocol }: ScrubberReading, bytes: ByteStreamView) {
    this.bytes = bytes;
    const list = element('dl', { class: 'scrub-words' });
    for (const [key, label] of FACTS) {
      const fact = element('dd', { 'data-fact': key });
      this.#facts.set(key, fact);
      list.append(element('div', {}, [element('dt', {}, [label]), fact]));
    }
    const id = `scrubber-${protocol}`;
    this.root = element('section', { class: 'scrub-panel', 'aria-labelledby': id, 'data-protocol': protocol }, [
      element('h3', { id }, [protocol]),
      element('p', { class: 'scrub-rule' }, [RULES[protocol] ?? '']),
      bytes.root,
      bytes.excerpt,
      list,
      element('p', { class: 'scrub-file' }, [file]),
    ]);
  }

  show(words: Words): void {
    for (const [key, fact] of this.#facts) setText(fact, words[key]);
    this.root.dataset['failed'] = String(words.error.length > 1);
  }
}
