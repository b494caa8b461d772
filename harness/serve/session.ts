/** A scripted session: what answers each turn of a conversation, and with which faults. */
import * as z from 'zod';
import { type ArmedFault, armedFault } from './faults.ts';
import { ServeError } from './serve-error.ts';

/** What a conversation gets after its last turn: a short text, a 400, or its last turn again. */
export const AFTER = ['done', 'error', 'repeat'] as const;
export type After = (typeof AFTER)[number];

export type Answer =
  /** Name of a recording (`Catalogue.find`). */
  { readonly recording: string } | { readonly text: string };

export interface Turn {
  readonly answer: Answer;
  readonly faults: readonly ArmedFault[];
}

export interface Session {
  /** At least one. */
  readonly turns: readonly Turn[];
  readonly after: After;
}

/** What a conversation is told when its turns are over. */
export const DONE_TEXT = 'Done.';

/** A session of one turn. */
export function recordingSession(recording: string, after: After): Session {
  return { turns: [{ answer: { recording }, faults: [] }], after };
}

/** The turn (from 1) of a conversation; null if its turns are over and that is an error. */
export function turnOf({ turns, after }: Session, turn: number): Turn | null {
  const written = turns[turn - 1];
  if (written !== undefined) return written;
  if (after === 'repeat') return turns.at(-1) ?? null;
  return after === 'done' ? { answer: { text: DONE_TEXT }, faults: [] } : null;
}

const fault = z.union(
  [z.string(), z.strictObject({ fault: z.string(), times: z.int().positive().exactOptional() })],
  'expected a fault ("cut@1200") or {"fault": "cut@1200", "times": 1}',
);
const faults = z.array(fault).exactOptional();
const turn = z.union(
  [z.strictObject({ recording: z.string().min(1), faults }), z.strictObject({ text: z.string(), faults })],
  'expected {"recording": "SUITE/FILE", "faults"?: […]} or {"text": "…", "faults"?: […]}',
);
const script = z.strictObject({ turns: z.array(turn).min(1), after: z.enum(AFTER).default('done') });

/** Reads the text of a script; `file` is only named in messages. Throws `ServeError`. */
export function readScript(text: string, file: string): Session {
  const result = script.safeParse(parsed(text, file));
  if (!result.success) {
    const [issue] = result.error.issues;
    const place = (issue?.path ?? []).map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
    throw new ServeError(
      'file',
      `${file}${place === '' ? '' : `, ${place.slice(1)}`}: ${issue?.message ?? 'no script'}`,
    );
  }
  return {
    turns: result.data.turns.map(({ faults: written = [], ...answer }, at) => ({
      answer,
      faults: written.map((one, nth) => scriptedFault(one, `${file}, turns[${at}].faults[${nth}]`)),
    })),
    after: result.data.after,
  };
}

function scriptedFault(written: z.infer<typeof fault>, place: string): ArmedFault {
  const { fault: text, times = null } = typeof written === 'string' ? { fault: written } : written;
  try {
    return armedFault(text, times);
  } catch (error) {
    if (error instanceof ServeError) throw new ServeError('file', `${place}: ${error.message}`);
    throw error;
  }
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ServeError('file', `${file}: is not JSON (${error instanceof Error ? error.message : String(error)})`);
  }
}
