// Budgets: what an application loads of the package, in minified bytes, which are the same on every machine. The time of an import grows with them.
import { basename, join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { edgeBundle, entriesOf, loadedBy, loadedByHealth, weigh } from '../../scripts/weight.mjs';

const root = join(import.meta.dirname, '../..');

/**
 * Minified KB that an import of each entry may load, as ES module. Raise one only for what every application of it needs: what an
 * option turns on, and what a check does when it runs, is loaded by an `import()`. `npm run weight` shows all of them.
 */
const budgets: Readonly<Record<string, number>> = {
  '.': 136,
  './adonisjs': 143,
  './adonisjs/health_middleware': 144,
  './adonisjs/health_provider': 163,
  './auto': 5,
  './checks': 134,
  './drain': 143,
  './express': 138,
  './fastify': 140,
  './fastify/plugin': 139,
  './fetch': 139,
  './hono': 141,
  './koa': 137,
  './logging': 138,
  './nestjs': 173,
  './node': 137,
  './otel': 134,
  './signals': 134,
  './watchdog': 245,
  './worker': 152,
};
/** CommonJS names the file before each function of another file. */
const commonjs = 1.16;

const entries = entriesOf(root);
const kilobytes = (files: ReadonlySet<string>) => weigh(files).minified / 1000;

test('each entry has a budget', () => {
  expect([...new Set(entries.map(({ subpath }) => subpath))].toSorted()).toEqual(
    Object.keys(budgets).toSorted(),
  );
});

test.each(entries)('$form of $subpath loads no more than its budget', ({ subpath, form, file }) => {
  const loaded = loadedBy(file);
  expect(kilobytes(loaded)).toBeLessThan((budgets[subpath] ?? 0) * (form === 'require' ? commonjs : 1));
  // Secrets are searched for when a text may hold one, and the clients of checks are asked when there is one.
  const names = [...loaded].map((path) => basename(path));
  expect(names).not.toContain('scrubber.cjs');
  expect(names).not.toContain('reasons.js');
});

// Preloaded in every process, also in those that never serve anything: the rest comes with the first server.
test('lifesign/auto is a file of its own', () => {
  for (const { file } of entries.filter(({ subpath }) => subpath === './auto')) {
    expect([...loadedBy(file)]).toEqual([file]);
  }
});

test.each(['./express', './fetch', './node'])('new Health() of %s loads nothing beside', (subpath) => {
  const { file = '' } = entries.find((entry) => entry.subpath === subpath && entry.form === 'import') ?? {};
  expect([...loadedByHealth(root, file)].toSorted()).toEqual([...loadedBy(file)].toSorted());
});

test('a fetch handler is below 53 KB compressed', () => {
  const { file = '' } = entries.find(({ subpath }) => subpath === './fetch') ?? {};
  expect(weigh(loadedBy(file)).gzip / 1000).toBeLessThan(53);
});

test('one bundle for an edge worker is below 110 KB, and 43 KB compressed', () => {
  const { minified, gzip } = edgeBundle(root);
  expect(minified / 1000).toBeLessThan(110);
  expect(gzip / 1000).toBeLessThan(43);
});

// Both forms, declarations with their comments, and files that can be read.
test('the package takes less than 2 MB on disk', () => {
  expect(inject('unpackedSize')).toBeLessThan(2_000_000);
});
