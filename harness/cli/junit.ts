/** JUnit XML for CI: a test suite for each stream × protocol, a test case for each property. */
import type { Outcome } from '../properties/recording-check.ts';
import type { StreamCheck } from './stream-check.ts';

export class JUnitReport {
  readonly #suites: string[] = [];
  #tests = 0;
  #failures = 0;
  #errors = 0;
  #skipped = 0;

  add({ target, protocol, outcomes }: StreamCheck): void {
    const failures = outcomes.filter(isFailure).length;
    const skipped = outcomes.filter(isSkipped).length;
    this.#count({ tests: outcomes.length, failures, errors: 0, skipped });
    const name = `${target.path} (${protocol})`;
    const counts = attributes({ name, tests: outcomes.length, failures, errors: 0, skipped });
    const cases = outcomes.map((outcome) => testCase(outcome, name));
    this.#suites.push(`  <testsuite${counts}>\n${cases.join('')}  </testsuite>\n`);
  }

  /** A stream that was not checked: `error` if it should have been. */
  addUnread(path: string, why: string, how: 'error' | 'skipped'): void {
    const errors = how === 'error' ? 1 : 0;
    this.#count({ tests: 1, failures: 0, errors, skipped: 1 - errors });
    const counts = attributes({ name: path, tests: 1, failures: 0, errors, skipped: 1 - errors });
    const inner = `      <${how}${attributes({ message: why })}/>\n`;
    const testcase = `    <testcase${attributes({ name: 'read', classname: path })}>\n${inner}    </testcase>\n`;
    this.#suites.push(`  <testsuite${counts}>\n${testcase}  </testsuite>\n`);
  }

  /** What no stream is to blame for: one failed test case for each sentence. */
  addFailures(path: string, name: string, sentences: readonly string[]): void {
    if (sentences.length === 0) return;
    const tests = sentences.length;
    this.#count({ tests, failures: tests, errors: 0, skipped: 0 });
    const counts = attributes({ name: path, tests, failures: tests, errors: 0, skipped: 0 });
    const open = `    <testcase${attributes({ name, classname: path })}>\n`;
    const cases = sentences.map(
      (message) => `${open}      <failure${attributes({ type: name, message })}/>\n    </testcase>\n`,
    );
    this.#suites.push(`  <testsuite${counts}>\n${cases.join('')}  </testsuite>\n`);
  }

  text(): string {
    const { tests, failures, errors, skipped } = {
      tests: this.#tests,
      failures: this.#failures,
      errors: this.#errors,
      skipped: this.#skipped,
    };
    const counts = attributes({ name: 'cst check', tests, failures, errors, skipped });
    return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${counts}>\n${this.#suites.join('')}</testsuites>\n`;
  }

  #count(counts: { tests: number; failures: number; errors: number; skipped: number }): void {
    this.#tests += counts.tests;
    this.#failures += counts.failures;
    this.#errors += counts.errors;
    this.#skipped += counts.skipped;
  }
}

function isFailure({ verdict, accepted }: Outcome): boolean {
  return verdict.status === 'violated' && accepted === null;
}

function isSkipped({ verdict, accepted }: Outcome): boolean {
  return verdict.status === 'not-applicable' || accepted !== null;
}

function testCase(outcome: Outcome, classname: string): string {
  const { level, verdict } = outcome;
  const name = level === null ? verdict.property : `${verdict.property} (${level})`;
  const inner = innerElement(outcome);
  const open = `    <testcase${attributes({ name, classname })}`;
  return inner === '' ? `${open}/>\n` : `${open}>\n      ${inner}\n    </testcase>\n`;
}

function innerElement({ verdict, accepted }: Outcome): string {
  if (verdict.status === 'not-applicable') return `<skipped${attributes({ message: verdict.why })}/>`;
  if (verdict.status === 'holds') return '';
  const { first, count, property } = verdict;
  const message = `${first.what} (${first.level} prefix of ${first.prefix} bytes; ${count} in all)`;
  if (accepted === null) return `<failure${attributes({ type: property, message })}/>`;
  return `<skipped${attributes({ message: `${accepted.as}: ${accepted.reason}; ${message}` })}/>`;
}

function attributes(values: { readonly [name: string]: string | number }): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`)
    .join('');
}

const ENTITIES: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** XML 1.0 has no place for most control characters, even as references: they are written as `\u001b`. */
export function escapeXml(text: string): string {
  return text
    .replace(
      /[\p{Control}\p{Surrogate}\ufffe\uffff]/gu,
      (c) => `\\u${(c.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
    )
    .replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}
