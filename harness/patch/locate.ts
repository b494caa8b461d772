/** Where a hunk belongs: at its line, else nearest to it, else anywhere; never at one of several without a number. */
import { CLOSENESSES, type Closeness, type FileLines, lineKey, rawOf } from './file-lines.ts';
import { whyNotFound } from './near-miss.ts';
import { type Hunk, type HunkLine, PatchFault, sideOf } from './patch.ts';
import { count } from './patch-text.ts';

export interface Place {
  /** Lines of the file before the hunk's first old line. */
  readonly at: number;
  readonly closeness: Closeness;
}

/** What a search goes by besides the lines. */
export interface Search {
  readonly file: FileLines;
  /** How far earlier hunks stood from their numbers, in lines. */
  readonly shift: number;
  /** Does the hunk, at this place, leave alone what earlier hunks change? */
  readonly isFree: (at: number) => boolean;
}

/** Throws `not_found`, `ambiguous`, or `malformed` where only an earlier hunk's lines fit. */
export function locateHunk(hunk: Hunk, search: Search): Place {
  const old = sideOf(hunk, 'old');
  return old.length === 0 ? placeInsertion(hunk, search) : placeLines(hunk, old, search);
}

const MOST_NAMED_LINES = 8;

/** Nothing but added lines: only the number says where, and only where the header means it so. */
function placeInsertion(hunk: Hunk, { file, shift, isFree }: Search): Place {
  const { oldStart, declaredOld } = hunk;
  if (file.length === 0) return { at: 0, closeness: 'exact' };
  if (oldStart === null || declaredOld !== 0) {
    const fault = 'the hunk has only added lines, and its header does not say after which line (-N,0)';
    throw new PatchFault('ambiguous', `${fault}; add lines of context`);
  }
  const at = oldStart === 0 ? 0 : oldStart + shift;
  if (at < 0 || at > file.length) {
    throw new PatchFault(
      'not_found',
      `the hunk adds after line ${oldStart}, the file has ${count(file.length, 'line')}`,
    );
  }
  if (mustEndFile(hunk) && at !== file.length) throw new PatchFault('not_found', endsTooEarly(at + 1, file));
  if (!isFree(at)) throw new PatchFault('malformed', `line ${at} is changed by an earlier hunk too`);
  return { at, closeness: 'exact' };
}

function placeLines(hunk: Hunk, old: readonly HunkLine[], search: Search): Place {
  const { file, isFree } = search;
  const expected = expectedPlace(hunk, search);
  const end = mustEndFile(hunk) ? file.length - old.length : null;
  const fits = (at: number) => end === null || at === end;
  if (expected !== null && fits(expected)) {
    for (const closeness of CLOSENESSES) {
      if (file.standsAt(keysOf(old, closeness), expected, closeness) && isFree(expected))
        return { at: expected, closeness };
    }
  }
  let taken: number | undefined;
  let elsewhere: number | undefined;
  for (const closeness of CLOSENESSES) {
    const all = file.index(closeness).find(keysOf(old, closeness));
    const fitting = all.filter(fits);
    elsewhere ??= all[0];
    taken ??= fitting[0];
    const at = nearest(fitting, expected, isFree);
    if (at !== null) return { at, closeness };
  }
  if (taken !== undefined) {
    throw new PatchFault(
      'malformed',
      `its lines stand only at line ${taken + 1}, which an earlier hunk changes too; merge the two hunks`,
    );
  }
  if (elsewhere !== undefined) throw new PatchFault('not_found', endsTooEarly(elsewhere + old.length, file));
  throw new PatchFault('not_found', whyNotFound(hunk, file, expected));
}

function keysOf(lines: readonly HunkLine[], closeness: Closeness): readonly string[] {
  return lines.map((line) => lineKey(rawOf(line), closeness));
}

/** Null where the header has no number, or one outside the file. */
function expectedPlace({ oldStart }: Hunk, { file, shift }: Search): number | null {
  if (oldStart === null || oldStart < 1 || oldStart > file.length) return null;
  return oldStart - 1 + shift;
}

/** The place nearest to `expected`; without one, the only place. Throws `ambiguous`. */
function nearest(places: readonly number[], expected: number | null, isFree: (at: number) => boolean): number | null {
  if (expected === null) {
    const free = firstFree(places, MOST_NAMED_LINES + 1, isFree);
    if (free.length > 1) throw new PatchFault('ambiguous', severalPlaces(free));
    return free[0] ?? null;
  }
  const distance = (at: number) => Math.abs(at - expected);
  const byDistance = places.toSorted((a, b) => distance(a) - distance(b));
  const [first, second] = firstFree(byDistance, 2, isFree);
  if (first === undefined) return null;
  if (second === undefined || distance(second) > distance(first)) return first;
  throw new PatchFault('ambiguous', severalPlaces([first, second].sort((a, b) => a - b)));
}

function firstFree(places: readonly number[], most: number, isFree: (at: number) => boolean): readonly number[] {
  const free: number[] = [];
  for (const at of places) {
    if (free.length === most) break;
    if (isFree(at)) free.push(at);
  }
  return free;
}

function severalPlaces(places: readonly number[]): string {
  const lines = places.map((at) => at + 1);
  const isAll = lines.length <= MOST_NAMED_LINES;
  const list = isAll
    ? `${lines.slice(0, -1).join(', ')} and ${lines.at(-1)}`
    : `${lines.slice(0, -1).join(', ')} and more`;
  const advice = 'its line number does not decide; add context, or the right number';
  return `the hunk's lines stand at lines ${list}, and ${advice}`;
}

/** `\ No newline at end of file` on either side: the hunk's last line is the file's. */
function mustEndFile({ lines }: Hunk): boolean {
  return lines.some(({ end }) => end === '');
}

function endsTooEarly(line: number, file: FileLines): string {
  const marker = '"\\ No newline at end of file"';
  return `by its ${marker} the file ends at line ${line}, but it has ${count(file.length, 'line')}`;
}
