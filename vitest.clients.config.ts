import { defineConfig } from 'vitest/config';
import { doors, patient } from './vitest.config.js';

// Set-ups of clients through every fault, which writes their table into docs/checks.md: `npm run test:clients`, run before a release.
export default defineConfig({
  resolve: doors,
  test: {
    expect: patient,
    include: ['test/clients/*.test.ts'],
    globalSetup: ['test/services/global-setup.ts', 'test/package/build.ts'],
    retry: process.env['CI'] === undefined ? 0 : 1,
    maxWorkers: 1,
    testTimeout: 300_000,
    hookTimeout: 120_000,
  },
});
