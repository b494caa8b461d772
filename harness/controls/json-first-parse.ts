/** Runs a call as soon as its accumulated arguments parse: breaks S1 and S2 on `{}` with more to come. */
import { JsonObjectParser } from '../parsers/json-object.ts';
import type { NativeCall } from '../parsers/native-call.ts';

export class JsonFirstParse extends JsonObjectParser {
  protected override progressed(call: NativeCall, at: number): void {
    if (call.object !== null && !call.ran && call.name !== undefined) this.run(call, at);
  }
}
