/** The body of a request, up to a limit. */
import type { IncomingMessage } from 'node:http';
import { ApiError } from './api-error.ts';

/**
 * The bytes as UTF-8 text. Throws `ApiError` (413) as soon as they are more than `limit`. The caller reads on
 * (`resume`): a client that is still sending would else see a broken connection instead of the answer.
 */
export async function readBody(req: IncomingMessage, limit: number, signal: AbortSignal): Promise<string> {
  const announced = Number(req.headers['content-length'] ?? 0);
  const read = announced > limit ? { bytes: Buffer.alloc(0), size: announced } : await readUpTo(req, limit, signal);
  if (read.size <= limit) return read.bytes.toString('utf8');
  const message = `The request body is longer than ${limit} bytes`;
  throw new ApiError({ status: 413, message, code: 'request_too_large' });
}

/** Stops at the first piece that goes beyond the limit; `size` has it counted. */
async function readUpTo(req: IncomingMessage, limit: number, signal: AbortSignal) {
  const pieces: Buffer[] = [];
  let size = 0;
  const leave = (): void => void req.destroy();
  signal.addEventListener('abort', leave, { once: true });
  try {
    for await (const piece of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size > limit) break;
      pieces.push(piece);
    }
  } finally {
    signal.removeEventListener('abort', leave);
  }
  return { bytes: Buffer.concat(pieces), size };
}
