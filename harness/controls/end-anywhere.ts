/** A CTL reader that takes `end` without its LF: breaks S1 on `endless`. */
import { CtlParser } from '../parsers/ctl.ts';
import { contentLength, type StreamEvent } from '../stream/event.ts';

export class EndAnywhere extends CtlParser {
  #received = 0;

  override push(event: StreamEvent, from = 0, to = contentLength(event)): void {
    if (event.type !== 'text') return super.push(event, from, to);
    for (let i = from; i < to; i++) {
      super.push(event, i, i + 1);
      if (this.frameLine === 'end') this.execute(this.#received);
      this.#received++;
    }
  }
}
