/** `cst check --known FILE`: findings that are accepted by name; `--write-known FILE` makes the list. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import {
  type ExpectedFinding,
  expectedUnder,
  type FindingName,
  type FindingRun,
  type FoundFinding,
  parseExpectedFindings,
  renewed,
  vanished,
} from '../properties/expected-findings.ts';
import { isViolated } from '../properties/recording-check.ts';
import type { StreamCheck } from './stream-check.ts';

/** `judge`: what is listed is accepted, and must be there. `write`: the list is made, or brought up to date. */
export type KnownMode = 'judge' | 'write';

/**
 * The list beside a run. A recording is named by its path from the list's folder, with `/`: the name is the same wherever
 * the command is called from.
 */
export class KnownFindings {
  /** As the user typed it. */
  readonly file: string;
  readonly mode: KnownMode;
  readonly #list: readonly ExpectedFinding[];
  readonly #found: FoundFinding[] = [];
  readonly #asked = new Set<string>();

  private constructor(file: string, mode: KnownMode, list: readonly ExpectedFinding[]) {
    this.file = file;
    this.mode = mode;
    this.#list = list;
  }

  /** A list that is to be written need not be there yet. */
  static async open(file: string, mode: KnownMode): Promise<KnownFindings> {
    const isNew = mode === 'write' && !existsSync(file);
    return new KnownFindings(file, mode, isNew ? [] : parseExpectedFindings(await readFile(file, 'utf8'), file));
  }

  /** Notes what was asked and found; the violations that are listed are accepted. */
  accept(check: StreamCheck): StreamCheck {
    const recording = this.#nameOf(check.target.path);
    const outcomes = check.outcomes.map((outcome) => {
      const { verdict, accepted } = outcome;
      const finding = { parser: check.protocol, property: verdict.property, recording };
      if (verdict.status !== 'not-applicable') this.#asked.add(keyOf(finding));
      if (!isViolated(outcome) || accepted !== null) return outcome;
      this.#found.push({ ...finding, what: outcome.verdict.first.what });
      const entry = expectedUnder(finding, this.#list);
      return entry === null
        ? outcome
        : { ...outcome, accepted: { as: 'expected finding', reason: entry.reason } as const };
    });
    return { ...check, outcomes };
  }

  /** What is listed and has not appeared, as sentences. @param whole every stream of the folders was checked. */
  vanished(whole: boolean): readonly string[] {
    return vanished(this.#found, this.#list, this.#run(whole));
  }

  /** The list as this run would have it: reasons are kept, and what was not asked stays. */
  renewed(whole: boolean): readonly ExpectedFinding[] {
    return renewed(this.#found, this.#list, this.#run(whole));
  }

  #run(whole: boolean): FindingRun {
    return { asked: (finding) => this.#isSettled(finding), whole };
  }

  /** It was asked in this run, or can never be again. */
  #isSettled(finding: FindingName): boolean {
    return this.#asked.has(keyOf(finding)) || !existsSync(join(dirname(this.file), finding.recording));
  }

  #nameOf(path: string): string {
    return relative(dirname(resolve(this.file)), resolve(path))
      .split(sep)
      .join('/');
  }
}

function keyOf({ parser, property, recording }: FindingName): string {
  return `${parser} ${property} ${recording}`;
}
