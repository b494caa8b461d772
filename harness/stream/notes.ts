/** What a reader passed over without a word in the events: no error, but worth a line in a report. */
export interface StreamNotes {
  /** Deltas of choices (candidates) other than 0. */
  readonly otherChoices: number;
  /** Calls opened with the id of an earlier call of the message. */
  readonly repeatedIds: number;
  /** Deltas that brought a call another id than it had; the first stands. */
  readonly laterIds: number;
  /** Reasoning deltas left out because a surrogate in them has no partner; reasoning is no content. */
  readonly brokenReasoning: number;
  /** Calls of tools that the provider runs itself (web search, code execution, MCP …): nothing to execute here. */
  readonly providerCalls: number;
  /** Calls that a client must run and that are in no form read here (computer, local shell, patches …). */
  readonly unreadCalls: number;
  /** Events, items, blocks or parts of a type that is not known here. */
  readonly unknownEvents: number;
  /** Wire bytes after `done` or after a failure: not read. */
  readonly unreadBytes: number;
}

/** The notes of a stream in which there is nothing to note. */
export const NO_NOTES: Omit<StreamNotes, 'unreadBytes'> = {
  otherChoices: 0,
  repeatedIds: 0,
  laterIds: 0,
  brokenReasoning: 0,
  providerCalls: 0,
  unreadCalls: 0,
  unknownEvents: 0,
};
