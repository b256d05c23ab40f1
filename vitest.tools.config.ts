import { defineConfig } from 'vitest/config';
import { projects, patient } from './vitest.config.js';

// Frameworks' own scaffolds and other runtimes, installed from the registry: `npm run test:tools`, run before a release.
export default defineConfig({
  test: {
    expect: patient,
    include: ['test/tools/**/*.test.ts', ...projects],
    env: { WHOLE: 'true' },
    globalSetup: ['test/package/pack.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    fileParallelism: false,
  },
});
