import { defineConfig } from 'vitest/config';

// The documentation as a site, in a real browser: `npm run test:site`.
export default defineConfig({
  test: {
    include: ['test/site/**/*.test.ts'],
    globalSetup: ['test/services/chromium.ts', 'test/site/build.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
