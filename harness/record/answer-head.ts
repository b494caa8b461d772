/** What the head of an answer says of its body; `cst record` and `cst proxy` go by the same rule. */
import type { IncomingHttpHeaders } from 'node:http';
import { beginsAsEventStream } from './content-encoding.ts';

/** Most bytes of the head of an answer or a request: Node's own limit is 16 KiB, and agents send more in cookies and tokens. */
export const MOST_HEADERS = 256 * 1024;

/** `perhaps`: the type says nothing, and the first bytes of the body decide. */
export type SaidBody = 'stream' | 'perhaps' | 'other';

/** Types that say nothing of a body: servers put them on what they know no type of. */
const SILENT_TYPES: ReadonlySet<string> = new Set(['', 'text/plain', 'application/octet-stream']);

/** In lower case, with its parameters; empty if there is none. */
export function contentType(headers: IncomingHttpHeaders): string {
  return String(headers['content-type'] ?? '').toLowerCase();
}

export function saidBody(headers: IncomingHttpHeaders): SaidBody {
  const type = (contentType(headers).split(';', 1)[0] ?? '').trim();
  if (type === 'text/event-stream') return 'stream';
  return SILENT_TYPES.has(type) ? 'perhaps' : 'other';
}

/** Whether an answer with this head and body (decoded) is an event stream. */
export function isEventStream(headers: IncomingHttpHeaders, bytes: Uint8Array): boolean {
  const said = saidBody(headers);
  return said === 'stream' || (said === 'perhaps' && beginsAsEventStream(bytes));
}
