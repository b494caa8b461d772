/** One stream as bytes: each in the state that it is in at the cursor, the cursor between them, what is to come dimmed. */
import { segmentState, stateRanges } from '../scrubber-reading.ts';
import type { ByteState, ScrubberReading, ScrubberStream, Segment } from '../scrubber-types.ts';
import { element } from './scrubber-dom.ts';
import { StreamGlyphs } from './scrubber-text.ts';

const LF = 0x0a;
/** Bytes before and behind the cursor in the excerpt. */
const BEFORE = 360;
const BEHIND = 120;
/** Lines of text between the cursor and the edge of the view, at least. */
const MARGIN_LINES = 3;
const LINE_HEIGHT = 18;

type ShownState = ByteState | 'future';

/** Bytes within one segment and one line. */
interface Piece {
  readonly from: number;
  readonly to: number;
  readonly segment: Segment;
  readonly segmentTo: number;
  readonly span: HTMLElement;
  readonly node: Text;
  state: ShownState;
}

/** The cursor, and what stands around it where it divides a piece: pieces are divided nowhere else. */
class Cut {
  readonly bar = element('i', { class: 'scrub-cut' });
  /** Bytes of a character that the cursor divides. */
  readonly headHalf = element('span', { class: 'scrub-half' });
  readonly tailHalf = element('span', { class: 'scrub-half', 'data-state': 'future' });
  readonly tail = document.createTextNode('');
  readonly tailSpan = element('span', { 'data-state': 'future' }, [this.tail]);
  /** Byte at which `tail` begins. */
  tailFrom = 0;
  piece: Piece | null = null;

  fill(state: ShownState, head: string, rest: string): void {
    this.headHalf.dataset['state'] = state;
    this.headHalf.textContent = head;
    this.tailHalf.textContent = rest;
  }
}

export class ByteStreamView {
  readonly root: HTMLElement;
  /** What is printed: the bytes around the cursor. */
  readonly excerpt = element('div', { class: 'scrub-excerpt scrub-text', 'aria-hidden': 'true' });

  readonly #stream: ScrubberStream;
  readonly #reading: ScrubberReading;
  readonly #glyphs: StreamGlyphs;
  readonly #pieces: Piece[] = [];
  readonly #pieceOf = new Map<Node, Piece>();
  readonly #chips: { readonly from: number; readonly chip: HTMLElement }[] = [];
  readonly #tailLine = element('div', { class: 'scrub-line scrub-tail' });
  readonly #cut = new Cut();

  constructor(stream: ScrubberStream, reading: ScrubberReading, drawnAs: { readonly [character: string]: string }) {
    this.#stream = stream;
    this.#reading = reading;
    const starts = new Set([
      ...reading.segments.map(([from]) => from ?? 0),
      ...stream.marks.map(({ offset }) => offset),
    ]);
    this.#glyphs = new StreamGlyphs(stream.text, drawnAs, starts);
    const label = `Bytes of ${reading.protocol}; click, drag or press the left and right arrow keys to move the cursor`;
    this.root = element('div', { class: 'scrub-bytes scrub-text', tabindex: '0', role: 'group', 'aria-label': label });
    this.#build(starts);
  }

  /** Only writes to the document. */
  show(position: number): void {
    const arrived = Math.min(position, this.#stream.bytes);
    for (const piece of this.#pieces)
      setState(piece, arrived > piece.from ? segmentState(piece.segment, piece.segmentTo, position) : 'future');
    for (const { from, chip } of this.#chips) chip.dataset['state'] = from <= position ? 'come' : 'future';
    this.#showCut(arrived);
    if (arrived === this.#stream.bytes) this.#showCutBehind(position);
  }

  /** Reads the layout: call it when all writing is done. */
  reveal(): void {
    const { root } = this;
    const top = this.#cut.bar.getBoundingClientRect().top - root.getBoundingClientRect().top + root.scrollTop;
    const margin = MARGIN_LINES * LINE_HEIGHT;
    const isSeen = top >= root.scrollTop + margin && top <= root.scrollTop + root.clientHeight - margin;
    if (!isSeen) root.scrollTop = top - root.clientHeight / 2;
  }

  /** Redraws the excerpt for print. */
  showExcerpt(position: number): void {
    const { bytes } = this.#stream;
    const glyphs = this.#glyphs;
    const arrived = Math.min(position, bytes);
    const first = glyphs.offsetOf(glyphs.indexAt(Math.max(0, arrived - BEFORE)));
    const last = glyphs.offsetOf(glyphs.indexAt(Math.min(bytes, arrived + BEHIND)));
    const parts: Node[] = stateRanges(this.#reading, bytes, position).flatMap(({ from, to, state }) => {
      const text = glyphs.between(Math.max(from, first), Math.max(Math.min(to, last), Math.max(from, first)));
      const span = element('span', { 'data-state': state ?? 'future' }, [text]);
      return state === null ? [element('i', { class: 'scrub-cut' }), span] : [span];
    });
    if (arrived === bytes) parts.push(element('i', { class: 'scrub-cut' }));
    this.excerpt.replaceChildren(first > 0 ? '… ' : '', ...parts, last < bytes ? ' …' : '');
  }

  /** The prefix that ends nearest to a point of the viewport; null where there is no text near. */
  positionAt(x: number, y: number): number | null {
    const caret = caretAt(x, y);
    if (caret === null) return null;
    const { node, offset } = caret;
    if (node === this.#cut.tail) return this.#glyphs.offsetAtUnit(this.#glyphs.unitAt(this.#cut.tailFrom) + offset);
    const piece = this.#pieceOf.get(node);
    if (piece !== undefined) return this.#glyphs.offsetAtUnit(this.#glyphs.unitAt(piece.from) + offset);
    return this.#chips.find(({ chip }) => chip.contains(node))?.from ?? null;
  }

  #build(starts: ReadonlySet<number>): void {
    const { marks, bytes, end } = this.#stream;
    const waiting = marks.filter(({ offset }) => offset < bytes);
    let line: HTMLElement | null = null;
    for (const piece of this.#cutUp(starts)) {
      for (; waiting[0] !== undefined && waiting[0].offset <= piece.from; waiting.shift()) {
        this.root.append(element('div', { class: 'scrub-line' }, [this.#chip(waiting[0])]));
        line = null;
      }
      if (line === null) {
        line = element('div', { class: 'scrub-line' });
        this.root.append(line);
      }
      line.append(piece.span);
      if (this.#glyphs.bytes[piece.to - 1] === LF) line = null;
    }
    const last = [
      ...marks.filter(({ offset }) => offset >= bytes),
      { from: bytes + 1, label: `end of the stream (${end})` },
    ];
    this.#tailLine.append(...last.map((mark) => this.#chip(mark)));
    this.root.append(this.#tailLine);
  }

  #chip({ from, label }: { readonly from: number; readonly label: string }): HTMLElement {
    const chip = element('span', { class: 'scrub-chip' }, [label]);
    this.#chips.push({ from, chip });
    return chip;
  }

  *#cutUp(starts: ReadonlySet<number>): Generator<Piece> {
    const { segments } = this.#reading;
    const { bytes } = this.#glyphs;
    for (const [i, segment] of segments.entries()) {
      const segmentTo = segments[i + 1]?.[0] ?? bytes.length;
      for (let from = segment[0] ?? 0; from < segmentTo; ) {
        let to = from + 1;
        while (to < segmentTo && bytes[to - 1] !== LF && !starts.has(to)) to++;
        const node = document.createTextNode(this.#glyphs.between(from, to));
        const span = element('span', { 'data-state': 'future' }, [node]);
        const piece: Piece = { from, to, segment, segmentTo, span, node, state: 'future' };
        this.#pieces.push(piece);
        this.#pieceOf.set(node, piece);
        yield piece;
        from = to;
      }
    }
  }

  #showCut(arrived: number): void {
    const cut = this.#cut;
    const piece = this.#pieces.find(({ to }) => to > arrived) ?? null;
    if (cut.piece !== null && cut.piece !== piece)
      cut.piece.node.data = this.#glyphs.between(cut.piece.from, cut.piece.to);
    if (piece !== null) {
      if (cut.piece !== piece) piece.span.after(cut.headHalf, cut.bar, cut.tailHalf, cut.tailSpan);
      this.#divide(piece, arrived);
    }
    cut.piece = piece;
  }

  /** All bytes have come: the cursor stands between what the stream says at its end. */
  #showCutBehind(position: number): void {
    const cut = this.#cut;
    for (const part of [cut.headHalf, cut.tailHalf, cut.tailSpan]) part.remove();
    const next = this.#chips.find(({ from, chip }) => from > position && chip.parentNode === this.#tailLine);
    this.#tailLine.insertBefore(cut.bar, next?.chip ?? null);
  }

  #divide(piece: Piece, arrived: number): void {
    const cut = this.#cut;
    const glyphs = this.#glyphs;
    const at = glyphs.indexAt(arrived);
    const from = glyphs.offsetOf(at);
    const isInside = from < arrived;
    cut.tailFrom = isInside ? glyphs.offsetOf(at + 1) : from;
    piece.node.data = glyphs.between(piece.from, from);
    cut.tail.data = glyphs.between(cut.tailFrom, piece.to);
    if (isInside) cut.fill(piece.state, glyphs.hex(from, arrived), glyphs.hex(arrived, cut.tailFrom));
    else if (cut.headHalf.textContent !== '') cut.fill('future', '', '');
  }
}

function setState(piece: Piece, state: ShownState): void {
  if (piece.state === state) return;
  piece.state = state;
  piece.span.dataset['state'] = state;
}

function caretAt(x: number, y: number): { node: Node; offset: number } | null {
  if (typeof document.caretPositionFromPoint === 'function') {
    const position = document.caretPositionFromPoint(x, y);
    return position === null ? null : { node: position.offsetNode, offset: position.offset };
  }
  // Safari before 18.4 knows only this one.
  const range = document.caretRangeFromPoint(x, y);
  return range === null ? null : { node: range.startContainer, offset: range.startOffset };
}
