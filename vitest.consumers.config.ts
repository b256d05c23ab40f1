import { defineConfig } from 'vitest/config';
import { doors, patient } from './vitest.config.js';

// Consumers whose newest versions want Node 22 or later, on Node 24: `npm run test:consumers`, run before a release.
export default defineConfig({
  resolve: doors,
  test: {
    expect: patient,
    include: ['test/hosts/consumers/*.test.ts'],
    globalSetup: ['test/services/global-setup.ts'],
    retry: process.env['CI'] === undefined ? 0 : 1,
    testTimeout: 300_000,
    hookTimeout: 120_000,
  },
});
