/** Output of any length in bounded memory: its head and its tail, and how many bytes lay between. */
import type { ToolOutcome } from '../tool.ts';

const LF = 0x0a;

export class BoundedOutput {
  private readonly head: Buffer;
  private headLength = 0;
  /** A ring: `next` is where the oldest byte stands once it is full. */
  private readonly ring: Buffer;
  private next = 0;
  private afterHead = 0;
  private last = LF;

  /** @param keep bytes that are kept of the head, and as many of the tail; at least 1 */
  constructor(keep: number) {
    this.head = Buffer.alloc(keep);
    this.ring = Buffer.alloc(keep);
  }

  /** The bytes are copied. */
  push(bytes: Uint8Array): void {
    const forHead = bytes.subarray(0, this.head.length - this.headLength);
    this.head.set(forHead, this.headLength);
    this.headLength += forHead.length;
    this.pushTail(bytes.subarray(forHead.length));
    this.last = bytes.at(-1) ?? this.last;
  }

  /** A remark of the runtime's own, on a line of its own. */
  pushLine(line: string): void {
    this.push(Buffer.from(`${this.last === LF ? '' : '\n'}${line}\n`));
  }

  /** What was kept, and what was not. */
  take(): Pick<ToolOutcome, 'output' | 'omitted'> {
    const head = this.head.subarray(0, this.headLength);
    const lost = this.afterHead - this.ring.length;
    if (lost <= 0) return { output: Buffer.concat([head, this.ring.subarray(0, this.afterHead)]) };
    const output = Buffer.concat([head, this.ring.subarray(this.next), this.ring.subarray(0, this.next)]);
    return { output, omitted: { at: head.length, bytes: lost } };
  }

  private pushTail(bytes: Uint8Array): void {
    this.afterHead += bytes.length;
    const kept = bytes.subarray(Math.max(0, bytes.length - this.ring.length));
    const beforeWrap = kept.subarray(0, this.ring.length - this.next);
    this.ring.set(beforeWrap, this.next);
    this.ring.set(kept.subarray(beforeWrap.length), 0);
    this.next = (this.next + kept.length) % this.ring.length;
  }
}
