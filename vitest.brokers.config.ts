import { defineConfig } from 'vitest/config';
import { doors, patient } from './vitest.config.js';

// All of the tests on brokers, with those that take minutes: `npm run test:brokers`, run before a release.
export default defineConfig({
  resolve: doors,
  test: {
    expect: patient,
    include: ['test/checks/brokers/**/*.test.ts', 'test/brokers/**/*.test.ts'],
    globalSetup: ['test/services/global-setup.ts'],
    testTimeout: 300_000,
    hookTimeout: 120_000,
  },
});
