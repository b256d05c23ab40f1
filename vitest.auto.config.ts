import { defineConfig } from 'vitest/config';
import { doors, patient } from './vitest.config.js';

// Production builds of the frameworks that own their server, installed from the registry: `npm run test:auto`, run before a release.
export default defineConfig({
  resolve: doors,
  test: {
    expect: patient,
    include: ['test/auto/frameworks/*.test.ts'],
    env: { WHOLE: 'true' },
    globalSetup: ['test/services/global-setup.ts', 'test/package/build.ts'],
    testTimeout: 120_000,
    hookTimeout: 600_000,
    fileParallelism: false,
  },
});
