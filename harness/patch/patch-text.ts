/** The lines of a patch, and words about them. Bytes are held as Latin-1 strings: one UTF-16 unit a byte. */

/** One line of the patch itself. */
export interface PatchLine {
  /** Without LF, and without the CR before it. */
  readonly text: string;
  readonly cr: boolean;
  /** It ends in LF; false only for the last line. */
  readonly terminated: boolean;
}

const LONGEST_QUOTE = 100;

export function patchLines(bytes: Uint8Array): readonly PatchLine[] {
  const pieces = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1').split('\n');
  const last = pieces.length - 1;
  const lines = pieces.map((piece, i) => {
    const cr = piece.endsWith('\r');
    return { text: cr ? piece.slice(0, -1) : piece, cr, terminated: i < last };
  });
  if (pieces[last] === '') lines.pop();
  return lines;
}

/** Lines of a file, each with its line end. */
export function splitFile(bytes: Uint8Array): readonly string[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  const lines: string[] = [];
  for (let from = 0; from < text.length; ) {
    const lf = text.indexOf('\n', from);
    const to = lf < 0 ? text.length : lf + 1;
    lines.push(text.slice(from, to));
    from = to;
  }
  return lines;
}

/** Only blanks and tabs. Not `trim`: in Latin-1 the last byte of an à is a blank to it. */
export function isBlank(latin1: string): boolean {
  return /^[ \t\r]*$/.test(latin1);
}

/** Latin-1 units as the UTF-8 text they stand for, in quotes, control characters escaped, at most 100 units. */
export function quote(latin1: string): string {
  const text = Buffer.from(latin1.slice(0, LONGEST_QUOTE), 'latin1').toString('utf8');
  return `${JSON.stringify(text)}${latin1.length > LONGEST_QUOTE ? '…' : ''}`;
}

/** `1 line`, `3 lines`. */
export function count(n: number, one: string): string {
  return `${n} ${one}${n === 1 ? '' : 's'}`;
}
