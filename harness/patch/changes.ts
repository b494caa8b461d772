/** What the placed hunks of one file change: which lines go, and what comes before which line. */
import type { Hunk, HunkLine } from './patch.ts';

/** A hunk and the lines of the file it stands on. */
export interface PlacedHunk {
  readonly hunk: Hunk;
  /** Lines of the file before its first old line. */
  readonly at: number;
  /** The line after its last old line. */
  readonly end: number;
}

/** Lines to be added, in front of a line of the file. */
export interface Insertion {
  readonly placed: PlacedHunk;
  readonly lines: readonly HunkLine[];
}

export class Changes {
  private readonly removed: Uint8Array;
  /** Some hunk stands on the line. */
  private readonly covered: Uint8Array;
  private isUntouched = true;
  private readonly insertions = new Map<number, Insertion[]>();

  constructor(fileLength: number) {
    this.removed = new Uint8Array(fileLength);
    this.covered = new Uint8Array(fileLength);
  }

  isRemoved(line: number): boolean {
    return this.removed[line] === 1;
  }

  /** In the order of the file. */
  before(line: number): readonly Insertion[] {
    return (this.insertions.get(line) ?? []).toSorted((a, b) => a.placed.at - b.placed.at);
  }

  /**
   * Hunks may share lines of context. No line that one removes may stand in another, and where two add in front of the
   * same line, one must end where the other begins: else their order is anybody's guess.
   */
  isFree(hunk: Hunk, at: number): boolean {
    if (this.isUntouched) return true;
    let line = at;
    const additions: number[] = [];
    for (const { op } of hunk.lines) {
      if (op === '+') additions.push(line);
      else {
        if (this.removed[line] === 1 || (op === '-' && this.covered[line] === 1)) return false;
        line += 1;
      }
    }
    const end = line;
    if (end === at && this.removed[at] === 1 && this.removed[at - 1] === 1) return false;
    return additions.every((place) =>
      (this.insertions.get(place) ?? []).every(({ placed }) => placed.end <= at || end <= placed.at),
    );
  }

  /** Takes a hunk at a free place. */
  take(hunk: Hunk, at: number): PlacedHunk {
    this.isUntouched = false;
    const old = hunk.lines.filter(({ op }) => op !== '+').length;
    const placed = { hunk, at, end: at + old };
    let line = at;
    let added: HunkLine[] = [];
    for (const hunkLine of hunk.lines) {
      if (hunkLine.op === '+') {
        added.push(hunkLine);
        continue;
      }
      this.insert(line, placed, added);
      added = [];
      if (hunkLine.op === '-') this.removed[line] = 1;
      this.covered[line] = 1;
      line += 1;
    }
    this.insert(line, placed, added);
    return placed;
  }

  private insert(before: number, placed: PlacedHunk, lines: readonly HunkLine[]): void {
    if (lines.length === 0) return;
    const known = this.insertions.get(before);
    if (known === undefined) this.insertions.set(before, [{ placed, lines }]);
    else known.push({ placed, lines });
  }
}
