/** Which protocol reads a source of which nothing is known: a pass over it, before it is parsed. */
import type { Protocol } from '../parsers/protocols.ts';
import { guessFraming } from '../replay/guess.ts';
import type { Framing } from '../replay/recording.ts';
import type { Source } from './source.ts';
import { type EventOptions, readEvents } from './stream-events.ts';
import { TellingLines } from './telling-lines.ts';

/** The one protocol that a guessed framing is read with, where one is wanted. */
export const FIRST_READER: Record<Framing, Protocol> = {
  ctl: 'ctl',
  'ctl-heredoc': 'ctl-heredoc',
  xml: 'xml',
  native: 'json-whole',
  hermes: 'hermes',
  'qwen-xml': 'qwen-xml',
  glm: 'glm',
  deepseek: 'deepseek',
  kimi: 'kimi',
  harmony: 'harmony',
};

export async function guessProtocol(source: Source, options: Omit<EventOptions, 'prefix'>): Promise<Protocol> {
  const lines = new TellingLines();
  let isNative = false;
  await readEvents(source, options, (event) => {
    if (event.type === 'tool-delta' || event.type === 'refused-delta') isNative = true;
    else if (event.type === 'text' && !isNative) lines.push(event.bytes);
  });
  if (isNative) return FIRST_READER.native;
  return FIRST_READER[guessFraming([{ type: 'text', at: 0, bytes: Buffer.from(lines.text()) }])];
}
