// Prints the totals of the last test run, from vitest's JSON report, as `N passed, N failed, N skipped`.
import { readFileSync } from 'node:fs';

const report = JSON.parse(readFileSync(new URL('../.cache/vitest.json', import.meta.url), 'utf8'));
const skipped = report.numPendingTests + report.numTodoTests;
console.log(
  `${report.numPassedTests} passed, ${report.numFailedTests} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`,
);
process.exitCode = report.success ? 0 : 1;
