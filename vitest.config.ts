import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{harness,experiments,scripts}/**/*.test.ts'],
    testTimeout: 60_000,
    // One for each core of a small machine: left to itself, vitest there runs one file after the other.
    maxWorkers: 2,
    // Modules are loaded once for each worker and not once for each file: a fifth of the time. No test mocks a module.
    isolate: false,
    reporters: ['default', ['json', { outputFile: '.cache/vitest.json' }]],
  },
});
