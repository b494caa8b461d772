/** Files of the user's that are text. */
import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { RecordingError } from '../replay/recording-error.ts';
import { systemCode } from '../replay/system-code.ts';

/**
 * Reads a file of UTF-8; nothing in it is replaced.
 * @param wanted what is to be said of a folder in its place
 * @throws RecordingError with the first byte that is no UTF-8, and its line
 */
export async function readUtf8(file: string, wanted: string): Promise<string> {
  const bytes = await bytesOf(file, wanted);
  if (isUtf8(bytes)) return bytes.toString('utf8');
  const at = firstBad(bytes);
  const line = bytes.subarray(0, at).filter((byte) => byte === 10).length + 1;
  const what = `byte ${at} (line ${line}) is no UTF-8 (0x${bytes[at]?.toString(16).padStart(2, '0')})`;
  throw new RecordingError({ file, what, advice: 'Save it as UTF-8: it may be Latin-1, Windows-1252 or UTF-16' });
}

async function bytesOf(file: string, wanted: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    if (systemCode(error) !== 'EISDIR') throw error;
    throw new RecordingError({ file, what: 'is a folder', advice: `Name a file: ${wanted}` });
  }
}

/** The start of the first sequence that is none: the longest prefix that is whole, or only cut at its end, ends there. */
function firstBad(bytes: Buffer): number {
  let good = 0;
  let bad = bytes.length;
  while (good < bad) {
    const middle = (good + bad + 1) >> 1;
    if (isBeginning(bytes.subarray(0, middle))) good = middle;
    else bad = middle - 1;
  }
  // A sequence that is cut by the end of the file, or broken off by what follows, is at fault from its first byte.
  let start = good;
  while (start > 0 && good - start < 3 && !isUtf8(bytes.subarray(0, start))) start--;
  return start;
}

/** Whether more bytes could make UTF-8 of it. */
function isBeginning(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
