/**
 * The byte scrubber: the framings of one task side by side, with a cursor in each. All that it shows was noted when the
 * page was built; here positions are only looked up.
 */
import { eventPositions, linkedPosition, mostPending } from '../scrubber-reading.ts';
import type { ScrubberData, ScrubberReading, ScrubberStream } from '../scrubber-types.ts';
import { bytesText, wordsAt } from '../scrubber-words.ts';
import { type Controls, makeControls, makeTabs, sourceNote } from './scrubber-controls.ts';
import { element, setText } from './scrubber-dom.ts';
import { followPointer } from './scrubber-drag.ts';
import { FramingPanel } from './scrubber-panel.ts';
import { OverviewRow } from './scrubber-row.ts';
import { ByteStreamView } from './scrubber-stream.ts';

/** Milliseconds without a move after which the cursors count as settled: then they are announced. */
const SETTLED = 600;
/** Where the cursors stand at first: a task of two short calls, at a place where the framings disagree. */
const FIRST_TASK = 't02';
const FIRST_SHARE = 0.75;

interface Framing {
  readonly stream: ScrubberStream;
  readonly reading: ScrubberReading;
  readonly row: OverviewRow;
  readonly panel: FramingPanel;
  position: number;
}

/** Builds the scrubber inside `root`, which may hold a sentence for readers without script. */
export function mountScrubber(root: HTMLElement, data: ScrubberData): void {
  new Scrubber(root, data).start();
}

class Scrubber {
  readonly #root: HTMLElement;
  readonly #data: ScrubberData;
  readonly #controls: Controls;
  readonly #overview = element('div', { class: 'scrub-overview', role: 'group', 'aria-label': 'Cursors' });
  readonly #scale = element('p', { class: 'scrub-note' });
  readonly #panels = element('div', { class: 'scrub-panels' });
  readonly #live = element('p', { class: 'scrub-live', role: 'status', 'aria-live': 'polite' });

  #framings: Framing[] = [];
  #active = 0;
  /** Index of the framing whose bytes the pointer drags on: its view stays where it is. */
  #dragged: number | null = null;
  #hasFrame = false;
  #settling: ReturnType<typeof setTimeout> | undefined;

  constructor(root: HTMLElement, data: ScrubberData) {
    this.#root = root;
    this.#data = data;
    this.#controls = makeControls(data);
  }

  start(): void {
    const { task, sources, linked, previous, next } = this.#controls;
    this.#root.classList.add('scrubber');
    this.#root.replaceChildren(
      this.#controls.root,
      this.#overview,
      this.#scale,
      this.#controls.legend,
      this.#panels,
      this.#live,
    );
    if (this.#data.tasks.some(({ id }) => id === FIRST_TASK)) task.value = FIRST_TASK;
    if (sources[0] !== undefined) sources[0].checked = true;
    for (const control of [task, ...sources]) control.addEventListener('change', () => this.#load());
    linked.addEventListener('change', () => linked.checked && this.#move(this.#active, this.#position()));
    previous.addEventListener('click', () => this.#toEvent(-1));
    next.addEventListener('click', () => this.#toEvent(1));
    this.#root.addEventListener('keydown', (event) => this.#onKey(event));
    globalThis.addEventListener('beforeprint', () => this.#settle());
    this.#load();
  }

  #load(): void {
    const before = this.#framings[this.#active];
    const suite = this.#controls.sources.find(({ checked }) => checked)?.value ?? '';
    const streams = (this.#data.sources.find((source) => source.suite === suite)?.streams ?? []).filter(
      ({ task }) => task === this.#controls.task.value,
    );
    const readings = streams.flatMap((stream) => stream.readings.map((reading) => ({ stream, reading })));
    const most = Math.max(1, ...readings.map(({ stream, reading }) => mostPending(reading, stream.bytes)));
    this.#framings = readings.map(({ stream, reading }, index) => this.#framing({ stream, reading, most, index }));
    this.#active = Math.min(this.#active, Math.max(0, this.#framings.length - 1));
    setText(this.#controls.sourceNote, sourceNote(suite));
    setText(
      this.#scale,
      `The curves show pending bytes along each stream, in one scale: full height is ${bytesText(most)}. The last place of each cursor is the end of the stream, one more step. Keys: arrows 1 byte, PageUp and PageDown 5 %, [ and ] to the previous and next event.`,
    );
    const tabs = makeTabs(
      readings.map(({ reading }) => reading.protocol),
      this.#active,
      (index) => this.#activate(index),
    );
    this.#overview.replaceChildren(...this.#framings.map(({ row }) => row.root));
    this.#panels.replaceChildren(tabs, ...this.#framings.map(({ panel }) => panel.root));
    this.#activate(this.#active);
    const [from, of] = before === undefined ? [FIRST_SHARE * 1000, 1000] : [before.position, before.stream.bytes];
    for (const framing of this.#framings) framing.position = linkedPosition(from, of, framing.stream.bytes);
    this.#draw();
    this.#settle();
  }

  #framing(made: { stream: ScrubberStream; reading: ScrubberReading; most: number; index: number }): Framing {
    const { stream, reading, most, index } = made;
    const row = new OverviewRow(stream, reading, most);
    const bytes = new ByteStreamView(stream, reading, this.#data.glyphs);
    row.slider.addEventListener('input', () => this.#move(index, Number(row.slider.value)));
    row.slider.addEventListener('focus', () => this.#activate(index));
    bytes.root.addEventListener('focus', () => this.#activate(index));
    followPointer(bytes, {
      moved: (position) => {
        this.#dragged = index;
        this.#move(index, position);
      },
      released: () => {
        this.#dragged = null;
      },
    });
    return { stream, reading, row, panel: new FramingPanel(stream, reading, bytes), position: 0 };
  }

  #position(): number {
    return this.#framings[this.#active]?.position ?? 0;
  }

  #activate(index: number): void {
    this.#active = index;
    for (const [i, { row, panel, reading }] of this.#framings.entries()) {
      const isActive = i === index;
      row.root.toggleAttribute('data-active', isActive);
      panel.root.toggleAttribute('data-active', isActive);
      if (isActive) setText(this.#controls.active, `in ${reading.protocol}`);
    }
    const tab = this.#panels.querySelectorAll<HTMLInputElement>('.scrub-tabs input')[index];
    if (tab !== undefined) tab.checked = true;
    this.#schedule();
  }

  #move(index: number, position: number): void {
    const moved = this.#framings[index];
    if (moved === undefined) return;
    if (index !== this.#active) this.#activate(index);
    const { bytes } = moved.stream;
    moved.position = Math.max(0, Math.min(bytes + 1, position));
    if (this.#controls.linked.checked) {
      for (const other of this.#framings) {
        if (other !== moved) other.position = linkedPosition(moved.position, bytes, other.stream.bytes);
      }
    }
    this.#schedule();
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => this.#settle(), SETTLED);
  }

  #toEvent(direction: 1 | -1): void {
    const framing = this.#framings[this.#active];
    if (framing === undefined) return;
    const { reading, stream, position } = framing;
    const events = [0, ...eventPositions(reading, stream.bytes)];
    const target =
      direction > 0 ? events.find((event) => event > position) : events.findLast((event) => event < position);
    if (target !== undefined) this.#move(this.#active, target);
  }

  #onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const index = this.#framings.findIndex(
      ({ row, panel }) => row.slider === event.target || panel.bytes.root === event.target,
    );
    const framing = this.#framings[index];
    if (framing === undefined) return;
    const isSlider = framing.row.slider === event.target;
    if (event.key === '[' || event.key === ']') this.#toEvent(event.key === ']' ? 1 : -1);
    else {
      const step = isSlider ? framing.row.pageStep(event.key) : arrowStep(event.key);
      if (step === null) return;
      this.#move(index, framing.position + step);
    }
    event.preventDefault();
  }

  /** Many moves in one frame are drawn once. */
  #schedule(): void {
    if (this.#hasFrame) return;
    this.#hasFrame = true;
    requestAnimationFrame(() => this.#draw());
  }

  #draw(): void {
    this.#hasFrame = false;
    for (const { stream, reading, row, panel, position } of this.#framings) {
      const words = wordsAt(stream, reading, position);
      row.show(position, words);
      panel.show(words);
      panel.bytes.show(position);
    }
    for (const [i, { panel }] of this.#framings.entries()) if (i !== this.#dragged) panel.bytes.reveal();
  }

  /** What costs more, or would be too much to hear at each move. */
  #settle(): void {
    for (const { panel, position } of this.#framings) panel.bytes.showExcerpt(position);
    const spoken = this.#framings.map(({ stream, reading, position }) => {
      const { pending, executable } = wordsAt(stream, reading, position);
      return `${reading.protocol}: ${executable} executable, ${pending} pending`;
    });
    setText(this.#live, `${spoken.join('; ')}.`);
  }
}

function arrowStep(key: string): number | null {
  return key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : null;
}
