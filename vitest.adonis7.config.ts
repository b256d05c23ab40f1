import { createRequire } from 'node:module';
import { defineConfig } from 'vitest/config';
import { doors, patient } from './vitest.config.js';

const { resolve } = createRequire(`${import.meta.dirname}/test/hosts/adonis7/`);

// The tests of AdonisJS 6 once more, on AdonisJS 7, which wants Node 24: `npm run test:adonis7`.
export default defineConfig({
  resolve: doors,
  plugins: [
    {
      name: 'adonis7',
      enforce: 'pre',
      resolveId: (source) => (source.startsWith('@adonisjs/') ? resolve(source) : undefined),
    },
  ],
  test: {
    expect: patient,
    include: ['test/frameworks/adonisjs{,.service}.test.ts', 'test/hosts/adonis7/*.test.ts'],
    globalSetup: ['test/services/global-setup.ts'],
    retry: process.env['CI'] === undefined ? 0 : 1,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
