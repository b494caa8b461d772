/**
 * The small inputs behind real faults, carried over byte for byte: each stream keeps the sidecar that it came with, and
 * here the sidecar becomes an expectation. Where the specification overrules a sidecar, the specification is followed,
 * and {@link OVERRULED} says why.
 */
import * as z from 'zod';
import { CONTRACT_ERROR_KINDS } from '../../../harness/parsers/contract-error.ts';
import type { JsonObject } from '../../../harness/parsers/parser.ts';
import type { ContractProtocol, Protocol } from '../../../harness/parsers/protocols.ts';
import type { ManifestEntry } from '../../../harness/replay/manifest.ts';
import { type Expectation, type Framing, READERS } from '../../../harness/replay/recording.ts';

const jsonObject = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);

const call = z.strictObject({
  id: z.string().exactOptional(),
  name: z.string(),
  args: jsonObject,
  argsText: z.string().exactOptional(),
});

/** What is read of a sidecar; it says more (its class, what the model meant, which properties a wrong reading breaks). */
const sidecar = z.object({
  protocol: z.string(),
  wire: z.literal('openai-chat'),
  end: z.enum(['complete', 'cut']),
  expectedCalls: z.array(call),
  expectedError: z.enum(CONTRACT_ERROR_KINDS).exactOptional(),
  alsoUnder: z
    .array(
      z.object({
        protocol: z.string(),
        expectedCalls: z.array(call),
        expectedError: z.enum(CONTRACT_ERROR_KINDS).exactOptional(),
      }),
    )
    .default([]),
  note: z.string(),
  source: z.object({ url: z.url() }),
  tools: z.array(jsonObject).exactOptional(),
});

type Sidecar = z.infer<typeof sidecar>;
type Answer = Pick<Sidecar, 'expectedCalls' | 'expectedError'>;

/** The names that the sidecars use. */
const PROTOCOL_NAMES: Readonly<Record<string, ContractProtocol>> = {
  'native-eos': 'json-whole',
  'native-inc': 'json-object',
  xml: 'xml',
  ctl: 'ctl',
  'ctl-heredoc': 'ctl-heredoc',
};

/** The cases are of the five protocols of the specification. */
const FRAMING_OF: Readonly<Record<ContractProtocol, Framing>> = {
  'json-whole': 'native',
  'json-object': 'native',
  xml: 'xml',
  ctl: 'ctl',
  'ctl-heredoc': 'ctl-heredoc',
};

interface Overruling {
  readonly why: string;
  /** The `alsoUnder` of the sidecar that stands instead of its answer. */
  readonly instead?: string;
  readonly answer?: Answer;
}

/** By the number of the case. */
const OVERRULED: Readonly<Record<string, Overruling>> = {
  '02': {
    why: 'json-object runs c1 with {} as the next index opens (streams.md: the rule is not sound): an expected finding. The expectation is the right answer.',
  },
  '53': { why: 'The default cap of an unfinished event is 16 MiB: a plain cut.', answer: { expectedCalls: [] } },
  '59': { why: 'A parser has no tool schema: all values are strings.', instead: 'no schema: all strings' },
  '71': { why: 'The stop rule is the runtime’s; the parser alone reads both calls.', instead: 'grammar only' },
};

export type CarriedEntry = Pick<
  ManifestEntry,
  'file' | 'task' | 'protocol' | 'expect' | 'rule' | 'note' | 'origin' | 'tools'
>;

/** The manifest entry of a carried-over stream, but for its bytes. `name` is `NN-slug`. */
export function carriedEntry(name: string, sidecarText: string): CarriedEntry {
  const parsed = sidecar.parse(JSON.parse(sidecarText));
  const number = name.slice(0, 2);
  const overruled = OVERRULED[number];
  const main = protocolNamed(parsed.protocol);
  const framing = FRAMING_OF[main];
  const task = `case-${name}`;
  return {
    file: `${task}.${framing}.sse`,
    task,
    protocol: framing,
    expect: READERS[framing].map((protocol) => carriedExpectation(protocol, { parsed, number })),
    rule: `cases: ${name}`,
    note: overruled === undefined ? parsed.note : `${parsed.note} (${overruled.why})`,
    origin: parsed.source.url,
    ...(parsed.tools !== undefined && { tools: parsed.tools }),
  };
}

interface Carried {
  readonly parsed: Sidecar;
  readonly number: string;
}

function carriedExpectation(protocol: Protocol, carried: Carried): Expectation {
  const { expectedCalls, expectedError } = answerFor(protocol, carried);
  const error = expectedError === undefined ? null : { kind: expectedError };
  return { protocol, end: carried.parsed.end, calls: expectedCalls, error };
}

/** A sidecar that says nothing of the other JSON protocol means the same for it. */
function answerFor(protocol: Protocol, { parsed, number }: Carried): Answer {
  const overruled = OVERRULED[number];
  if (overruled?.answer !== undefined) return overruled.answer;
  const under = parsed.alsoUnder.find((other) =>
    overruled?.instead === undefined
      ? PROTOCOL_NAMES[other.protocol] === protocol
      : other.protocol === overruled.instead,
  );
  return under ?? parsed;
}

function protocolNamed(name: string): ContractProtocol {
  const protocol = PROTOCOL_NAMES[name];
  if (protocol === undefined) throw new Error(`the sidecar names the protocol ${name}, which is none of ours`);
  return protocol;
}
