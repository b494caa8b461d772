import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{harness,experiments,scripts}/**/*.test.ts'],
    testTimeout: 60_000,
    reporters: ['default', ['json', { outputFile: '.cache/vitest.json' }]],
  },
});
