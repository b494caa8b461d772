/** The bytes of a body whose file kept it compressed. */
import {
  type BrotliOptions,
  brotliDecompressSync,
  constants,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  type ZlibOptions,
} from 'node:zlib';
import { systemCode } from '../replay/system-code.ts';

/** Most bytes of a decoded body: a few kilobytes can decode to gigabytes. */
export const MOST_DECODED = 256 * 1024 * 1024;

/** `decoded`: the encodings that were taken away, outermost first; `cut`: the encoded body ends before its end. */
export type DecodedBody =
  | { readonly bytes: Uint8Array; readonly decoded: readonly string[]; readonly cut: boolean }
  | { readonly problem: string };

/** A field of an event stream, or a comment, at the start of a line. */
const STREAM_START = /^\uFEFF?[\r\n]*(?:(?:data|event|id|retry)(?:[:\r\n]|$)|:)/;

/** Whether bytes begin as an event stream does. */
export function beginsAsEventStream(bytes: Uint8Array): boolean {
  return STREAM_START.test(Buffer.from(bytes.subarray(0, 4096)).toString('utf8'));
}

/**
 * Many tools decode a body and keep the header that says it is encoded: what begins as an event stream is taken as it is.
 * @param header the value of `content-encoding`
 */
export function decodeBody(bytes: Uint8Array, header: string | null): DecodedBody {
  const encodings = (header ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  const decoded: string[] = [];
  let body = bytes;
  let cut = false;
  for (const name of encodings.reverse()) {
    if (name === '' || name === 'identity' || beginsAsEventStream(body)) continue;
    const decode = DECODERS[name];
    if (decode === undefined) return { problem: `its body is encoded as ${name}, which cannot be decoded here` };
    try {
      const part = wholeOrStart(body, decode);
      body = part.bytes;
      cut ||= part.cut;
    } catch {
      // JSON and pages stay what they are, and are said to be no event stream later.
      if (isText(body)) continue;
      return { problem: `its body is said to be ${name}, and cannot be decoded` };
    }
    decoded.push(name);
  }
  return { bytes: body, decoded, cut };
}

interface Decoding {
  readonly zlib: ZlibOptions;
  readonly brotli: BrotliOptions;
}

const WHOLE: Decoding = { zlib: { maxOutputLength: MOST_DECODED }, brotli: { maxOutputLength: MOST_DECODED } };
/** What was cut off is decoded as far as it goes. */
const START: Decoding = {
  zlib: { ...WHOLE.zlib, finishFlush: constants.Z_SYNC_FLUSH },
  brotli: { ...WHOLE.brotli, finishFlush: constants.BROTLI_OPERATION_FLUSH },
};

type Decode = (bytes: Uint8Array, options: Decoding) => Uint8Array;

const DECODERS: { readonly [name: string]: Decode } = {
  gzip: (bytes, { zlib }) => gunzipSync(bytes, zlib),
  'x-gzip': (bytes, { zlib }) => gunzipSync(bytes, zlib),
  // Some servers send it without the zlib head (RFC 9110, 8.4.1.2).
  deflate: (bytes, { zlib }) => ((bytes[0] ?? 0) % 16 === 8 ? inflateSync(bytes, zlib) : inflateRawSync(bytes, zlib)),
  br: (bytes, { brotli }) => brotliDecompressSync(bytes, brotli),
};

function wholeOrStart(bytes: Uint8Array, decode: Decode): { readonly bytes: Uint8Array; readonly cut: boolean } {
  try {
    return { bytes: decode(bytes, WHOLE), cut: false };
  } catch (error) {
    if (systemCode(error) !== 'Z_BUF_ERROR') throw error;
    return { bytes: decode(bytes, START), cut: true };
  }
}

function isText(bytes: Uint8Array): boolean {
  return /^\s*[[{<"]/.test(Buffer.from(bytes.subarray(0, 64)).toString('latin1'));
}
