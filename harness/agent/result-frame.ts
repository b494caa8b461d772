/**
 * What a call's result looks like to the model (ctl.md "Result frames"): the output, cut to a cap, and the frame around
 * it. Native protocols send the capped output as a `tool` message, without a frame.
 *
 * Requests are JSON, so what is sent is text: a byte that is no UTF-8 is shown as U+FFFD, and all sizes are those of the
 * text as it is sent. For an output in UTF-8 that is the output itself.
 */
import type { ToolOutcome } from './tool.ts';
import { isReadableWithin, readableHead, readableTail, readableText } from './utf8.ts';

/** Bytes of UTF-8 (ctl.md). */
export const DEFAULT_OUTPUT_CAP = 16 * 1024;
export const LEAST_OUTPUT_CAP = 256;
export const MOST_OUTPUT_CAP = 16 * 1024 * 1024;
/** The environment variable that sets the cap. */
export const OUTPUT_CAP_VARIABLE = 'CST_TOOL_OUT_CAP';

const HEAD_SHARE = 0.6;
const LF = 0x0a;

type Output = Pick<ToolOutcome, 'output' | 'omitted'>;

/** What a cut leaves of an output: a prefix, a suffix and the number of bytes between them. */
export interface CutOutput {
  readonly head: Uint8Array;
  readonly leftOut: number;
  readonly tail: Uint8Array;
}

/** `result <id> exit=<exit> <bytes>`, the output, `end`; the number is that of the output's bytes in UTF-8. */
export function resultFrame(id: string, exit: number, output: string): string {
  return `result ${id} exit=${exit} ${Buffer.byteLength(output)}\n${output}\nend\n`;
}

/**
 * The output as text, at most `cap` bytes of it; if that is not all, one line between head and tail says how many bytes
 * were left out.
 * @param cap bytes of UTF-8; the line comes on top
 */
export function cappedOutput(output: Output, cap: number): string {
  const cut = cutOutput(output, cap);
  if (cut === null) return readableText(output.output);
  const { head, leftOut, tail } = cut;
  const lineEnd = head.length === 0 || head.at(-1) === LF ? '' : '\n';
  return `${readableText(head)}${lineEnd}[${thousands(leftOut)} bytes left out]\n${readableText(tail)}`;
}

/** The first 60 % and the last 40 % of what the cap allows, without split characters; null if the whole output fits. */
export function cutOutput({ output, omitted }: Output, cap: number): CutOutput | null {
  if (omitted === undefined && isReadableWithin(output, cap)) return null;
  const headCap = Math.floor(cap * HEAD_SHARE);
  const before = output.subarray(0, omitted?.at);
  const after = output.subarray(omitted?.at ?? 0);
  const head = before.subarray(0, readableHead(before, headCap));
  const tail = after.subarray(after.length - readableTail(after, cap - headCap));
  return { head, leftOut: output.length + (omitted?.bytes ?? 0) - head.length - tail.length, tail };
}

/** The cap that a user asked for, or what is wrong with it. Not asked for (or empty): the default. */
export function readOutputCap(text: string | undefined): { readonly cap: number } | { readonly problem: string } {
  if (text === undefined || text === '') return { cap: DEFAULT_OUTPUT_CAP };
  const cap = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (cap >= LEAST_OUTPUT_CAP && cap <= MOST_OUTPUT_CAP) return { cap };
  return {
    problem: `${JSON.stringify(text)} is no output cap: wanted is a number of bytes from ${LEAST_OUTPUT_CAP} to ${MOST_OUTPUT_CAP}`,
  };
}

function thousands(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}
