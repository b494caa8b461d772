/** What a reader passed over without a word in the events: no error, but worth a line in a report. */
export interface StreamNotes {
  /** Deltas of choices other than 0. */
  readonly otherChoices: number;
  /** Calls opened with the id of an earlier call of the message. */
  readonly repeatedIds: number;
  /** Deltas that brought a call another id than it had; the first stands. */
  readonly laterIds: number;
  /** Reasoning deltas left out because a surrogate in them has no partner; reasoning is no content. */
  readonly brokenReasoning: number;
  /** Wire bytes after `[DONE]` or after a failure: not read. */
  readonly unreadBytes: number;
}
