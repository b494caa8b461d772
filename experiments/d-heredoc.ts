/** The counterfactual: the same call, its values delimited instead of counted, through the very same parser. */
import { CtlParser } from '../harness/parsers/ctl.ts';
import type { ParserOptions } from '../harness/parsers/parser.ts';
import { fitsInline, writeCtlHeredoc } from '../harness/replay/frames.ts';
import { effectOfCall, type MeantValue } from './d-effect.ts';
import type { MeantFrame } from './d-readings.ts';
import type { HeredocEffect } from './d-rows.ts';

/**
 * What would have become of a call as a heredoc frame by the suite's prompt. A heredoc always ends with LF: a value of
 * several lines that does not end so would have got one.
 */
export function heredocEffect(frame: MeantFrame, values: readonly MeantValue[], options: ParserOptions): HeredocEffect {
  const delimited: MeantValue[] = [];
  for (const { key, value } of values) {
    if (value === null) return 'undecided';
    delimited.push({ key, declared: null, value: withFinalLf(value) });
  }
  if (delimited.some(({ value }) => !fitsLines(value!, options.lineLimit))) return 'lost';
  const args = delimited.map(({ key, value }) => [key, latin1(value!)] as const);
  const parser = new CtlParser(options);
  parser.push({
    type: 'text',
    at: 0,
    bytes: Buffer.from(writeCtlHeredoc([{ id: frame.id, name: frame.name, args }]), 'latin1'),
  });
  parser.end('complete');
  const effect = effectOfCall(frame, delimited, parser.calls[0] ?? null);
  const isSame = delimited.every(({ value }, i) => value!.length === values[i]!.value!.length);
  return effect === 'as_meant' && !isSame ? 'with_final_lf' : effect;
}

function withFinalLf(value: Uint8Array): Uint8Array {
  const text = latin1(value);
  return text === '' || text.endsWith('\n') || fitsInline(text) ? value : Buffer.from(`${text}\n`, 'latin1');
}

/** A line of `lineLimit` bytes and more, LF included, is a contract error in a heredoc, and in an `arg` line as well. */
function fitsLines(value: Uint8Array, lineLimit: number): boolean {
  return latin1(value)
    .split('\n')
    .every((line) => line.length < lineLimit);
}

/** One character a byte: the frames are the same, whatever the bytes are. */
function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}
