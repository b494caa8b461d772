/** A timeline as characters: an overview of the whole stream, then its bytes, each over the mark of its state. */
import { describeError } from '../parsers/contract-error.ts';
import { bytesText, cells, plural, thousands, visible } from './glyphs.ts';
import { CONFIRMED, EXECUTABLE, PENDING, TEXT, type Timeline } from './timeline.ts';

export interface PictureOptions {
  /** Width in characters. */
  readonly columns: number;
  readonly colour: boolean;
  /** First byte drawn. */
  readonly from: number;
  /** Most rows of bytes; 0 for all. */
  readonly rows: number;
}

/** By state. */
const MARKS = ['·', '━', '░', '▲'];
const COLOURS = ['2', '32', '33', '1;35'];
const BARS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const LF = 0x0a;
const NARROWEST = 20;

/** With its line ends. */
export function drawTimeline(timeline: Timeline, options: PictureOptions): string {
  const lines = [
    ...overview(timeline, options),
    '',
    legend(options),
    '',
    ...byteRows(timeline, options),
    '',
    ...ending(timeline),
  ];
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

function legend({ colour }: PictureOptions): string {
  const mark = (state: number): string => paint(MARKS[state] ?? '', state, colour);
  return `after each byte: ${mark(TEXT)} text   ${mark(CONFIRMED)} confirmed, in a call   ${mark(PENDING)} pending   ${mark(EXECUTABLE)} a call is executable`;
}

/** The largest pending in each part of the stream, and where calls became executable. */
function overview({ bytes, pending, runs, level }: Timeline, options: PictureOptions): string[] {
  if (bytes.length === 0) return [`no ${level} bytes`];
  const width = Math.min(bytes.length, Math.max(NARROWEST, options.columns - 2));
  const column = (at: number): number => Math.min(width - 1, Math.floor((at * width) / bytes.length));
  const peaks = new Array<number>(width).fill(0);
  let most = 0;
  for (const [i, count] of pending.entries()) {
    const at = column(i);
    peaks[at] = Math.max(peaks[at] ?? 0, count);
    if (count > most) most = count;
  }
  const marks = new Array<string>(width).fill(' ');
  for (const { after } of runs) marks[column(Math.max(0, after - 1))] = MARKS[EXECUTABLE] ?? '';
  const total = `${thousands(bytes.length)} ${level} bytes`;
  const each = bytes.length / width;
  return [
    `pending, at most ${bytesText(most)}${width < bytes.length ? ` (each column is the most within ${each.toFixed(1)} bytes)` : ''}`,
    ` ${paint(peaks.map((peak) => bar(peak, most)).join(''), PENDING, options.colour)}`,
    ` ${paint(marks.join('').trimEnd(), EXECUTABLE, options.colour)}`,
    ` 0${total.padStart(width - 1)}`,
  ];
}

function bar(peak: number, most: number): string {
  if (peak === 0) return ' ';
  return BARS[Math.min(BARS.length - 1, Math.ceil((peak * BARS.length) / most) - 1)] ?? '';
}

function byteRows(timeline: Timeline, options: PictureOptions): string[] {
  const { bytes, states } = timeline;
  const gutter = thousands(bytes.length).length;
  const width = Math.max(NARROWEST, options.columns - gutter - 3);
  const lines: string[] = [];
  let from = Math.min(options.from, bytes.length);
  for (let row = 0; from < bytes.length && (options.rows === 0 || row < options.rows); row++) {
    const to = rowEnd(bytes, from, width);
    lines.push(`${thousands(from).padStart(gutter)}  ${cells(bytes.subarray(from, to)).join('')}`);
    lines.push(`${' '.repeat(gutter)}  ${markLine(states.subarray(from, to), options.colour)}`);
    from = to;
  }
  if (from < bytes.length) lines.push(`… ${bytesText(bytes.length - from)} more: --from ${from}, or --rows 0 for all`);
  return lines;
}

/** A row ends with its line, or where it is full: at a whole character. */
function rowEnd(bytes: Uint8Array, from: number, width: number): number {
  const lf = bytes.indexOf(LF, from);
  if (lf !== -1 && lf < from + width) return lf + 1;
  let to = Math.min(bytes.length, from + width);
  while (to > from + 1 && to < bytes.length && ((bytes[to] ?? 0) & 0xc0) === 0x80) to--;
  return to;
}

function markLine(states: Uint8Array, colour: boolean): string {
  let line = '';
  for (let from = 0; from < states.length; ) {
    let to = from + 1;
    while (to < states.length && states[to] === states[from]) to++;
    const state = states[from] ?? TEXT;
    line += paint((MARKS[state] ?? '').repeat(to - from), state, colour);
    from = to;
  }
  return line;
}

function ending({ runs, end, error }: Timeline): string[] {
  const lines = runs.map(({ call, after, atEnd }) => {
    const when = atEnd ? `at the end of the ${end} stream` : `after byte ${thousands(after)}`;
    return `▲ ${visible(call.id)} ${visible(call.name)}: executable ${when}`;
  });
  lines.push(`the stream is ${end}; ${plural(runs.length, 'executable call')}`);
  if (error !== null)
    lines.push(`error ${error.kind} at content byte ${thousands(error.offset)}: ${visible(describeError(error))}`);
  return lines;
}

function paint(text: string, state: number, colour: boolean): string {
  return colour && text !== '' ? `\u001b[${COLOURS[state] ?? '0'}m${text}\u001b[0m` : text;
}
