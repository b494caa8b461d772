/**
 * Pieces on their way to a thread, those of one turn of the event loop together: a message for each costs more than the
 * piece, and its memory is mostly a large part of what was read from the socket, all of which would be copied with it.
 */

/** Pieces as one: where each ends in `bytes`, and when it came. */
export interface Batch {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly pieces: readonly { readonly end: number; readonly ms: number }[];
}

export class PieceBatch {
  readonly #send: (batch: Batch) => void;
  /** Bytes that may still come. The piece that goes beyond is handed on, so that the other side knows of it; no more are. */
  #room: number;
  #waiting: { readonly piece: Uint8Array; readonly ms: number }[] = [];

  constructor(limit: number, send: (batch: Batch) => void) {
    this.#room = limit;
    this.#send = send;
  }

  add(piece: Uint8Array, ms: number): void {
    if (this.#room < 0) return;
    this.#room -= piece.length;
    if (this.#waiting.length === 0) setImmediate(() => this.flush());
    // A socket is read into new memory each time: the piece stays what it is until then.
    this.#waiting.push({ piece, ms });
  }

  flush(): void {
    if (this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    const bytes = new Uint8Array(waiting.reduce((sum, { piece }) => sum + piece.length, 0));
    let end = 0;
    const pieces = waiting.map(({ piece, ms }) => {
      bytes.set(piece, end);
      end += piece.length;
      return { end, ms };
    });
    this.#send({ bytes, pieces });
  }
}
