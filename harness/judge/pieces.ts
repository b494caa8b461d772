/** An event re-cut, as a provider could have sent it: foreign parsers are not asked to know of `from` and `to`. */
import { contentLength, type StreamEvent } from '../stream/event.ts';

/**
 * The bytes `[from, to)` of the event as an event of their own. Id, name and what else is said of a call stand on the
 * first piece, half a character behind the last.
 */
export function pieceOf(event: StreamEvent, from = 0, to = contentLength(event)): StreamEvent {
  if (!('bytes' in event) || event.type === 'reasoning' || (from === 0 && to === event.bytes.length)) return event;
  const bytes = event.bytes.subarray(from, to);
  if (event.type === 'text') return { ...event, bytes };
  const { half, ...opening } = event;
  const last = half === true && to === event.bytes.length ? { half } : {};
  if (from === 0) return { ...opening, bytes, ...last };
  const { type, at, call } = event;
  return { type, at, call, bytes, ...last };
}

/** The largest byte that begins a UTF-8 sequence. */
const LAST_LEAD = 0xf4;

/** How many of the bytes are whole UTF-8 characters: those of a sequence that has only begun are not. */
export function wholeCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte > LAST_LEAD ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
