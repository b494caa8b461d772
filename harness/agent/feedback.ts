/** What the runtime says to the model of an answer that went wrong: what has run, what arrived, what to do. */
import { type ContractError, type ContractErrorKind, describeError } from '../parsers/contract-error.ts';
import type { UnfinishedCall } from '../parsers/parser.ts';

/** What is kept of an answer. */
export interface Kept {
  /** Calls that have run or were refused, in order. */
  readonly calls: readonly { readonly id: string }[];
}

/** Why the bytes of an answer ended before the answer did. */
export type CutCause =
  /** A finish reason that means cut (`length`, `content_filter` or an unknown one). */
  | { readonly by: 'reason'; readonly reason: string }
  /** The transport ended without the provider having said that the answer is complete. */
  | { readonly by: 'connection'; readonly detail: string }
  /** The provider reported an error, or sent what cannot be read. */
  | { readonly by: 'failure'; readonly detail: string };

export function contractErrorFeedback(error: ContractError, kept: Kept): string {
  return sentences(
    `Your message could not be read${place(error)}: ${describeError(error)}.`,
    kept.calls.length === 0
      ? 'Nothing of it has run, and from there on it was dropped. Send it again.'
      : `${whatRan(kept)} Nothing else of it has run, and from there on it was dropped. Send the rest again.`,
  );
}

export function cutFeedback(cause: CutCause, unfinished: UnfinishedCall | null, kept: Kept): string {
  return sentences(
    `Your message was cut off: ${describeCut(cause)}.`,
    whatRan(kept),
    unfinished === null ? '' : `${describeUnfinished(unfinished)} It has not run: send it again.`,
    unfinished === null ? 'Go on from there.' : '',
  );
}

export function cancelledFeedback(unfinished: UnfinishedCall | null, kept: Kept): string {
  return sentences(
    'The user stopped you here.',
    whatRan(kept),
    unfinished === null ? '' : `${describeUnfinished(unfinished)} It has not run.`,
  );
}

/** @param unknown calls that had no result: nobody knows what they have done */
export function interruptedFeedback(kept: Kept, unknown: readonly { readonly id: string }[]): string {
  const isOne = unknown.length === 1;
  return sentences(
    'The run was interrupted before the end of your message was read. Above stands what was kept of it.',
    kept.calls.length === 0 && unknown.length > 0 ? '' : whatRan(kept),
    unknown.length === 0
      ? ''
      : `Whether ${isOne ? 'its call' : 'its calls'} ${idsOf(unknown)} had ${isOne ? 'its' : 'their'} effect is unknown: look before you repeat ${isOne ? 'it' : 'them'}.`,
    kept.calls.length + unknown.length === 0 ? '' : 'No other call of it has run.',
    'Go on from there.',
  );
}

/** For the user, and as a part of what the model is told. */
export function describeCut(cause: CutCause): string {
  switch (cause.by) {
    case 'reason':
      return `the answer ended with ${JSON.stringify(cause.reason)}`;
    case 'connection':
      return `the connection was lost (${cause.detail})`;
    case 'failure':
      return `the stream failed (${cause.detail})`;
  }
}

/** Where in the message text; an offset in the arguments of a native call is said by the error itself. */
function place({ kind, line, offset }: ContractError): string {
  return NATIVE_KINDS.has(kind) ? '' : ` from line ${line} (byte ${offset}) on`;
}

const NATIVE_KINDS: ReadonlySet<ContractErrorKind> = new Set([
  'args_not_object',
  'duplicate_key',
  'orphan_delta',
  'bad_delta',
]);

function whatRan({ calls }: Kept): string {
  if (calls.length === 0) return 'No call of it has run.';
  const ids = idsOf(calls);
  return calls.length === 1
    ? `Its call ${ids} stands, with its result.`
    : `Its calls ${ids} stand, with their results.`;
}

function idsOf(calls: Kept['calls']): string {
  return calls.map(({ id }) => id).join(', ');
}

function describeUnfinished({ id, name, key, declared, arrived }: UnfinishedCall): string {
  const known = [id ?? '', name === undefined ? '' : `(${name})`].filter((part) => part !== '').join(' ');
  const call = known === '' ? 'a call' : `call ${known}`;
  if (arrived === undefined) return `The beginning of ${call} had arrived.`;
  const size = declared === undefined ? `${arrived} bytes` : `${arrived} of ${declared} declared bytes`;
  return `Of ${call}, ${size} of ${key === undefined ? 'its arguments' : `argument ${key}`} had arrived.`;
}

function sentences(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}
