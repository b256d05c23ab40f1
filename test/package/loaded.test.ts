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
  '.': 56,
  './adonisjs': 99,
  './adonisjs/health_middleware': 98,
  './adonisjs/health_provider': 126,
  './auto': 6,
  './checks': 55,
  './drain': 89,
  './express': 69,
  './fastify': 79,
  './fastify/plugin': 72,
  './fetch': 60,
  './grpc': 51,
  './hono': 60,
  './koa': 70,
  './logging': 65,
  './nestjs': 135,
  './node': 70,
  './otel': 48,
  './signals': 47,
  './worker': 107,
};
/** CommonJS names the file before each function of another file. */
const commonjs = 1.06;

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
  // Secrets are searched for when a text may hold one, errors described when one is made, checks of ours are made when they are called, features opened when they are on, lines written when there is one.
  const names = new Set([...loaded].map((path) => basename(path)));
  for (const room of ['scrubber.cjs', 'mistakes.js', 'room.js', 'features-room.js', 'lines.js', 'reasons.js'])
    expect(names).not.toContain(room);
});

test.each(['.', './checks', './express', './fastify', './fetch', './hono', './koa', './node'])(
  'heartbeats and versions are not loaded by %s before the first of them',
  (subpath) => {
    for (const { file } of entries.filter((entry) => entry.subpath === subpath))
      expect([...loadedBy(file)].map((path) => basename(path))).not.toContain('reports.js');
  },
);

test.each(['.', './fetch', './hono'])(
  "what follows a request on Node's servers is not loaded by %s before the first of them",
  (subpath) => {
    for (const { file } of entries.filter((entry) => entry.subpath === subpath))
      expect([...loadedBy(file)].map((path) => basename(path))).not.toContain('node.js');
  },
);

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

test('a fetch handler is below 23.5 KB compressed', () => {
  const { file = '' } = entries.find(({ subpath }) => subpath === './fetch') ?? {};
  expect(weigh(loadedBy(file)).gzip / 1000).toBeLessThan(23.5);
});

test('one bundle for an edge worker is below 109 KB, and 43 KB compressed', () => {
  const { minified, gzip } = edgeBundle(root);
  expect(minified / 1000).toBeLessThan(109);
  expect(gzip / 1000).toBeLessThan(43);
});

// Both forms, declarations with their comments, and files that can be read.
test('the package takes less than 1.95 MB on disk', () => {
  expect(inject('unpackedSize')).toBeLessThan(1_950_000);
});
