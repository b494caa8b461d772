/** For tests: a server that streams known bytes, and a client that reads them. */
import http, { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const chunk = (content: string): string =>
  JSON.stringify({
    ...{ id: 'chatcmpl-1', object: 'chat.completion.chunk', model: 'served-model' },
    choices: [{ index: 0, delta: { content } }],
  });

/** An answer with what text formats lose: blanks at line ends, tabs, characters of every width, other line ends. */
export function answerOf(eol: string): Buffer {
  const pieces = ['Hello', '  two  blanks ', 'wörld 語😀', `tab\t, 'quotes' and #: ${'long '.repeat(60)}`, ' end '];
  const payloads = [...pieces.map(chunk), '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}  ', '[DONE]'];
  return Buffer.from(`: comment${eol}${eol}${payloads.map((payload) => `data: ${payload}${eol}${eol}`).join('')}`);
}

interface Served {
  readonly body: Buffer;
  readonly encoding?: 'gzip' | 'br';
  /** The content type says no charset, as not all servers do: an event stream is always UTF-8. */
  readonly bare?: true;
}

export const ANSWERS: { readonly [path: string]: Served } = {
  '/plain': { body: answerOf('\n') },
  '/bare': { body: Buffer.concat([answerOf('\n'), Buffer.from(': bare\n\n')]), bare: true },
  '/crlf': { body: answerOf('\r\n') },
  '/gzip': { body: Buffer.concat([answerOf('\n'), Buffer.from(': gzip\n\n')]), encoding: 'gzip' },
  '/br': { body: Buffer.concat([answerOf('\n'), Buffer.from(': br\n\n')]), encoding: 'br' },
};

export const REQUEST = { model: 'asked-model', stream: true, messages: [{ role: 'user', content: 'hällo' }] };

/** Serves {@link ANSWERS} under `<path>/chat/completions`, in small pieces; all else is a JSON document, or a 429. */
export async function startAnswerServer(
  page = '',
): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const server = createServer((incoming, response) => {
    incoming.resume();
    const answer = ANSWERS[(incoming.url ?? '').replace('/chat/completions', '')];
    if (answer !== undefined) {
      const encode = answer.encoding === 'gzip' ? gzipSync : brotliCompressSync;
      const bytes = answer.encoding === undefined ? answer.body : encode(answer.body);
      response.writeHead(200, {
        'content-type': `text/event-stream${answer.bare === true ? '' : '; charset=utf-8'}`,
        ...(answer.encoding === undefined ? {} : { 'content-encoding': answer.encoding }),
      });
      for (let at = 0; at < bytes.length; at += 97) response.write(bytes.subarray(at, at + 97));
      response.end();
    } else if (incoming.url === '/page') response.writeHead(200, { 'content-type': 'text/html' }).end(page);
    else if (incoming.url === '/busy')
      response.writeHead(429, { 'content-type': 'application/json' }).end('{"error":1}');
    else response.writeHead(200, { 'content-type': 'application/json' }).end('{"choices":[]}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => closed(server) };
}

/** Posts {@link REQUEST} by `node:http`, and reads the answer as it came. */
export function ask(url: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // As a member: recorders put their own function there.
    const outgoing = http.request(
      url,
      { method: 'POST', headers: { 'content-type': 'application/json' } },
      (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('end', () => resolve(Buffer.concat(pieces)));
        response.on('error', reject);
      },
    );
    outgoing.on('error', reject);
    outgoing.end(JSON.stringify(REQUEST));
  });
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
