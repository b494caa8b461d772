/** What stands above the streams: which ones to show, how the cursors hang together, what the marks mean. */
import type { ByteState, ScrubberData } from '../scrubber-types.ts';
import { element } from './scrubber-dom.ts';

export interface Controls {
  readonly root: HTMLElement;
  readonly legend: HTMLElement;
  /** Where a task has been chosen. */
  readonly task: HTMLSelectElement;
  readonly sources: readonly HTMLInputElement[];
  readonly linked: HTMLInputElement;
  readonly previous: HTMLButtonElement;
  readonly next: HTMLButtonElement;
  /** Says which framing the buttons move. */
  readonly active: HTMLElement;
  readonly sourceNote: HTMLElement;
}

interface SourceText {
  readonly title: string;
  readonly note: string;
}

const SOURCES: Readonly<Record<string, SourceText>> = {
  replies: {
    title: 'the model’s answers',
    note: 'What the model wrote when it was asked for each framing (suite replies, run 1), with its mistakes. The texts differ from framing to framing.',
  },
  reframed: {
    title: 'the same calls in every framing',
    note: 'The calls of the native answer, written again in every framing (suite reframed): only the frame differs, and every length is right.',
  },
};

const LEGEND: readonly (readonly [ByteState | 'future', string, string])[] = [
  ['text', 'text', 'outside calls, passed on'],
  ['confirmed', 'confirmed', 'final, of a call that is not executable yet'],
  ['pending', 'pending', 'has come, may still mean something else'],
  ['executable', 'executable', 'of a call that may run'],
  ['discarded', 'discarded', 'after a contract error, or refused by it'],
  ['future', 'to come', 'behind the cursor'],
];

export function makeControls(data: ScrubberData): Controls {
  const sources = data.sources.map(({ suite }) =>
    element('input', { type: 'radio', name: 'scrubber-source', value: suite }),
  );
  const task = element('select', {});
  for (const { id, title } of data.tasks) task.append(element('option', { value: id }, [`${id} · ${title}`]));
  const linked = element('input', { type: 'checkbox' });
  linked.checked = true;
  const previous = element('button', { type: 'button' }, ['◀ Previous event']);
  const next = element('button', { type: 'button' }, ['Next event ▶']);
  const active = element('span', { class: 'scrub-active' });
  const sourceNote = element('p', { class: 'scrub-note' });
  const choices = sources.map((input) => element('label', {}, [input, SOURCES[input.value]?.title ?? input.value]));
  const root = element('div', { class: 'scrub-controls' }, [
    element('fieldset', { class: 'scrub-choice' }, [element('legend', {}, ['Show']), ...choices]),
    element('label', { class: 'scrub-task' }, ['Task', task]),
    sourceNote,
    element('div', { class: 'scrub-steps' }, [
      element('label', {}, [linked, 'move all cursors to the same share of their streams']),
      element('span', { class: 'scrub-buttons' }, [previous, next, active]),
    ]),
  ]);
  return { root, legend: makeLegend(), task, sources, linked, previous, next, active, sourceNote };
}

export function sourceNote(suite: string): string {
  return SOURCES[suite]?.note ?? '';
}

/** Radio buttons for a screen with room for one framing only. */
export function makeTabs(protocols: readonly string[], chosen: number, choose: (index: number) => void): HTMLElement {
  const labels = protocols.map((protocol, index) => {
    const input = element('input', { type: 'radio', name: 'scrubber-framing', value: protocol });
    input.checked = index === chosen;
    input.addEventListener('change', () => choose(index));
    return element('label', {}, [input, protocol]);
  });
  return element('fieldset', { class: 'scrub-choice scrub-tabs' }, [element('legend', {}, ['Bytes of']), ...labels]);
}

function makeLegend(): HTMLElement {
  const entries = LEGEND.map(([state, name, meaning]) =>
    element('li', {}, [
      element('span', { class: 'scrub-text' }, [element('span', { 'data-state': state }, [name])]),
      ` ${meaning}`,
    ]),
  );
  const signs = [
    element('li', {}, [
      element('span', { class: 'scrub-sign', 'data-kind': 'run' }, ['▲']),
      ' a call becomes executable',
    ]),
    element('li', {}, [
      element('span', { class: 'scrub-sign', 'data-kind': 'error' }, ['✕']),
      ' a contract error is raised',
    ]),
  ];
  return element('ul', { class: 'scrub-legend', 'aria-label': 'What the marks mean' }, [...entries, ...signs]);
}
