/** Runs an xml call at its `</invoke>`: a value may hold the closing sequence, and a message may be refused later. Breaks S1. */
import type { ToolCall } from '../parsers/parser.ts';
import { XmlParser } from '../parsers/xml.ts';

export class XmlPerInvoke extends XmlParser {
  protected override callClosed(call: Omit<ToolCall, 'end'>, at: number): void {
    this.calls.push({ ...call, end: at });
  }
}
