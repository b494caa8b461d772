/** What `cst import` prints. Every text that came from elsewhere has its control characters visible. */
import { join } from 'node:path';
import type { Outcome } from '../import/import-files.ts';
import { bytesText, plural, visible } from './glyphs.ts';

type Imported = Extract<Outcome, { outcome: 'imported' }>;
type NotImported = Exclude<Outcome, Imported>;

/** Places listed of each reason. */
const MOST_PLACES = 5;

export function importedLine({ recording, bytes, masked, ...from }: Imported): string {
  const secrets = masked === 0 ? '' : `, ${plural(masked, 'secret')} masked`;
  return `${visible(recording)}: ${bytesText(bytes)} from ${placeText(from)}${secrets}\n`;
}

export function jsonLine(outcome: Outcome): string {
  return `${JSON.stringify(outcome)}\n`;
}

/** One line for what is wrong; of a whole file, the reason names the file. */
export function problemLine(outcome: NotImported): string {
  const text = outcome.place === null ? outcome.reason : `${outcome.file}, ${outcome.place}: ${outcome.reason}`;
  return `${visible(text)}${outcome.outcome === 'refused' ? ': not imported' : ''}\n`;
}

/** What was not imported, by reason, the most frequent first. */
export function notImportedLines(outcomes: readonly Outcome[]): readonly string[] {
  const left = outcomes.filter((outcome): outcome is NotImported => outcome.outcome !== 'imported');
  if (left.length === 0) return [];
  const reasons = new Map<string, NotImported[]>();
  for (const outcome of left) {
    const reason = reasonOf(outcome);
    const same = reasons.get(reason);
    if (same === undefined) reasons.set(reason, [outcome]);
    else same.push(outcome);
  }
  const width = String(left.length).length;
  const sorted = [...reasons].sort(([, a], [, b]) => b.length - a.length);
  return [
    'not imported:\n',
    ...sorted.map(
      ([reason, list]) => `  ${String(list.length).padStart(width)}  ${visible(reason)}: ${places(list)}\n`,
    ),
  ];
}

/** The counts, and where the recordings are. */
export function summaryLine(
  outcomes: readonly Outcome[],
  target: {
    readonly out: string | undefined;
    readonly suite: string | undefined;
    readonly dryRun: boolean;
    json: boolean;
  },
): string {
  const imported = outcomes.filter((outcome): outcome is Imported => outcome.outcome === 'imported');
  const masked = imported.reduce((sum, outcome) => sum + outcome.masked, 0);
  const notImported = outcomes.length - imported.length;
  if (target.json) return `${JSON.stringify({ imported: imported.length, notImported, masked })}\n`;
  const { out, suite, dryRun } = target;
  const where =
    dryRun || out === undefined || suite === undefined ? 'to import' : `imported into ${visible(join(out, suite))}`;
  const secrets = masked === 0 ? '' : ` (${plural(masked, 'secret')} masked)`;
  return `${plural(imported.length, 'recording')} ${where}${secrets}, ${notImported} not imported\n`;
}

/** A reason without what differs from one exchange to the next, so that equal ones are counted together. */
function reasonOf({ outcome, place, reason }: NotImported): string {
  if (outcome === 'duplicate') return 'the bytes are there already';
  return outcome === 'unreadable' && place === null ? 'the file cannot be read' : fileReason(place, reason);
}

/** What is said of a whole file begins with its name. */
function fileReason(place: string | null, reason: string): string {
  return place === null ? reason.replace(/^.*?: /s, '').replace(/(?: \(|\. ).*$/s, '') : reason;
}

function places(list: readonly NotImported[]): string {
  const shown = list.slice(0, MOST_PLACES).map(placeText).join('; ');
  return list.length > MOST_PLACES ? `${shown}; … (--json lists all)` : shown;
}

function placeText({ file, place }: Pick<Outcome, 'file' | 'place'>): string {
  return visible(place === null ? file : `${file}, ${place}`);
}
