import { defineConfig } from 'vitest/config';
import { doors, long, shortened, patient } from './vitest.config.js';

// Attacks that take minutes: `npm run test:attack`, run before a release. The short ones are in test/faults.
export default defineConfig({
  resolve: doors,
  test: {
    expect: patient,
    include: ['test/attack/**/*.test.ts', ...long, ...shortened],
    env: { EVERY_CLIENT: 'true', WHOLE: 'true' },
    globalSetup: ['test/services/global-setup.ts', 'test/package/build.ts', 'test/compiled/setup.ts'],
    testTimeout: 600_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
});
