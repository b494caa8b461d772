/** A run as a reader sees it: the model's text as it comes, a line for each call before it runs, its result behind it. */
import type { AgentEvent, AgentOutcome } from '../agent/agent-event.ts';
import type { PermissionQuestion } from '../agent/permission.ts';
import { rawMembers } from '../stream/raw-json.ts';
import { bytesText, plural, quoted, thousands, visible } from './glyphs.ts';
import type { Terminal } from './terminal.ts';

/** Characters of a value in the line of a call. */
const MOST_OF_VALUE = 60;
/** Lines, and characters of each, that are shown of a result. */
const MOST_LINES = 8;
const MOST_OF_LINE = 160;
/** Characters of a value in a question about what only writes files. */
const MOST_ASKED = 4000;

const STYLES = { call: '36', dim: '2', bad: '31' } as const;

export class AgentView {
  readonly #terminal: Terminal;
  /** The output stands at the start of a line. */
  #fresh = true;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  show(event: AgentEvent): void {
    switch (event.type) {
      case 'text':
        return this.#text(event.text);
      case 'call':
        return this.#line(this.#paint('call', callText(event)));
      case 'result':
        return this.#result(event.exit, event.output);
      case 'refusal':
        return this.#line(this.#paint('bad', `  refused: ${visible(event.reason)}`));
      case 'tool_parse_error':
        return this.#remark(event.feedback);
      case 'stop':
        return this.#stop(event);
      case 'retry':
        return this.#remark(`${event.problem}; attempt ${event.attempt} of ${event.of} in ${thousands(event.wait)} ms`);
      case 'resumed':
        return this.#resumed(event);
      case 'done':
        return this.#done(event.outcome);
      default:
      // A request, reasoning and the growing of arguments are for --json.
    }
  }

  /** A question, or a part of one, that stands in a line of its own. */
  showQuestion(text: string): void {
    this.#startLine();
    this.#terminal.err(text);
  }

  #text(text: string): void {
    const shown = text.split('\n').map(visibleLine).join('\n');
    this.#terminal.out(shown);
    if (shown !== '') this.#fresh = shown.endsWith('\n');
  }

  /** One line goes beside the exit code, more stand below it. */
  #result(exit: number, output: string): void {
    const lines = output === '' ? [] : output.replace(/\n$/, '').split('\n');
    const shown = lines.slice(0, MOST_LINES).map(shortened);
    const more = lines.length - shown.length;
    const rest = more > 0 ? [`… ${plural(more, 'more line')} (${bytesText(Buffer.byteLength(output))})`] : [];
    const block = lines.length === 1 ? [`exit ${exit}: ${shown[0]}`] : [`exit ${exit}`, ...shown, ...rest];
    for (const line of block) this.#line(this.#paint('dim', `  ${line}`));
  }

  #stop({ reason, detail }: Extract<AgentEvent, { type: 'stop' }>): void {
    this.#startLine();
    if (reason === 'imagined-result') this.#remark('text after a call: the reading stopped there');
    if (reason === 'cut') this.#remark(`the answer was cut off: ${detail ?? ''}`);
  }

  #resumed({ records, torn, interrupted, unknown, cwd }: Extract<AgentEvent, { type: 'resumed' }>): void {
    this.#remark(`resumed a session of ${plural(records, 'record')}`);
    if (torn > 0) this.#remark(`its last line was not whole: ${bytesText(torn)} were cut off`);
    if (cwd !== undefined) this.#remark(`it was begun in the folder ${cwd}, which is no more`);
    if (interrupted) this.#remark('its last answer was interrupted');
    for (const id of unknown) this.#remark(`call ${id} has no result: what it did is unknown, and it is not run again`);
  }

  #done(outcome: AgentOutcome): void {
    this.#startLine();
    const text = outcomeText(outcome);
    if (text !== null) this.#remark(text);
  }

  #remark(text: string): void {
    this.#startLine();
    this.#terminal.err(`${this.#paint('bad', visible(text))}\n`);
  }

  #line(text: string): void {
    this.#startLine();
    this.#terminal.out(`${text}\n`);
  }

  #startLine(): void {
    if (!this.#fresh) this.#terminal.out('\n');
    this.#fresh = true;
  }

  #paint(style: keyof typeof STYLES, text: string): string {
    return this.#terminal.colour ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text;
  }
}

/** How a run ended, for the user; null if there is nothing to say. */
function outcomeText(outcome: AgentOutcome): string | null {
  switch (outcome.type) {
    case 'finished':
      return null;
    case 'cancelled':
      return 'cancelled';
    case 'gave-up':
      return `gave up after ${plural(outcome.answers, 'answer')} in a row that could not be used; the last: ${outcome.problem}`;
    case 'turn-limit':
      return `stopped after ${plural(outcome.turns, 'answer')}, the most that --max-turns allows`;
    case 'model-failed':
      return `no answer: ${outcome.problem}`;
    case 'session-failed':
      return outcome.problem;
  }
}

/** What is asked before a call runs. A command is shown whole, however long: any part of it may be what it is about. */
export function questionText({ tool, args }: PermissionQuestion): string {
  const most = tool.effect === 'executes' ? Number.POSITIVE_INFINITY : MOST_ASKED;
  const values = Object.entries(args).map(([key, value]) => `${visible(key)} ${askedValue(String(value), most)}`);
  return `Run ${tool.name}: ${values.join(', ')}`;
}

/** All of it, or its beginning and its end, with what is left out between them. */
function askedValue(value: string, most: number): string {
  const characters = [...value];
  if (characters.length <= most) return quoted(value, value.length);
  const [head, tail] = [characters.slice(0, most / 2), characters.slice(-most / 2)].map((part) => part.join(''));
  const left = thousands(characters.length - most);
  return `${quoted(head!, most)} … ${left} characters are not shown here … ${quoted(tail!, most)}`;
}

function callText({ id, givenId, name, arguments: source }: Extract<AgentEvent, { type: 'call' }>): string {
  const values = rawMembers(source).map(([key, json]) => `${visible(key)} ${valueText(json)}`);
  const given = givenId === undefined ? '' : ` (given as ${visible(givenId)})`;
  return [`call ${visible(id)}${given} ${visible(name)}`, ...values].join('  ');
}

function valueText(json: string): string {
  const value = json.startsWith('"') ? String(JSON.parse(json)) : json;
  const size = Buffer.byteLength(value);
  return `${quoted(value, MOST_OF_VALUE)}${size > MOST_OF_VALUE ? ` (${bytesText(size)})` : ''}`;
}

function shortened(line: string): string {
  const characters = [...line.slice(0, 2 * MOST_OF_LINE)];
  const shown = characters.slice(0, MOST_OF_LINE).join('');
  return `${visibleLine(shown)}${shown.length < line.length ? '…' : ''}`;
}

/** A tab is no command to a terminal. */
function visibleLine(line: string): string {
  return line.split('\t').map(visible).join('\t');
}
