/** No secret gets into a manifest: whatever an entry says beside its stream is searched, names as well as the request. */
import { withoutKeyFields } from './key-fields.ts';
import { RecordingError } from './recording-error.ts';
import { findSecrets, redactSecrets } from './secrets.ts';

/** What would be written to a manifest holds a secret. */
export class SecretInEntry extends RecordingError {}

/**
 * The last of all checks, for all writers of a suite; who records masks or refuses before, and knows the keys that were
 * sent. @param folder of the suite: the name of the file may be what holds the secret
 */
export function refuseSecrets(entry: object, folder: string): void {
  const request = 'request' in entry ? entry.request : null;
  const keys = withoutKeyFields(request).left > 0 ? 'a field for a key or a header in its request' : null;
  const problem = entryProblem(entry) ?? keys;
  if (problem === null) return;
  const advice = 'It was not written: take that out of names and request';
  throw new SecretInEntry({ file: folder, what: `the manifest would have ${problem}`, advice });
}

/** What names a file holds no `*`. */
const NAME_MASK = 'x';

/** What may be written, or why nothing may. */
export type ClearedEntry<E> = { readonly entry: E; readonly masked: number } | { readonly problem: string };

interface Named {
  readonly task: string;
  readonly request?: unknown;
}

/** What may be said of an entry, or of the head of a suite, that holds a secret; null if it holds none. */
export function entryProblem(entry: object, known: readonly string[] = []): string | null {
  // Field by field, so that a key in the request is not called one in a name.
  for (const [field, value] of Object.entries(entry)) {
    const [hit] = findSecrets(jsonBytes(value), known);
    if (hit !== undefined) return `a secret (${hit.kind}) in its field ${field}`;
  }
  const [hit] = findSecrets(jsonBytes(entry), known);
  return hit === undefined ? null : `a secret (${hit.kind}) in its entry`;
}

/** The entry with every secret masked: in the task, which names the file, by `x`, elsewhere by `*`. */
export function maskedEntry<E extends Named>(entry: E): ClearedEntry<E> {
  const task = Buffer.from(entry.task);
  const inTask = findSecrets(task);
  const name = maskedName(task, inTask);
  const bytes = jsonBytes({ ...entry, task: name });
  const hits = findSecrets(bytes);
  const masked = inTask.length + hits.length;
  if (masked === 0) return { entry, masked };
  try {
    const whole = JSON.parse(Buffer.from(redactSecrets(bytes, hits)).toString('utf8')) as E;
    return entryProblem(whole) === null ? { entry: whole, masked } : { problem: CANNOT };
  } catch {
    return { problem: CANNOT };
  }
}

const CANNOT = 'a secret in its entry cannot be masked';

function maskedName(task: Uint8Array, hits: ReturnType<typeof findSecrets>): string {
  const text = Buffer.from(task);
  for (const { offset, length } of hits) text.fill(NAME_MASK, offset, offset + length);
  return text.toString('utf8');
}

function jsonBytes(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value) ?? '');
}
