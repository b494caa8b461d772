/** Which protocol reads a source of which nothing is known: a pass over it, before it is parsed. */
import type { Protocol } from '../parsers/protocols.ts';
import { guessFraming } from '../replay/guess.ts';
import type { Framing } from '../replay/recording.ts';
import type { StreamEvent } from '../stream/event.ts';
import type { Source } from './source.ts';
import { type EventOptions, readEvents } from './stream-events.ts';

/** Text that is looked at, in bytes: the first call decides. */
const MOST_TEXT = 8 * 1024 * 1024;

/** The one protocol that a guessed framing is read with, where one is wanted. */
export const FIRST_READER: Record<Framing, Protocol> = {
  ctl: 'ctl',
  'ctl-heredoc': 'ctl-heredoc',
  xml: 'xml',
  native: 'json-whole',
};

export async function guessProtocol(source: Source, options: Omit<EventOptions, 'prefix'>): Promise<Protocol> {
  const seen: StreamEvent[] = [];
  let room = MOST_TEXT;
  let isNative = false;
  await readEvents(source, options, (event) => {
    if (event.type === 'tool-delta' || event.type === 'refused-delta') isNative = true;
    if (event.type !== 'text' || isNative || room === 0) return;
    const bytes = Uint8Array.from(event.bytes.subarray(0, room));
    room -= bytes.length;
    seen.push({ ...event, bytes });
  });
  return isNative ? FIRST_READER.native : FIRST_READER[guessFraming(seen)];
}
