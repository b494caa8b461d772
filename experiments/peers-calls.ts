/** The native calls of a stream as a JSON library gets to see them: the text of the arguments, a character at a time. */
import { StringDecoder } from 'node:string_decoder';
import { contentLength, type StreamEvent } from '../harness/stream/event.ts';

/** A piece of a call's arguments; `delivered`: content bytes of the stream up to its end. */
export interface Piece {
  readonly text: string;
  readonly delivered: number;
}

export interface PeerCall {
  readonly ordinal: number;
  readonly id: string;
  /** Null: none came. Then nobody can run it. */
  readonly name: string | null;
  /** Content bytes of the stream when the name had come. */
  readonly namedAt: number;
  readonly pieces: readonly Piece[];
}

/** `character`: as any re-chunking could cut. `delta`: as recorded. */
export type Step = 'character' | 'delta';

interface Draft {
  readonly ordinal: number;
  id: string | undefined;
  name: string | null;
  namedAt: number;
  readonly pieces: Piece[];
  readonly decoder: StringDecoder;
}

/** The calls in order of ordinal, but for those whose argument is free text. What is refused, and what comes after a failure, no library sees. */
export function peerCalls(events: readonly StreamEvent[], step: Step): readonly PeerCall[] {
  const drafts = new Map<number, Draft>();
  const free = new Set<number>();
  let delivered = 0;
  for (const event of events) {
    if (event.type === 'tool-delta' && event.input === 'text') free.add(event.call);
    if (event.type === 'tool-delta' && !free.has(event.call)) {
      const draft = drafts.get(event.call) ?? newDraft(event.call);
      drafts.set(event.call, draft);
      draft.id ??= event.id;
      if (event.name !== undefined && draft.name === null) {
        draft.name = event.name;
        draft.namedAt = delivered;
      }
      const size = step === 'delta' ? event.bytes.length : 1;
      for (let from = 0; from < event.bytes.length; from += size) {
        const text = draft.decoder.write(Buffer.from(event.bytes.subarray(from, from + size)));
        if (text !== '') draft.pieces.push({ text, delivered: delivered + Math.min(event.bytes.length, from + size) });
      }
    }
    delivered += contentLength(event);
  }
  return [...drafts.values()]
    .sort((a, b) => a.ordinal - b.ordinal)
    .map(({ decoder: _, id, ...draft }) => ({ ...draft, id: id ?? `call_${draft.ordinal}` }));
}

function newDraft(ordinal: number): Draft {
  return { ordinal, id: undefined, name: null, namedAt: 0, pieces: [], decoder: new StringDecoder('utf8') };
}
