/** A file's bytes and a patch's hunks → the new bytes, in memory. */
import { Changes, type PlacedHunk } from './changes.ts';
import { FileLines, lineEndOf } from './file-lines.ts';
import { locateHunk } from './locate.ts';
import { type Hunk, inPlace, type LineEnd, type PatchFile, sideOf } from './patch.ts';

export interface Applied {
  readonly bytes: Uint8Array;
  /** Hunks that fit only with other blanks at line ends. */
  readonly fuzz: number;
  /** What the patch had wrong and the hunks showed: `hunk 1: offset 26`. */
  readonly corrections: readonly string[];
}

/** All hunks, or a `PatchFault` that names the first which has no place. Hunks are sought in the file as it was. */
export function applyHunks(bytes: Uint8Array, patchFile: PatchFile): Applied {
  const file = new FileLines(bytes);
  const changes = new Changes(file.length);
  const corrections: string[] = [];
  const lineEnds = new Map<Hunk, LineEndRule>();
  let [shift, fuzz] = [0, 0];
  for (const [i, hunk] of patchFile.hunks.entries()) {
    const search = { file, shift, isFree: (at: number) => changes.isFree(hunk, at) };
    const { at, closeness } = inPlace({ file: patchFile.from, hunk: i + 1 }, () => locateHunk(hunk, search));
    const placed = changes.take(hunk, at);
    const rule = lineEndRule(file, placed, patchFile);
    lineEnds.set(hunk, rule);
    const offset = offsetOf(placed);
    if (offset !== null) shift = offset;
    if (hunk.correction !== null) corrections.push(`hunk ${i + 1}: ${hunk.correction}`);
    if (offset !== null && offset !== 0) corrections.push(`hunk ${i + 1}: offset ${offset}`);
    // Beside old lines the file's line ends are what those lines show; without any it is a guess, and told.
    if (placed.at === placed.end && changesLineEnds(placed, rule)) {
      corrections.push(`hunk ${i + 1}: line ends as in the file`);
    }
    if (closeness !== 'blanks') continue;
    fuzz += 1;
    corrections.push(`hunk ${i + 1}: fuzz (blanks at line ends)`);
  }
  return { bytes: Buffer.from(patched(file, changes, lineEnds).join(''), 'latin1'), fuzz, corrections };
}

/** How far from its number a hunk was found, in lines; null where it has none. */
function offsetOf({ hunk, at, end }: PlacedHunk): number | null {
  const { oldStart, declaredOld } = hunk;
  if (oldStart === null) return null;
  if (end === at) return declaredOld === 0 ? at - oldStart : null;
  return oldStart === 0 ? null : at - (oldStart - 1);
}

/** The line end of an added line that comes before a line of the file. */
type LineEndRule = (end: LineEnd, before: number) => LineEnd;

const AS_IN_THE_PATCH: LineEndRule = (end) => end;

/**
 * A file keeps its line ends. If those of the hunk's old lines are the file's, the patch carries line ends, and the
 * added lines have theirs; else an added line ends like its neighbour in the file.
 */
function lineEndRule(file: FileLines, placed: PlacedHunk, patchFile: PatchFile): LineEndRule {
  const pairs = sideOf(placed.hunk, 'old')
    .map(({ end }, i) => [end, lineEndOf(file.raw[placed.at + i]!)] as const)
    .filter(([end, ofFile]) => end !== '' && ofFile !== '');
  const carries =
    pairs.length === 0 ? carriesLineEnds(file, patchFile) : pairs.every(([end, ofFile]) => end === ofFile);
  if (carries) return AS_IN_THE_PATCH;
  return (end, before) => (end === '' ? '' : neighbourLineEnd(file, placed, before));
}

function changesLineEnds({ hunk, at }: PlacedHunk, rule: LineEndRule): boolean {
  return hunk.lines.some(({ end }) => rule(end, at) !== end);
}

/** Of a hunk that touches no line of the file: does the rest of the patch speak of line ends? */
function carriesLineEnds(file: FileLines, { hunks, crlfTransport }: PatchFile): boolean {
  const only = file.onlyLineEnd;
  if (only === null) return true;
  const hasCrLf = hunks.some(({ lines }) => lines.some(({ end }) => end === '\r\n'));
  return only === '\n' ? !crlfTransport : hasCrLf;
}

function neighbourLineEnd(file: FileLines, placed: PlacedHunk, before: number): LineEnd {
  const neighbours = [before > placed.at ? before - 1 : before, before, before - 1];
  const ends = neighbours.map((line) => lineEndOf(file.raw[line] ?? ''));
  return ends.find((end) => end !== '') ?? file.usualLineEnd;
}

function patched(file: FileLines, changes: Changes, rules: ReadonlyMap<Hunk, LineEndRule>): string[] {
  const out: string[] = [];
  let lastAddedBy: PlacedHunk | null = null;
  for (let line = 0; line <= file.length; line += 1) {
    for (const { placed, lines } of changes.before(line)) {
      const rule = rules.get(placed.hunk)!;
      for (const { text, end } of lines) out.push(text + rule(end, line));
      lastAddedBy = placed;
    }
    if (line === file.length || changes.isRemoved(line)) continue;
    out.push(file.raw[line]!);
    lastAddedBy = null;
  }
  return withLineEnds(out, file, lastAddedBy);
}

/** Every line but the last ends in LF; the last does if patch and file say so. */
function withLineEnds(lines: string[], file: FileLines, lastAddedBy: PlacedHunk | null): string[] {
  const last = lines.length - 1;
  for (let i = 0; i < last; i += 1) {
    if (lineEndOf(lines[i]!) === '') lines[i] += file.usualLineEnd;
  }
  if (lastAddedBy === null) return lines;
  const text = lines[last]!;
  const end = lineEndOf(text);
  if (hasFinalNewline(file, lastAddedBy)) {
    if (end === '') lines[last] = text + file.usualLineEnd;
  } else if (end !== '') lines[last] = text.slice(0, -end.length);
  return lines;
}

/** Where the patch says the same of the old and the new last line, it says nothing about it: the file's state stays. */
function hasFinalNewline(file: FileLines, { hunk }: PlacedHunk): boolean {
  const isMarked = (side: 'old' | 'new') => sideOf(hunk, side).at(-1)?.end === '';
  return isMarked('old') === isMarked('new') ? file.hasFinalNewline : isMarked('old');
}
