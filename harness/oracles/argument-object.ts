/** What an oracle makes of bytes that must be exactly one JSON object (RFC 8259), blanks around it allowed. */
import type { ContractErrorKind } from '../parsers/contract-error.ts';
import type { CallArguments } from '../parsers/parser.ts';
import { hasRepeatedKey, parseObject } from './json-source.ts';

type JsonArguments = Extract<CallArguments, { form: 'json' }>;

/** The arguments, or the kind of error that they are. `source` holds one character a byte. */
export function argumentObject(source: string): JsonArguments | ContractErrorKind {
  const object = parseObject(source);
  if (object === null) return 'args_not_object';
  // Around valid JSON there are no other blanks than those of RFC 8259.
  const bare = source.trim();
  if (hasRepeatedKey(bare)) return 'duplicate_key';
  return { form: 'json', text: Buffer.from(bare, 'latin1').toString('utf8'), object };
}
