/** For the irrevocability tests: which calls may run of the first bytes of a stream, by the oracle and the stop rule. */

import type { OracleCall } from '../oracles/oracle.ts';
import { ORACLES } from '../oracles/oracles.ts';
import { DEFAULT_OPTIONS } from '../parsers/parser.ts';
import type { StreamEvent } from '../stream/event.ts';
import { readStream } from '../stream/reader.ts';
import { type AgentProtocol, PROTOCOL_RULES } from './protocol.ts';

export interface Allowed {
  /** In order of ordinal. */
  readonly calls: readonly OracleCall[];
  /** All the text of the message. */
  readonly text: string;
  /** Text up to the end of the last call; null where the protocol keeps more, or there is no call. */
  readonly kept: string | null;
}

/** @param bytes all that arrives of a response body */
export function allowedCalls(protocol: AgentProtocol, bytes: Uint8Array): Allowed {
  const { parser, stopsAtText } = PROTOCOL_RULES[protocol];
  const { events, end } = readStream(bytes, 'openai-chat');
  const content = contentOf(events);
  const calls = [...ORACLES[parser](events, end, DEFAULT_OPTIONS).calls].sort((a, b) => a.ordinal - b.ordinal);
  const text = content.toString('latin1').replaceAll(NO_TEXT, '');
  if (!stopsAtText) return { calls, text: utf8(text), kept: null };
  const running = beforeImaginedResult(calls, content.toString('latin1').replaceAll(NO_TEXT, ' '));
  const last = running.at(-1);
  const kept = last === undefined ? null : content.toString('latin1', 0, last.end + 1).replaceAll(NO_TEXT, '');
  return { calls: running, text: utf8(text), kept: kept === null ? null : utf8(kept) };
}

/** Stands for an argument byte of a tool delta: it counts in content offsets and is no text. No text has it: it is no UTF-8. */
const NO_TEXT = '\xff';

function contentOf(events: readonly StreamEvent[]): Buffer {
  return Buffer.concat(
    events.map((event) => {
      if (event.type === 'text') return event.bytes;
      return event.type === 'tool-delta' ? Buffer.alloc(event.bytes.length, NO_TEXT, 'latin1') : Buffer.alloc(0);
    }),
  );
}

function utf8(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('utf8');
}

/** The calls up to the first that anything but blanks and the next call follows. */
function beforeImaginedResult(calls: readonly OracleCall[], content: string): readonly OracleCall[] {
  const stop = calls.findIndex(({ end }) => !/^(?:[ \t\r\n]*\n)?call /.test(content.slice(end + 1)));
  return stop === -1 ? calls : calls.slice(0, stop + 1);
}
