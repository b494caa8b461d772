/** Event streams of a wanted size, as an OpenAI-compatible server would send them. */

import type { Protocol } from '../../harness/parsers/protocols.ts';
import { byteChunks } from '../../harness/replay/chunking.ts';
import { chatStream, DONE_EVENT, sseEvent } from '../../harness/replay/envelope.ts';
import { messageOf } from './framings.ts';
import { sourceCode } from './source-code.ts';

/** Bytes of content in one delta: a few tokens. */
const DELTA = 24;
/** An event of such a delta is about so many bytes long: where the search for the right size begins. */
const EVENT_BYTES = 180;

/** A complete stream with one call, not longer than `size` bytes and as long as whole deltas allow. */
export function callStream(protocol: Protocol, size: number): Uint8Array {
  let bytes = streamOf(protocol, Math.max(DELTA, Math.floor((size / EVENT_BYTES) * DELTA)));
  let valueBytes = Math.floor((size / EVENT_BYTES) * DELTA);
  while (bytes.length > size && valueBytes > DELTA) {
    valueBytes -= Math.max(DELTA, Math.floor(((bytes.length - size) / EVENT_BYTES) * DELTA));
    bytes = streamOf(protocol, Math.max(DELTA, valueBytes));
  }
  return bytes;
}

function streamOf(protocol: Protocol, valueBytes: number): Uint8Array {
  const message = messageOf(protocol, sourceCode(valueBytes));
  const pieces = byteChunks(message, DELTA);
  const native = protocol === 'json-whole' || protocol === 'json-object';
  return chatStream({
    id: 'bench',
    model: 'bench',
    parts: [native ? { type: 'call', id: 'c1', name: 'write_file', pieces } : { type: 'text', pieces }],
    finish: native ? 'tool_calls' : 'stop',
    usage: { promptTokens: 0, completionTokens: 0 },
  });
}

/** One event whose only line is about `size` bytes long, and `[DONE]`. */
export function oneLineStream(size: number): Uint8Array {
  return Buffer.from(sseEvent(JSON.stringify({ content: sourceCode(size) })) + DONE_EVENT);
}
