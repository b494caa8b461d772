/**
 * Runs a call as soon as its partial arguments, repaired, are an object with a member: breaks S1 and S2 on everything
 * that is streamed. What the "partial JSON" libraries are used for.
 */
import { JsonObjectParser } from '../parsers/json-object.ts';
import type { NativeCall } from '../parsers/native-call.ts';
import type { JsonObject } from '../parsers/parser.ts';

export class JsonRepair extends JsonObjectParser {
  protected override get looksAtEveryByte(): boolean {
    return true;
  }

  protected override progressed(call: NativeCall, at: number): void {
    if (call.ran || call.bad || call.name === undefined) return;
    const object = call.object ?? repair(call.text);
    if (object === null || Object.keys(object).length === 0) return;
    this.runWith(call, { form: 'json', text: JSON.stringify(object), object }, at);
  }
}

/** The object that `text` would be if its open strings and brackets were closed here; null if there is none. */
export function repair(text: string): JsonObject | null {
  const closers: string[] = [];
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (inString) {
      if (char === '\\') i++;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '{') closers.push('}');
    else if (char === '[') closers.push(']');
    else if (char === '}' || char === ']') closers.pop();
  }
  const closed = text.replace(/\\$/, '') + (inString ? '"' : '') + closers.reverse().join('');
  try {
    const value: unknown = JSON.parse(closed);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
  } catch {
    return null;
  }
}
