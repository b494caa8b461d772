/** Every policy on every native stream, judged by the oracle of json-object. */

import type { OracleCall } from '../harness/oracles/oracle.ts';
import { ORACLES } from '../harness/oracles/oracles.ts';
import type { JsonObject } from '../harness/parsers/parser.ts';
import { limitsOf } from '../harness/replay/limits.ts';
import type { Recording } from '../harness/replay/recording.ts';
import { contentSize } from '../harness/replay/replay.ts';
import { readStream, type StreamReading } from '../harness/stream/reader.ts';
import { type PeerCall, peerCalls, type Step } from './peers-calls.ts';
import { readByHelper } from './peers-openai.ts';
import { OPENAI_POLICY } from './peers-order.ts';
import { POLICIES, type Policy, versionOf } from './peers-policies.ts';
import type { PeerRow } from './peers-rows.ts';

/** Streams with more content bytes are walked as recorded: at every character, a library that begins anew each time takes hours. */
const MOST_BYTES_ONE_BY_ONE = 64 * 1024;

/** A call that a policy has run. */
interface Ran {
  readonly ordinal: number;
  readonly id: string;
  readonly name: string;
  readonly object: JsonObject;
  readonly delivered: number;
  /** By the end of the stream. */
  readonly atEnd: boolean;
  /** The library's answer to the whole text is no object any more. */
  readonly withdrawn: boolean;
}

export async function runPeers(recording: Recording): Promise<readonly PeerRow[]> {
  const bytes = await recording.bytes();
  const { parser: options, ...limit } = limitsOf(recording.limits);
  const stream = readStream(bytes, recording.wire, limit);
  const { calls: all } = ORACLES['json-object'](stream.events, stream.end, options);
  const truths = all.filter(({ args }) => args.form === 'json');
  const step: Step = contentSize(stream.events) > MOST_BYTES_ONE_BY_ONE ? 'delta' : 'character';
  const calls = peerCalls(stream.events, step).filter(({ name }) => name !== null);
  // Without a native call no library here is asked: calls in a text are no arguments, and to run none of none is no merit.
  if (calls.length === 0) return [];
  const place = { suite: recording.suite, recording: recording.file, end: stream.end };
  const rows: PeerRow[] = [];
  for (const policy of POLICIES) {
    const ran = await ranBy(policy, calls, stream);
    const library = policy.library ?? 'JavaScript';
    const version = policy.library === null ? '' : versionOf(policy.library);
    rows.push({ ...place, policy: policy.name, library, version, step, ...judge(ran, truths), threw: null });
  }
  if (recording.wire !== 'openai-chat') return rows;
  const { runs, threw } = await readByHelper(bytes, stream.events);
  const ran = runs.map((run) => ({ ...run, atEnd: false, withdrawn: false }));
  const version = versionOf('openai');
  rows.push({
    ...place,
    policy: OPENAI_POLICY,
    library: 'openai',
    version,
    step: 'delta',
    ...judge(ran, truths),
    threw,
  });
  return rows;
}

async function ranBy(policy: Policy, calls: readonly PeerCall[], stream: StreamReading): Promise<readonly Ran[]> {
  const size = contentSize(stream.events);
  const found: Ran[] = [];
  for (const { ordinal, id, name, namedAt, pieces } of calls) {
    if (name === null) continue;
    const text = pieces.map((piece) => piece.text).join('');
    const atEnd = await policy.atEnd(text);
    const run = await policy.during(pieces);
    const call = { ordinal, id, name };
    if (run !== null) {
      const delivered = Math.max(namedAt, run.delivered);
      found.push({ ...call, object: run.object, delivered, atEnd: false, withdrawn: atEnd === null });
    } else if (stream.end === 'complete' && atEnd !== null) {
      found.push({ ...call, object: atEnd, delivered: size, atEnd: true, withdrawn: false });
    }
  }
  return found;
}

type Judgement = Omit<PeerRow, 'suite' | 'recording' | 'end' | 'policy' | 'library' | 'version' | 'step' | 'threw'>;

function judge(ran: readonly Ran[], truths: readonly OracleCall[]): Judgement {
  const findings = ran.map((run) => judgeRun(run, truths));
  const count = (what: (finding: Finding) => boolean): number => findings.filter(what).length;
  const first = findings.find(({ what }) => what !== null);
  const wrong = count(({ foreign, altered }) => foreign || altered);
  return {
    calls: truths.length,
    ran: ran.length,
    s1: count(({ early, foreign }) => early || foreign),
    early: count(({ early }) => early),
    foreign: count(({ foreign }) => foreign),
    s2: count(({ altered }) => altered),
    s3: ran.filter(({ withdrawn }) => withdrawn).length,
    wrong,
    lost: truths.filter(({ ordinal }) => ran.every((run) => run.ordinal !== ordinal)).length,
    firstPrefix: first?.run.delivered ?? null,
    firstWhat: first?.what ?? '',
  };
}

interface Finding {
  readonly run: Ran;
  /** S1: before the byte that ends its frame. */
  readonly early: boolean;
  /** S1: no call of the whole stream. */
  readonly foreign: boolean;
  /** S2: id, name or a value is another in the whole stream. */
  readonly altered: boolean;
  readonly what: string | null;
}

function judgeRun(run: Ran, truths: readonly OracleCall[]): Finding {
  const truth = truths.find(({ ordinal }) => ordinal === run.ordinal);
  const shown = `${run.name} ${shorten(JSON.stringify(run.object))}`;
  if (truth === undefined) {
    return {
      run,
      early: false,
      foreign: true,
      altered: false,
      what: `ran ${shown}, which is no call of the stream by the contract`,
    };
  }
  const early = !run.atEnd && run.delivered <= truth.end;
  const object = truth.args.form === 'json' ? truth.args.object : {};
  const altered =
    run.id !== truth.id || run.name !== truth.name || JSON.stringify(run.object) !== JSON.stringify(object);
  if (run.id !== truth.id) {
    return {
      run,
      early,
      foreign: false,
      altered,
      what: `ran ${shown} under the id ${run.id}, the call has ${truth.id}`,
    };
  }
  if (altered) {
    return {
      run,
      early,
      foreign: false,
      altered,
      what: `ran ${shown}, the call is ${shorten(JSON.stringify(object))}`,
    };
  }
  return { run, early, foreign: false, altered, what: early ? `ran ${shown} before its end` : null };
}

function shorten(text: string): string {
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}

const MOST_SHOWN = 60;
