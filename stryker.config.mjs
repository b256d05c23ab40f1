// Read by vitest.all.config.ts: that of the mutants has no other projects.
process.env.MUTATION = 'true';

// Mutants of the core, against its tests and the conformance list in memory: `npm run test:mutation`, or a file of it: `… -- --mutate src/core/time.ts`.
export default {
  testRunner: 'vitest',
  vitest: { configFile: 'vitest.all.config.ts', related: false },
  buildCommand: 'node scripts/bundle-core-tests.mjs',
  coverageAnalysis: 'perTest',
  // What a runtime has is tried in realms of their own, where no mutant can be turned on.
  mutate: ['src/core/**/*.ts', '!src/core/runtime.ts'],
  // TypeScript 7 has no API to rewrite one with; vitest needs none.
  tsconfigFile: 'none',
  ignorePatterns: ['bench', 'examples', 'deploy', 'coverage', 'dist', '.tmp', '*.tgz', 'test/hosts'],
  tempDirName: '.tmp/stryker',
  // Only what has changed since the last run is tried again.
  incremental: true,
  incrementalFile: '.tmp/mutation/incremental.json',
  concurrency: 2,
  // A mutant that is timed out counts as killed: a busy machine must not kill one.
  timeoutMS: 20_000,
  timeoutFactor: 3,
  thresholds: { high: 90, low: 85, break: 85 },
  reporters: ['clear-text', 'progress-append-only', 'html', 'json'],
  htmlReporter: { fileName: '.tmp/mutation/index.html' },
  jsonReporter: { fileName: '.tmp/mutation/mutation.json' },
  clearTextReporter: { allowColor: false, allowEmojis: false, logTests: false, reportTests: false },
};
