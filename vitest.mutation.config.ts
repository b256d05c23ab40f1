import { defineConfig } from 'vitest/config';

// Files of scripts/bundle-core-tests.mjs: what kills mutants of the core, `npm run test:mutation`.
export default defineConfig({
  test: {
    include: ['test/**/*.test.bundle.mjs'],
    // Each file has copies of everything in it: a worker for each would only cost time.
    isolate: false,
    testTimeout: 15_000,
  },
});
