/** The commands that a page shows. */

/** The text of every fenced `sh` block of a Markdown page, in order. */
export function shellBlocks(markdown: string): readonly string[] {
  return [...markdown.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text]) => text ?? '');
}

/** Hands out a page's blocks one after the other, so that none can be left untried. */
export class ShellBlocks {
  readonly #blocks: readonly string[];
  #next = 0;

  constructor(markdown: string) {
    this.#blocks = shellBlocks(markdown);
  }

  /** Blocks that nobody has taken. */
  get left(): number {
    return this.#blocks.length - this.#next;
  }

  /** The next block, which must have the word: a page that was changed asks for a changed check. */
  take(word: string): string {
    const block = this.#blocks[this.#next++];
    if (block?.includes(word)) return block;
    throw new Error(`the page's block ${this.#next} should be about ${word}: ${block ?? 'there is none'}`);
  }
}
