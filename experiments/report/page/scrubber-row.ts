/** The overview of one framing: pending along the stream as a curve, marks where something happens, and the slider over it. */
import { eventPositions, mostPending, pendingAt } from '../scrubber-reading.ts';
import type { ScrubberReading, ScrubberStream } from '../scrubber-types.ts';
import { hasFailed, spokenWords, streamWords, thousands, type Words } from '../scrubber-words.ts';
import { element, setText, svgElement } from './scrubber-dom.ts';

/** Height of the curve, in units of its own. */
const HEIGHT = 100;
/** Share of the stream that PageUp and PageDown move by. */
const PAGE = 0.05;

export class OverviewRow {
  readonly root: HTMLElement;
  readonly slider: HTMLInputElement;

  readonly #reading: ScrubberReading;
  readonly #last: number;
  readonly #shade = svgElement('rect', { class: 'scrub-shade', y: 0, height: HEIGHT });
  readonly #pending = element('span', { class: 'scrub-fact' });
  readonly #calls = element('span', { class: 'scrub-fact' });
  readonly #error = element('span', { class: 'scrub-fact scrub-wrong' });

  /** `scale`: pending bytes that the full height stands for, the same in all framings of a task. */
  constructor(stream: ScrubberStream, reading: ScrubberReading, scale: number) {
    this.#reading = reading;
    this.#last = stream.bytes + 1;
    this.slider = element('input', {
      type: 'range',
      min: '0',
      max: String(this.#last),
      step: '1',
      'aria-label': `Cursor in ${reading.protocol}`,
    });
    const words = streamWords(stream, reading, mostPending(reading, stream.bytes));
    const picture = svgElement('svg', {
      viewBox: `0 0 ${this.#last} ${HEIGHT}`,
      preserveAspectRatio: 'none',
      role: 'img',
      'aria-label': words,
    });
    picture.append(svgElement('path', { class: 'scrub-curve', d: this.#curve(scale) }), this.#shade);
    const strip = element('div', { class: 'scrub-strip' }, [picture, ...this.#marks(stream.bytes), this.slider]);
    this.root = element('div', { class: 'scrub-row' }, [
      element('span', { class: 'scrub-name' }, [reading.protocol]),
      strip,
      element('span', { class: 'scrub-facts' }, [this.#calls, this.#pending, this.#error]),
    ]);
  }

  show(position: number, words: Words): void {
    this.slider.value = String(position);
    this.slider.setAttribute('aria-valuetext', spokenWords(words, this.#reading, position));
    this.#shade.setAttribute('x', String(position));
    this.#shade.setAttribute('width', String(this.#last - position));
    setText(this.#pending, `${thousands(pendingAt(this.#reading, position))} B pending`);
    setText(this.#calls, `${words.executable} ${this.#reading.runs.length === 0 ? 'runs' : 'run'}`);
    setText(this.#error, hasFailed(this.#reading, position) ? `✕ ${this.#reading.error?.kind}` : '');
    this.root.dataset['failed'] = String(hasFailed(this.#reading, position));
  }

  /** How far a key moves the cursor, in bytes; null for a key that has no meaning of its own here. */
  pageStep(key: string): number | null {
    const step = Math.max(1, Math.round(this.#last * PAGE));
    return key === 'PageUp' ? step : key === 'PageDown' ? -step : null;
  }

  /** An outline from ramp to ramp; something that is pending is never drawn as nothing. */
  #curve(scale: number): string {
    const height = (bytes: number): number =>
      bytes === 0 ? HEIGHT : HEIGHT - Math.max(3, (bytes / Math.max(1, scale)) * (HEIGHT - 4));
    const points = this.#reading.pending.flatMap(([from, value, slope], i, all) => {
      const to = all[i + 1]?.[0] ?? this.#last;
      return [
        [from, height(value)],
        [to, height(value + slope * Math.max(0, to - from - 1))],
      ];
    });
    const outline = points.map(([x, y]) => `${x} ${(y ?? 0).toFixed(1)}`).join('L');
    return `M0 ${HEIGHT}L${outline}L${this.#last} ${HEIGHT}Z`;
  }

  #marks(bytes: number): HTMLElement[] {
    return eventPositions(this.#reading, bytes).flatMap((at) => {
      const made: HTMLElement[] = [];
      if (this.#reading.runs.some(({ from }) => from === at)) made.push(this.#mark(at, '▲', 'run'));
      if (this.#reading.error?.from === at) made.push(this.#mark(at, '✕', 'error'));
      return made;
    });
  }

  #mark(at: number, sign: string, kind: string): HTMLElement {
    const mark = element('span', { class: 'scrub-mark', 'data-kind': kind, 'aria-hidden': 'true' }, [sign]);
    mark.style.setProperty('--at', String(at / this.#last));
    return mark;
  }
}
