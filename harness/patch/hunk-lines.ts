/** Which lines of a patch are the lines of a hunk. The counts of its header are a hint; the lines are what counts. */
import { type HunkLine, PatchFault } from './patch.ts';
import { count, isBlank, type PatchLine, quote } from './patch-text.ts';

/** `counts`: they decide what is a header of the next file. `headers`: what looks like one is one. */
export type Reading = 'counts' | 'headers';

export interface Counts {
  readonly old: number;
  readonly new: number;
}

export interface Extent {
  /** Index of the line after the hunk. */
  readonly end: number;
  /** What looks like the header of a file is among its lines. */
  readonly holdsHeader: boolean;
}

const FENCE = /^(`{3,}|~{3,})/;
const SIGNATURE = '-- ';

/** Is this line of the patch a line of some hunk? An empty one is an empty context line whose blank was lost. */
function isHunkLine({ text }: PatchLine): boolean {
  return text === '' || ' +-'.includes(text[0]!) || isMarker(text);
}

/** `\ No newline at end of file`, in any language. */
function isMarker(text: string): boolean {
  return text.startsWith('\\ ');
}

export function isHunkStart(line: PatchLine | undefined): boolean {
  return line !== undefined && /^@@(?!@)/.test(line.text);
}

export function isFilePair(lines: readonly PatchLine[], at: number): boolean {
  return lines[at]?.text.startsWith('--- ') === true && lines[at + 1]?.text.startsWith('+++ ') === true;
}

/** The pair alone may be two edits; followed by a hunk it is the header of a file. */
function isFileHeader(lines: readonly PatchLine[], at: number): boolean {
  return isFilePair(lines, at) && isHunkStart(lines[at + 2]);
}

/** `-- ` and a version: the signature of `git format-patch`, and no deleted line. */
function isSignature(lines: readonly PatchLine[], at: number): boolean {
  return lines[at]?.text === SIGNATURE && /^\d+\.\d+/.test(lines[at + 1]?.text ?? '');
}

/** The fence that a line opens or closes. */
export function fenceOf(line: PatchLine): string | null {
  return FENCE.exec(line.text)?.[1] ?? null;
}

export function closesFence(line: PatchLine, open: string | null): boolean {
  return open !== null && line.text.trimEnd().startsWith(open) && /^(`+|~+)$/.test(line.text.trimEnd());
}

export interface HunkPlace {
  readonly lines: readonly PatchLine[];
  /** Index of the line after the `@@`. */
  readonly start: number;
  readonly declared: Counts | null;
  /** The Markdown fence around the patch; null for none. */
  readonly fence: string | null;
}

/** Finds the end of a hunk. Throws `malformed` for lines that fit nowhere: nothing may be dropped silently. */
export function hunkExtent(place: HunkPlace, reading: Reading): Extent {
  const { lines, start } = place;
  const counted = place.declared === null ? null : countedEnd(place, place.declared);
  if (counted !== null) {
    const holdsHeader = counted - start >= 2 && isFileHeader(lines, counted - 2);
    if (!holdsHeader || reading === 'counts') return { end: counted, holdsHeader };
  }
  let stop = start;
  while (stop < lines.length && isHunkLine(lines[stop]!) && !isFileHeader(lines, stop) && !isSignature(lines, stop)) {
    stop += 1;
  }
  let end = stop;
  while (end > start && lines[end - 1]!.text === '') end -= 1;
  refuseStrayLines(place, stop, end < stop);
  return { end, holdsHeader: false };
}

/** Where the declared counts are met exactly, if what follows is no further line of the hunk; null else. */
function countedEnd({ lines, start }: HunkPlace, declared: Counts): number | null {
  let [old, added, at] = [0, 0, start];
  while (old < declared.old || added < declared.new) {
    const line = lines[at];
    if (line === undefined || !isHunkLine(line)) return null;
    const op = line.text[0] ?? ' ';
    if (op === ' ' || op === '-') old += 1;
    if (op === ' ' || op === '+') added += 1;
    if (old > declared.old || added > declared.new) return null;
    at += 1;
  }
  while (at > start && isMarker(lines[at]?.text ?? '')) at += 1;
  return endsAt(lines, at) ? at : null;
}

function endsAt(lines: readonly PatchLine[], from: number): boolean {
  let at = from;
  while (at < lines.length && isBlank(lines[at]!.text)) at += 1;
  const line = lines[at];
  return line === undefined || isFilePair(lines, at) || isSignature(lines, at) || !isHunkLine(line);
}

/** What stops a hunk whose counts are wrong must be a header, a closing fence or prose, never a line of the hunk. */
function refuseStrayLines(place: HunkPlace, stop: number, afterEmptyLine: boolean): void {
  const { lines, fence } = place;
  const line = lines[stop];
  if (line === undefined || isHunkLine(line) || isHunkStart(line) || isBoundary(line)) return;
  if (closesFence(line, fence)) return;
  const isProse = afterEmptyLine || fenceOf(line) !== null;
  if (isProse && !editsFollow(lines, stop)) return;
  throw new PatchFault(
    'malformed',
    `line ${stop + 1} of the patch, ${quote(line.text)}, stands in a hunk but begins with neither a blank, + nor -`,
  );
}

function isBoundary({ text }: PatchLine): boolean {
  return /^(diff |Index: |Only in |Binary files |From [0-9a-f]{40} |={60,}$|\*\*\* )/.test(text);
}

function editsFollow(lines: readonly PatchLine[], from: number): boolean {
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at]!;
    if (isFilePair(lines, at) || isHunkStart(line) || isBoundary(line) || isSignature(lines, at)) return false;
    if (line.text.startsWith('+') || line.text.startsWith('-')) return true;
  }
  return false;
}

/** The lines of a hunk, each with its line end. `crlfTransport`: CR belongs to the patch's line ends, not the text. */
export function hunkLines(lines: readonly PatchLine[], crlfTransport: boolean): readonly HunkLine[] {
  const read: HunkLine[] = [];
  for (const { text, cr } of lines) {
    if (isMarker(text)) markEnd(read, crlfTransport);
    else read.push({ op: opOf(text), text: text.slice(1), end: cr ? '\r\n' : '\n' });
  }
  refuseEarlyMarker(read);
  return read;
}

function opOf(text: string): HunkLine['op'] {
  const first = text[0];
  return first === '+' || first === '-' ? first : ' ';
}

function markEnd(read: HunkLine[], crlfTransport: boolean): void {
  const last = read.pop();
  if (last === undefined) throw new PatchFault('malformed', 'a hunk begins with a \\ line, which belongs after a line');
  // A CR without an LF is a byte of the line.
  const text = last.end === '\r\n' && !crlfTransport ? `${last.text}\r` : last.text;
  read.push({ ...last, text, end: '' });
}

function refuseEarlyMarker(read: readonly HunkLine[]): void {
  for (const [other, side] of [
    ['+', 'old'],
    ['-', 'new'],
  ] as const) {
    const lines = read.filter(({ op }) => op !== other);
    const early = lines.slice(0, -1).find(({ end }) => end === '');
    if (early === undefined) continue;
    const what = `"\\ No newline at end of file" follows ${quote(early.text)}`;
    throw new PatchFault('malformed', `${what}, which is not the last ${side} line of its hunk`);
  }
}

export function countsOf(lines: readonly HunkLine[]): Counts {
  const added = lines.filter(({ op }) => op === '+').length;
  const removed = lines.filter(({ op }) => op === '-').length;
  return { old: lines.length - added, new: lines.length - removed };
}

/** The last hunk of a patch that may be cut: its counts must have been met, and its last line must have come whole. */
export function refuseCut(declared: Counts | null, found: Counts, last: PatchLine | undefined): void {
  const again = 'send it again whole';
  if (declared !== null && (found.old < declared.old || found.new < declared.new)) {
    const old = `${found.old} of ${count(declared.old, 'old line')}`;
    const added = `${found.new} of ${count(declared.new, 'new line')}`;
    const why = `the patch was cut, or its counts are wrong; ${again}`;
    throw new PatchFault('truncated', `the hunk ends after ${old} and ${added}: ${why}`);
  }
  if (last === undefined || isMarker(last.text)) return;
  if (!last.terminated) throw new PatchFault('truncated', `${UNTERMINATED}; ${again}`);
  if (declared !== null && found.old > declared.old && last.text.startsWith('--- ')) {
    throw new PatchFault('truncated', `the patch ends after ${quote(last.text)}, half a file header; ${again}`);
  }
}

export const UNTERMINATED = 'the last line of the patch does not end in a newline, so it may have been cut';
