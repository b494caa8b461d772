/** Does the input look like SSE at all? It does if one line begins with `data:`. */
const DATA = Buffer.from('data:');
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const LF = 0x0a;
const CR = 0x0d;

export class DataLineWatch {
  seen = false;
  /** Bytes of DATA that have matched since the line began; -1 where this line is another. */
  #matched = 0;
  #position = 0;

  push(bytes: Uint8Array): void {
    for (let i = 0; i < bytes.length && !this.seen; i++) this.#byte(bytes[i] ?? 0);
  }

  #byte(byte: number): void {
    const at = this.#position++;
    if (at < BOM.length && this.#matched === 0 && byte === BOM[at]) return;
    if (byte === LF || byte === CR) this.#matched = 0;
    else if (this.#matched !== -1) this.#matched = byte === DATA[this.#matched] ? this.#matched + 1 : -1;
    this.seen = this.#matched === DATA.length;
  }
}
