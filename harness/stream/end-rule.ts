/** When a stream of a wire format is complete (docs/wire-formats.md, the tables "Complete or cut"). */
export interface EndRule {
  /** Finish reasons after which a message is whole. Any other reason, known or not, is a cut. */
  readonly completeReasons: ReadonlySet<string>;
  /**
   * What makes the end complete, unless something has cut the stream:
   * - `either`: such a reason, or `done`
   * - `both`: such a reason, and `done`
   * - `reason`: such a reason; the format has no `done`, and the close of the transport is the end
   */
  readonly completeBy: 'either' | 'both' | 'reason';
}
