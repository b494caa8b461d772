/** What `cst check` answers of one stream, and of all of them. */
import { type Outcome, violations } from '../properties/recording-check.ts';
import { bytesText, plural, thousands, visible } from './glyphs.ts';
import { acceptedOf, type StreamCheck, worstLag, worstPending } from './stream-check.ts';

/** The JSON line of one stream × protocol, without its line end. */
export function checkJson(check: StreamCheck): string {
  const { target, protocol, parser, report, outcomes } = check;
  return JSON.stringify({
    file: target.path,
    protocol,
    ...(parser !== undefined && { parser, judgedAt: check.judgedAt }),
    framing: target.recording.framing,
    ...(target.recording.guessed && { guessed: true }),
    end: report.end,
    calls: report.executed,
    oracleCalls: report.oracleCalls,
    error:
      report.error === null ? null : { kind: report.error.kind, offset: report.error.offset, line: report.error.line },
    violations: violations(check).length,
    bound: check.subject.bound,
    levels: report.levels.map(({ level, bytes, prefixes, pending }) => ({ level, bytes, prefixes, pending })),
    lags: report.lags,
    properties: outcomes.map((outcome) => outcomeJson(outcome)),
  });
}

function outcomeJson({ level, verdict, accepted }: Outcome): object {
  return {
    ...(level !== null && { level }),
    ...verdict,
    ...(accepted?.as === 'limit of the protocol' && { limitOfTheProtocol: true }),
    ...(accepted?.as === 'expected finding' && { expectedFinding: accepted.reason }),
  };
}

/** One line of one stream × protocol, with its line end. */
export function checkLine(check: StreamCheck): string {
  const { target, protocol, parser, judgedAt, report, subject } = check;
  const reader = parser === undefined ? protocol : `${visible(parser)} as ${protocol}`;
  const guess = target.recording.guessed ? ' (guessed)' : '';
  const bound = subject.bound === null ? '' : ` of ${thousands(subject.bound)}`;
  const parts = [
    `${report.end}, ${plural(report.executed, 'call')}`,
    ...(report.error === null ? [] : [`error ${report.error.kind}`]),
    ...(reportsPending(check) ? [`pending at most ${thousands(worstPending(check))}${bound}`] : []),
    `lag ${thousands(worstLag(check))}`,
    ...(judgedAt === 'delta' && parser !== undefined ? ['judged at deltas'] : []),
  ];
  return `${statusOf(check).padEnd(9)} ${visible(target.path)}  ${reader}${guess}: ${parts.join(', ')}\n`;
}

/** A parser that is not ours may not tell. */
function reportsPending({ subject }: StreamCheck): boolean {
  return subject.reports?.pending !== false;
}

function statusOf(check: StreamCheck): string {
  if (violations(check).length > 0) return 'VIOLATED';
  const reasons = acceptedOf(check).map(({ as }) => as);
  if (reasons.includes('expected finding')) return 'expected';
  return reasons.length > 0 ? 'ok, limit' : 'ok';
}

/** Figures over all streams; nothing of a stream is kept but these. */
export class CheckSummary {
  readonly #streams = new Set<string>();
  readonly #properties = new Map<string, { holds: number; violated: number; accepted: number; notAsked: number }>();
  /** Readings by what was accepted in them, as it is shown. */
  readonly #accepted = new Map<string, number>();
  #readings = 0;
  #violated = 0;
  #expected = 0;
  #calls = 0;
  #prefixes = 0;
  #pending = { bytes: -1, where: '' };
  #lag = { bytes: -1, where: '' };

  get streams(): number {
    return this.#streams.size;
  }

  get violated(): number {
    return this.#violated;
  }

  add(check: StreamCheck): void {
    const { target, protocol, report } = check;
    const where = `${target.path}, ${protocol}`;
    this.#streams.add(target.path);
    this.#readings++;
    this.#calls += report.executed;
    for (const { prefixes } of report.levels) this.#prefixes += prefixes;
    if (violations(check).length > 0) this.#violated++;
    if (reportsPending(check)) this.#pending = larger(this.#pending, { bytes: worstPending(check), where });
    this.#lag = larger(this.#lag, { bytes: worstLag(check), where });
    for (const outcome of check.outcomes) this.#count(outcome);
    for (const { as, reason, properties } of acceptedOf(check)) {
      if (as === 'expected finding') this.#expected += properties.length;
      const what = `${as}, ${protocol}, ${properties.join(' ')}: ${visible(reason)}`;
      this.#accepted.set(what, (this.#accepted.get(what) ?? 0) + 1);
    }
  }

  /** Lines, with their line ends. */
  text(): string {
    const lines = [
      `${plural(this.streams, 'stream')} in ${plural(this.#readings, 'reading')} (stream × protocol), ${plural(this.#prefixes, 'prefix', 'prefixes')}, ${plural(this.#calls, 'call')} executed`,
    ];
    if (this.#readings > 0) {
      lines.push(...this.#propertyLines(), ...this.#acceptedLines());
      if (this.#pending.bytes >= 0) {
        lines.push(`  worst pending ${bytesText(this.#pending.bytes)} (${visible(this.#pending.where)})`);
      }
      lines.push(`  worst lag ${bytesText(this.#lag.bytes)} (${visible(this.#lag.where)})`);
      lines.push(this.#conclusion());
    }
    return lines.map((line) => `${line}\n`).join('');
  }

  #conclusion(): string {
    if (this.#violated > 0) return `${plural(this.#violated, 'reading')} with violations.`;
    return this.#expected === 0
      ? 'Everything holds.'
      : `Everything else holds: ${plural(this.#expected, 'expected finding')}.`;
  }

  #count({ verdict, accepted }: Outcome): void {
    const figures = this.#properties.get(verdict.property) ?? { holds: 0, violated: 0, accepted: 0, notAsked: 0 };
    this.#properties.set(verdict.property, figures);
    if (verdict.status === 'not-applicable') figures.notAsked++;
    else if (verdict.status === 'holds') figures.holds++;
    else if (accepted === null) figures.violated++;
    else figures.accepted++;
  }

  #propertyLines(): string[] {
    return [...this.#properties].map(([property, { holds, violated, accepted, notAsked }]) => {
      const parts = [`holds ${thousands(holds)}`, `violated ${thousands(violated)}`];
      if (accepted > 0) parts.push(`accepted ${thousands(accepted)}`);
      if (notAsked > 0) parts.push(`not asked ${thousands(notAsked)}`);
      return `  ${property.padEnd(12)} ${parts.join(', ')}`;
    });
  }

  #acceptedLines(): string[] {
    return [...this.#accepted].map(([what, count]) => `  in ${plural(count, 'reading')}: ${what}`);
  }
}

function larger(
  a: { bytes: number; where: string },
  b: { bytes: number; where: string },
): { bytes: number; where: string } {
  return b.bytes > a.bytes ? b : a;
}
