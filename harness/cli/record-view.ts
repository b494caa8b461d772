/** What `cst record` prints. Every text that came from elsewhere has its control characters visible. */
import type { Job } from '../record/plan.ts';
import type { AnswerEnd, Outcome } from '../record/recorder.ts';
import type { Retry } from '../record/sender.ts';
import { bytesText, plural, visible } from './glyphs.ts';

export function planLine({ file, model, run }: Job): string {
  return `${visible(file)}: ${visible(model)}, ${visible(run)}\n`;
}

export function retryLine(job: Job, { attempt, of, problem, wait }: Retry): string {
  return `${visible(job.file)}: ${visible(problem)}; attempt ${attempt} of ${of} in ${(wait / 1000).toFixed(1)} s\n`;
}

/** The line of a job that has ended. */
export function outcomeLine({ file }: Job, outcome: Outcome): string {
  const name = visible(file);
  switch (outcome.kind) {
    case 'stored':
      return `${name}: ${bytesText(outcome.bytes)}${outcome.note === null ? '' : `. ${visible(outcome.note)}`}\n`;
    case 'failed':
      return `${name}: not recorded\n`;
    case 'refused':
      return `${name}: not stored\n`;
    default:
      return `${name}: not asked\n`;
  }
}

/** Why what is not stored is not, in order of the plan. */
export function problemLines(jobs: readonly Job[], outcomes: readonly Outcome[]): readonly string[] {
  return jobs.flatMap(({ file }, at) => {
    const outcome = outcomes[at];
    if (outcome?.kind === 'failed') return [`${visible(file)}: ${visible(outcome.problem)}\n`];
    if (outcome?.kind !== 'refused') return [];
    return [`${visible(file)}: ${visible(outcome.problem)}: not stored (--redact masks what can be masked)\n`];
  });
}

/** @param limited answers that were not asked for because of `--limit` */
export function summaryLine(outcomes: readonly Outcome[], limited: number): string {
  const count = (kind: Outcome['kind']): number => outcomes.filter((outcome) => outcome.kind === kind).length;
  const parts = [
    `${plural(count('stored'), 'answer')} recorded${endsText(outcomes)}`,
    ...part(count('failed'), 'failed'),
    ...part(count('refused'), 'not stored'),
    ...part(count('left') + limited, 'not asked for'),
  ];
  return `${parts.join(', ')}${parts.length > 1 ? '; the same command goes on' : ''}\n`;
}

/** Of the recorded ones, those that are not whole. */
function endsText(outcomes: readonly Outcome[]): string {
  const count = (end: AnswerEnd): number =>
    outcomes.filter((outcome) => outcome.kind === 'stored' && outcome.end === end).length;
  const inError = count('error');
  const parts = [
    ...part(count('cut'), 'cut off'),
    ...part(inError, `of them ${inError === 1 ? 'ends' : 'end'} in an error`),
  ];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

function part(count: number, what: string): readonly string[] {
  return count === 0 ? [] : [`${count} ${what}`];
}
