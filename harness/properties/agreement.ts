/** Do two readings of one whole stream say the same? Parser against oracle, parser against what a manifest expects. */
import { isDeepStrictEqual } from 'node:util';
import type { OracleReading } from '../oracles/oracle.ts';
import { argumentsAsJson, callDifference } from '../parsers/call.ts';
import type { ContractError } from '../parsers/contract-error.ts';
import type { Frontier, ToolCall } from '../parsers/parser.ts';
import type { Expectation, ExpectedCall } from '../replay/recording.ts';
import type { StreamEnd } from '../stream/event.ts';

/** How the final frontier differs from the oracle's reading; null if it does not. */
export function disagreement(frontier: Frontier, reading: OracleReading): string | null {
  const calls = [...frontier.calls].sort((a, b) => a.ordinal - b.ordinal);
  if (calls.length !== reading.calls.length) {
    return `${calls.length} calls ran, the oracle has ${reading.calls.length}`;
  }
  for (const [i, call] of calls.entries()) {
    const truth = reading.calls[i];
    if (truth === undefined || truth.ordinal !== call.ordinal) return `call ${call.id} is not the oracle's`;
    const difference = callDifference(call, truth);
    if (difference !== null) return `call ${call.id}: ${difference}`;
  }
  return errorDifference(frontier.error, reading.error);
}

/** How the final frontier differs from what the recording's manifest expects; null if it does not. */
export function unexpected(frontier: Frontier, end: StreamEnd, expectation: Expectation): string | null {
  if (end !== expectation.end) return `the stream is ${end}, expected ${expectation.end}`;
  if (frontier.calls.length !== expectation.calls.length) {
    return `${frontier.calls.length} calls ran, expected ${expectation.calls.length}`;
  }
  for (const [i, expected] of expectation.calls.entries()) {
    const call = frontier.calls[i];
    const difference = call === undefined ? 'missing' : unexpectedCall(call, expected);
    if (difference !== null) return `call ${i}: ${difference}`;
  }
  return errorDifference(frontier.error, expectation.error);
}

function unexpectedCall(call: ToolCall, expected: ExpectedCall): string | null {
  if (expected.id !== undefined && call.id !== expected.id) return `id ${call.id}, expected ${expected.id}`;
  if (call.name !== expected.name) return `name ${call.name}, expected ${expected.name}`;
  if (expected.argsText !== undefined && call.args.form === 'json') {
    return call.args.text === expected.argsText ? null : `arguments ${call.args.text}, expected ${expected.argsText}`;
  }
  const args = argumentsAsJson(call.args);
  if (isDeepStrictEqual({ ...args }, { ...expected.args })) return null;
  return `arguments ${shorten(args)}, expected ${shorten(expected.args)}`;
}

function errorDifference(
  error: ContractError | null,
  expected: { readonly kind: string; readonly offset?: number; readonly line?: number } | null,
): string | null {
  if (error === null || expected === null) {
    return error === expected ? null : `error ${error?.kind ?? 'none'}, expected ${expected?.kind ?? 'none'}`;
  }
  if (error.kind !== expected.kind) return `error ${error.kind}, expected ${expected.kind}`;
  if (expected.offset !== undefined && error.offset !== expected.offset) {
    return `${error.kind} at offset ${error.offset}, expected ${expected.offset}`;
  }
  if (expected.line !== undefined && error.line !== expected.line) {
    return `${error.kind} in line ${error.line}, expected ${expected.line}`;
  }
  return null;
}

function shorten(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

const MAX_SHOWN = 100;
