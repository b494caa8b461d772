/** What holds at a position of a stream, in words. */
import { cutEffect, pendingAt, runsAt, type UnderWay, underWayAt } from './scrubber-reading.ts';
import type { ScrubberReading, ScrubberRun, ScrubberStream } from './scrubber-types.ts';

/** One framing at one position; each member is a phrase or a sentence. */
export interface Words {
  /** `byte 120 of 512 (23 %)`, or `end of the stream`. */
  readonly position: string;
  /** `37 bytes`. */
  readonly pending: string;
  /** `1 of 2 calls`: of those that ever become executable, if there are any. */
  readonly executable: string;
  readonly lastRun: string;
  readonly underWay: string;
  readonly error: string;
  readonly cut: string;
}

const NOTHING = '–';

export function wordsAt(stream: ScrubberStream, reading: ScrubberReading, position: number): Words {
  const ran = runsAt(reading, position);
  const call = underWayAt(reading, position);
  return {
    position: positionWords(stream, position),
    pending: bytesText(pendingAt(reading, position)),
    executable: reading.runs.length === 0 ? 'no call' : `${ran.length} of ${plural(reading.runs.length, 'call')}`,
    lastRun: lastRunWords(ran.at(-1), stream.bytes),
    underWay: call === null || hasFailed(reading, position) ? NOTHING : underWayWords(call),
    error: errorWords(reading, stream.bytes, position),
    cut: cutWords(stream, reading, position),
  };
}

/** One phrase for assistive technology: where, and what is pending, executable, wrong. */
export function spokenWords(words: Words, reading: ScrubberReading, position: number): string {
  const error = hasFailed(reading, position) ? `, contract error ${reading.error?.kind}` : '';
  return `${words.position}: ${words.pending} pending, ${words.executable} executable${error}`;
}

/** What happens along the whole stream: the text that stands for the picture of it. */
export function streamWords(stream: ScrubberStream, reading: ScrubberReading, most: number): string {
  const { bytes } = stream;
  const ran = reading.runs.map(({ from, name }) => `${name} ${placeWords(from, bytes)}`);
  const calls = ran.length === 0 ? 'No call becomes executable.' : `Executable: ${ran.join(', ')}.`;
  const { error } = reading;
  const wrong = error === null ? '' : ` Contract error ${error.kind} ${placeWords(error.from, bytes)}.`;
  return `Pending bytes along ${reading.protocol}, ${bytesText(bytes)} long: at most ${thousands(most)}. ${calls}${wrong}`;
}

export function hasFailed({ error }: ScrubberReading, position: number): boolean {
  return error !== null && error.from <= position;
}

/** `1,234`. */
export function thousands(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${thousands(count)} ${count === 1 ? one : many}`;
}

export function bytesText(count: number): string {
  return plural(count, 'byte');
}

function positionWords({ bytes, end }: ScrubberStream, position: number): string {
  if (position > bytes) return `end of the ${end} stream, ${bytesText(bytes)}`;
  const percent = bytes === 0 ? 100 : Math.floor((position / bytes) * 100);
  return `byte ${thousands(position)} of ${thousands(bytes)} (${percent} %)`;
}

function placeWords(position: number, bytes: number): string {
  return position > bytes ? 'at the end of the stream' : `after byte ${thousands(position)}`;
}

function lastRunWords(run: ScrubberRun | undefined, bytes: number): string {
  if (run === undefined) return 'none yet';
  const args = run.args.map((arg) => `${arg.key} = ${arg.preview} (${bytesText(arg.bytes)})`).join(', ');
  return `${run.id} ${run.name}, ${placeWords(run.from, bytes)}: ${args === '' ? 'no arguments' : args}`;
}

function underWayWords({ id, name, key, declared, counts, arrived }: UnderWay): string {
  const identity = [id, name].filter((part) => part !== undefined).join(' ');
  const call = identity === '' ? 'a call whose name is not known yet' : `call ${identity}`;
  if (!counts) return call;
  const size = declared === undefined ? bytesText(arrived) : `${thousands(arrived)} of ${bytesText(declared)} declared`;
  return key === undefined ? `${call}, ${size} of arguments` : `${call}, argument ${key}: ${size}`;
}

function errorWords(reading: ScrubberReading, bytes: number, position: number): string {
  const { error } = reading;
  if (error === null || error.from > position) return NOTHING;
  const where = error.offset >= bytes ? 'the end' : `byte ${thousands(error.offset)}`;
  return `${error.kind} at ${where}, line ${thousands(error.line)}: ${error.message}`;
}

function cutWords({ bytes, end }: ScrubberStream, reading: ScrubberReading, position: number): string {
  const { ran, lost, breaksOff } = cutEffect(reading, position);
  const failed = hasFailed(reading, position);
  const runs = ran === 0 ? 'no call' : plural(ran, 'call');
  if (position > bytes) {
    const error = failed ? ', what followed the error is discarded' : '';
    return `The stream has ended (${end}): ${runs} ran${error}${lost > 0 ? `, ${lostWords(lost)}` : ''}.`;
  }
  return `${ran === 0 ? 'No call' : runs} would have run; ${lossWords({ failed, lost, breaksOff })}.`;
}

function lossWords({ failed, lost, breaksOff }: { failed: boolean; lost: number; breaksOff: boolean }): string {
  if (failed) return 'what follows the error is discarded';
  if (lost > 0) return `${lostWords(lost)}, with all else that is pending`;
  return breaksOff ? 'the call under way is lost' : 'nothing is lost';
}

function lostWords(count: number): string {
  return `${plural(count, 'complete call')} ${count === 1 ? 'is' : 'are'} lost`;
}
