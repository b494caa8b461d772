/** A hunk that fits nowhere: what was looked for, where the file comes nearest to it, and which line differs. */
import { type FileLines, lineKey, rawOf, textOf } from './file-lines.ts';
import { type Hunk, type HunkLine, sideOf } from './patch.ts';
import { count, quote } from './patch-text.ts';

/** A line that stands at more places says little about where a hunk belongs. */
const MOST_VOTES = 200;

/** @param expected where the header's number puts the hunk, in lines from 0; null for no usable number */
export function whyNotFound(hunk: Hunk, file: FileLines, expected: number | null): string {
  const old = sideOf(hunk, 'old');
  const first = quote(firstTelling(old));
  const lines = old.length === 1 ? `its old line ${first} is` : `its ${old.length} old lines from ${first} on are`;
  const looked = `${lines} not in the file${old.length === 1 ? '' : ' in this order'}`;
  const done = whereDone(hunk, file);
  if (done !== null) return `${looked}, but its new lines are, at line ${done + 1}: has it been applied before?`;
  const near = nearestMiss(old, file, expected);
  if (near === null) return `${looked}, nor is any line of it; read the file again`;
  return `${looked}; nearest is line ${Math.max(near.at, 0) + 1}: ${differs(old, file, near.at)}`;
}

function firstTelling(lines: readonly HunkLine[]): string {
  return (lines.find(({ text }) => text.trim() !== '') ?? lines[0])?.text ?? '';
}

function whereDone(hunk: Hunk, file: FileLines): number | null {
  const added = sideOf(hunk, 'new');
  if (!added.some(({ op, text }) => op === '+' && text.trim() !== '')) return null;
  return file.index('blanks').find(added.map((line) => lineKey(rawOf(line), 'blanks')))[0] ?? null;
}

interface Miss {
  readonly at: number;
  readonly votes: number;
}

/** The place at which most lines agree but for blanks, then the one nearest to `expected`. */
function nearestMiss(old: readonly HunkLine[], file: FileLines, expected: number | null): Miss | null {
  const placesOf = placesByTrimmed(file);
  const votes = new Map<number, number>();
  for (const [i, { text }] of old.entries()) {
    const key = text.trim();
    const places = key === '' ? [] : (placesOf.get(key) ?? []);
    if (places.length > MOST_VOTES) continue;
    for (const place of places) votes.set(place - i, (votes.get(place - i) ?? 0) + 1);
  }
  let best: Miss | null = null;
  for (const [at, n] of votes) {
    if (best === null || n > best.votes || (n === best.votes && isNearer(at, best.at, expected)))
      best = { at, votes: n };
  }
  return best;
}

function isNearer(at: number, than: number, expected: number | null): boolean {
  const from = expected ?? 0;
  return Math.abs(at - from) < Math.abs(than - from);
}

function placesByTrimmed(file: FileLines): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [at, raw] of file.raw.entries()) {
    const key = raw.trim();
    const known = places.get(key);
    if (known === undefined) places.set(key, [at]);
    else known.push(at);
  }
  return places;
}

function differs(old: readonly HunkLine[], file: FileLines, at: number): string {
  for (const [i, line] of old.entries()) {
    const raw = file.raw[at + i];
    const wanted = `the hunk has ${quote(line.text)}`;
    if (raw === undefined) return `there ${wanted} where the file has no line (it has ${count(file.length, 'line')})`;
    if (lineKey(raw, 'blanks') === lineKey(rawOf(line), 'blanks')) continue;
    const isIndent = raw.trim() === line.text.trim();
    return `there line ${at + i + 1} is ${quote(textOf(raw))}, ${wanted}${isIndent ? ' (indentation counts)' : ''}`;
  }
  return 'there all lines agree';
}
