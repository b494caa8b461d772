/** Where in a file a run of lines stands: linear in the file, however often its lines repeat. */

/** Up to so many places of its rarest line, a run is compared place by place. */
const FEW_PLACES = 64;

/** The lines of one file under one notion of equal: lines with the same key are. */
export class LineIndex {
  private readonly idOfKey = new Map<string, number>();
  private readonly ids: Int32Array;
  private readonly placesOfId: number[][] = [];

  constructor(lines: readonly string[], keyOf: (line: string) => string) {
    this.ids = Int32Array.from(lines, (line, at) => {
      const key = keyOf(line);
      let id = this.idOfKey.get(key);
      if (id === undefined) {
        id = this.placesOfId.length;
        this.idOfKey.set(key, id);
        this.placesOfId.push([]);
      }
      this.placesOfId[id]!.push(at);
      return id;
    });
  }

  /** Line numbers from 0 at which a line with this key stands, ascending. */
  places(key: string): readonly number[] {
    const id = this.idOfKey.get(key);
    return id === undefined ? [] : this.placesOfId[id]!;
  }

  /** Line numbers from 0 at which the whole run stands, ascending. A run has at least one line. */
  find(keys: readonly string[]): readonly number[] {
    const run: number[] = [];
    for (const key of keys) {
      const id = this.idOfKey.get(key);
      if (id === undefined) return [];
      run.push(id);
    }
    let rarest = 0;
    for (let i = 1; i < run.length; i += 1) {
      if (this.placesOfId[run[i]!]!.length < this.placesOfId[run[rarest]!]!.length) rarest = i;
    }
    const places = this.placesOfId[run[rarest]!]!;
    if (places.length > FEW_PLACES) return this.scan(run);
    return places.map((place) => place - rarest).filter((at) => at >= 0 && this.standsAt(run, at));
  }

  private standsAt(run: readonly number[], at: number): boolean {
    return run.every((id, i) => this.ids[at + i] === id);
  }

  /** Knuth, Morris, Pratt. */
  private scan(run: readonly number[]): number[] {
    const border = borders(run);
    const found: number[] = [];
    let matched = 0;
    for (let at = 0; at < this.ids.length; at += 1) {
      while (matched > 0 && (matched === run.length || run[matched] !== this.ids[at])) matched = border[matched - 1]!;
      if (run[matched] === this.ids[at]) matched += 1;
      if (matched === run.length) found.push(at - run.length + 1);
    }
    return found;
  }
}

/** For each prefix of the run, the length of its longest proper border. */
function borders(run: readonly number[]): Int32Array {
  const border = new Int32Array(run.length);
  let length = 0;
  for (let i = 1; i < run.length; i += 1) {
    while (length > 0 && run[length] !== run[i]) length = border[length - 1]!;
    if (run[length] === run[i]) length += 1;
    border[i] = length;
  }
  return border;
}
