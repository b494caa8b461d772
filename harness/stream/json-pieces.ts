/**
 * A JSON object written from pieces that come with their paths (Gemini's `partialArgs`), as text that only grows: what was
 * written is never changed. Pieces that would need that (a place left and come back to, a value given twice, an index left
 * out) are refused.
 */
import { LONE_SURROGATE } from './surrogates.ts';

export type Steps = readonly (string | number)[];

/** What a piece says of its place: part of a string, or the source text of a whole value. */
export type Piece = { readonly string: string; readonly more: boolean } | { readonly source: string };

interface Container {
  readonly keys: Set<string | number>;
  readonly is: 'object' | 'array';
}

export class JsonPieces {
  /** The open containers, from the outermost; the place of the next is the step in `#path`. */
  readonly #open: Container[] = [];
  #path: Steps = [];
  /** A string is open at `#path`; a high surrogate of it may wait for its partner. */
  #string: { held: string } | null = null;

  get isEmpty(): boolean {
    return this.#open.length === 0;
  }

  /** The text that the piece adds, or null if it cannot be added. */
  add(path: Steps, piece: Piece): string | null {
    const continues = this.#string !== null;
    // Arguments are an object.
    if (typeof path[0] === 'number') return null;
    if (continues && !samePath(path, this.#path)) return null;
    if ('source' in piece) return continues ? null : this.#move(path, piece.source);
    const opened = continues ? '' : this.#move(path, '"');
    this.#string ??= { held: '' };
    const content = opened === null ? null : this.#characters(piece.string);
    if (opened === null || content === null) return null;
    if (piece.more) return opened + content;
    if (this.#string.held !== '') return null;
    this.#string = null;
    return `${opened}${content}"`;
  }

  /** The text that ends the object, or null if a string is still open. Nothing if no piece came. */
  close(): string | null {
    return this.#string === null ? this.#closeDownTo(0) : null;
  }

  #characters(text: string): string | null {
    const all = (this.#string?.held ?? '') + text;
    const last = all.charCodeAt(all.length - 1);
    const held = last >= 0xd800 && last <= 0xdbff ? all.slice(-1) : '';
    const whole = held === '' ? all : all.slice(0, -1);
    this.#string = { held };
    return LONE_SURROGATE.test(whole) ? null : JSON.stringify(whole).slice(1, -1);
  }

  /** Closes what the path leaves and opens what it enters, then the value. */
  #move(path: Steps, value: string): string | null {
    let depth = 0;
    while (depth < this.#open.length - 1 && depth < path.length - 1 && path[depth] === this.#path[depth]) depth++;
    let text = this.#open.length === 0 ? this.#enter(path[0]) : this.#closeDownTo(depth + 1);
    for (const [place, step] of path.entries()) {
      if (place < depth) continue;
      const before = this.#place(step);
      if (before === null) return null;
      text += before + (place === path.length - 1 ? value : this.#enter(path[place + 1]));
    }
    this.#path = path;
    return text;
  }

  #closeDownTo(depth: number): string {
    let text = '';
    while (this.#open.length > depth) text += this.#open.pop()?.is === 'object' ? '}' : ']';
    return text;
  }

  #enter(first: string | number | undefined): string {
    const is = typeof first === 'number' ? 'array' : 'object';
    this.#open.push({ keys: new Set(), is });
    return is === 'object' ? '{' : '[';
  }

  /** What stands before a new member or element of the innermost container, or null if there can be none. */
  #place(step: string | number): string | null {
    const inner = this.#open.at(-1);
    if (inner === undefined || inner.keys.has(step)) return null;
    if ((inner.is === 'array') !== (typeof step === 'number')) return null;
    if (typeof step === 'number' && step !== inner.keys.size) return null;
    const comma = inner.keys.size === 0 ? '' : ',';
    inner.keys.add(step);
    return typeof step === 'number' ? comma : `${comma}${JSON.stringify(step)}:`;
  }
}

function samePath(a: Steps, b: Steps): boolean {
  return a.length === b.length && a.every((step, i) => step === b[i]);
}
