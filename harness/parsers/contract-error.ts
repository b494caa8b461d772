/**
 * Contract errors are values: a kind, a place and the evidence. Prose is made at the edge, by {@link describeError}.
 * Kinds: ctl.md "Contract errors", xml.md, streams.md "Error kinds of the native side".
 */
export type ContractError = Place & Evidence;
export type ContractErrorKind = Evidence['kind'];

/**
 * Where the reader left the language.
 * - line errors (CTL): `offset` is the first byte of the offending line; errors at the end of the stream: the content length.
 * - xml, text dialects: the first byte of the token that fits nowhere, or of the marker that ended what is wrong. JSON arguments: the byte at which they stop being one object.
 */
export interface Place {
  /** Content offset in bytes, from 0. */
  readonly offset: number;
  /** 1 + the number of LF bytes before `offset` in the message text (text protocols) or in the call's arguments (native). */
  readonly line: number;
  /** Id of the call, where known. */
  readonly call?: string;
  /** Key of the argument, where known. */
  readonly key?: string;
}

export type Evidence =
  // CTL
  // `form`: how a call begins in another text form than CTL
  | {
      readonly kind: 'bad_call';
      readonly reason: 'malformed' | 'repeated_id';
      readonly text: string;
      readonly form?: string;
    }
  | { readonly kind: 'bad_arg'; readonly reason: BadArgReason; readonly text: string }
  | {
      readonly kind: 'unexpected_line';
      readonly text: string;
      readonly after?: { readonly key: string; readonly declared: number };
    }
  | { readonly kind: 'body_eof'; readonly declared: number; readonly arrived: number }
  | { readonly kind: 'heredoc_eof'; readonly tag: string; readonly indentedTagSeen: boolean }
  | { readonly kind: 'line_too_long'; readonly limit: number; readonly what: 'header' | 'heredoc line' }
  | { readonly kind: 'limit'; readonly what: LimitedThing; readonly limit: number; readonly actual?: number }
  // `closer`: what is missing, where it is not CTL's `end`
  | { readonly kind: 'call_eof'; readonly closer?: string }
  // xml and the text dialects
  | { readonly kind: 'xml_unexpected_text'; readonly text: string }
  | { readonly kind: 'xml_unclosed'; readonly inside: 'block' | 'invoke' | 'parameter' }
  | { readonly kind: 'xml_after_block'; readonly text: string }
  // JSON; `argsOffset` counts bytes within the call's own arguments (native calls only)
  | { readonly kind: 'args_not_object'; readonly argsOffset?: number; readonly detail: string }
  | { readonly kind: 'duplicate_key' }
  | { readonly kind: 'orphan_delta'; readonly detail: string }
  | { readonly kind: 'bad_delta'; readonly detail: string }
  // the stream itself
  | { readonly kind: 'stream_error' | 'sse_bad_json' | 'event_too_long'; readonly detail: string };

export type BadArgReason = 'malformed' | 'empty_value' | 'bad_tag' | 'repeated_key' | 'schema';
export type LimitedThing = 'argument bytes' | 'arguments' | 'calls';

/** Every kind, in the order in which tables show them. */
export const CONTRACT_ERROR_KINDS = [
  'bad_call',
  'bad_arg',
  'unexpected_line',
  'body_eof',
  'heredoc_eof',
  'line_too_long',
  'limit',
  'call_eof',
  'xml_unexpected_text',
  'xml_unclosed',
  'xml_after_block',
  'args_not_object',
  'duplicate_key',
  'orphan_delta',
  'bad_delta',
  'stream_error',
  'sse_bad_json',
  'event_too_long',
] as const satisfies readonly ContractErrorKind[];

const MAX_QUOTED = 40;

/** One sentence that a model can act on. */
export function describeError(error: ContractError): string {
  const call = error.call === undefined ? '' : ` of call ${error.call}`;
  switch (error.kind) {
    case 'bad_call':
      return error.reason === 'repeated_id'
        ? `the call id ${error.call ?? ''} was used before in this message: ${quote(error.text)}`
        : error.form === undefined
          ? `a line that begins with "call " must be "call <id> <name>": ${quote(error.text)}`
          : `a call must begin with ${error.form}, found ${quote(error.text)}`;
    case 'bad_arg':
      return `${error.key === undefined ? 'an argument' : `argument ${error.key}`}${call}: ${BAD_ARG[error.reason]}: ${quote(error.text)}`;
    case 'unexpected_line':
      return `expected "arg <key> …" or "end" inside call ${error.call ?? ''}, found ${quote(error.text)}${
        error.after === undefined
          ? ''
          : `; the value of ${error.after.key} before it was declared as ${error.after.declared} bytes, which may be too small`
      }`;
    case 'body_eof':
      return `declared ${error.declared} bytes but only ${error.arrived} arrived (argument ${error.key ?? ''}${call})`;
    case 'heredoc_eof':
      return `the message ended before the line ${error.tag} that closes argument ${error.key ?? ''}${call}${
        error.indentedTagSeen ? '; an indented tag was seen: the tag must stand in column one' : ''
      }`;
    case 'line_too_long':
      return `a ${error.what} is longer than ${error.limit} bytes (LF included)`;
    case 'limit':
      return `more than ${error.limit} ${error.what}${error.actual === undefined ? '' : ` (${error.actual})`}${call}`;
    case 'call_eof':
      return error.closer === undefined
        ? `the message ended inside call ${error.call ?? ''}, before its "end" line`
        : `the message ended${error.call === undefined ? '' : ` inside call ${error.call}`}, before ${error.closer}`;
    case 'xml_unexpected_text':
      return `only blanks and tags may stand here, found ${quote(error.text)}${call}`;
    case 'xml_unclosed':
      return `the message ended inside ${error.inside === 'invoke' ? 'an' : 'a'} ${error.inside}${call}`;
    case 'xml_after_block':
      return `only blanks and further blocks may follow a block of calls, found ${quote(error.text)}`;
    case 'args_not_object':
      return `the arguments${call} are not exactly one JSON object: ${error.detail}${
        error.argsOffset === undefined ? '' : ` at byte ${error.argsOffset} of the arguments`
      }`;
    case 'duplicate_key':
      return `the key ${JSON.stringify(error.key ?? '')} stands twice in one object of the arguments${call}`;
    case 'orphan_delta':
    case 'bad_delta':
    case 'stream_error':
    case 'sse_bad_json':
    case 'event_too_long':
      return error.detail;
  }
}

const BAD_ARG: Record<BadArgReason, string> = {
  malformed: 'an argument line must be "arg <key> <nbytes>", "arg <key> <value>" or "arg <key> <<TAG"',
  empty_value: 'an inline value must not be empty (an empty value is written "arg <key> 0")',
  bad_tag: 'a tag is 1 to 32 letters, digits and underscores, with or without quotes',
  repeated_key: 'the key stands twice in its call',
  schema: 'the value does not have the type that the tool declares',
};

function quote(text: string): string {
  return JSON.stringify(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text);
}
