// Budgets: what an application loads of the package, in minified bytes, which are the same on every machine. The time of an import grows with them.
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { edgeBundle, entriesOf, loadedBy, loadedByHealth, weigh } from '../../scripts/weight.mjs';

const root = join(import.meta.dirname, '../..');

/**
 * Minified KB that an import of each entry may load, as ES module. Raise one only for what every application of it needs: what an
 * option turns on, and what a check does when it runs, is loaded by an `import()`. `npm run weight` shows all of them.
 */
const budgets: Readonly<Record<string, number>> = {
  '.': 49,
  './adonisjs': 73,
  './adonisjs/health_middleware': 72,
  './adonisjs/health_provider': 103,
  './auto': 6,
  './checks': 49,
  './drain': 67,
  './express': 63,
  './fastify': 72,
  './fastify/plugin': 65,
  './fetch': 52,
  './grpc': 44,
  './hono': 53,
  './koa': 63,
  './logging': 57,
  './nestjs': 113,
  './node': 63,
  './otel': 40,
  './signals': 40,
  './worker': 84,
};
/** CommonJS names the file before each function of another file, and has what is small in fewer files. */
const commonjs = 1.07;

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
  // Secrets are searched for when a text may hold one, errors described when one is made, options of features read when one is on, checks of ours are made when they are called, features opened when they are on, lines written when there is one.
  const names = new Set([...loaded].map((path) => basename(path)));
  for (const room of [
    'scrubber.cjs',
    'mistakes.js',
    'uncommon.js',
    'room.js',
    'features-room.js',
    'lines.js',
    'reasons.js',
  ])
    expect(names).not.toContain(room);
});

test.each(['.', './checks', './drain', './express', './fastify', './fetch', './hono', './koa', './node'])(
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

// Node takes milliseconds for its modules of terminals and threads too, which only a drain needs.
test('the first server under lifesign/auto loads no drain', () => {
  const loaded = [...loadedBy(join(root, 'dist/cjs/auto/attach.js'))];
  expect(loaded.map((path) => basename(path))).not.toContain('first.js');
  expect(
    loaded.filter((path) => /require\("node:(?:tty|worker_threads)"\)/.test(readFileSync(path, 'utf8'))),
  ).toEqual([]);
  expect(loaded.length).toBeLessThan(8);
  expect(kilobytes(new Set(loaded))).toBeLessThan(78);
});

test.each(['./express', './fetch', './node'])('new Health() of %s loads nothing beside', (subpath) => {
  const { file = '' } = entries.find((entry) => entry.subpath === subpath && entry.form === 'import') ?? {};
  expect([...loadedByHealth(root, file)].toSorted()).toEqual([...loadedBy(file)].toSorted());
});

// 20.0 today, which is the aim; a new option takes some tens of bytes.
test('a fetch handler is below 20.4 KB compressed', () => {
  const { file = '' } = entries.find(({ subpath }) => subpath === './fetch') ?? {};
  expect(weigh(loadedBy(file)).gzip / 1000).toBeLessThan(20.4);
});

test('one bundle for an edge worker is below 100 KB, and 40 KB compressed', () => {
  const { minified, gzip } = edgeBundle(root);
  expect(minified / 1000).toBeLessThan(100);
  expect(gzip / 1000).toBeLessThan(40);
});

// Both forms, declarations with their comments, files that can be read, and the build for edge workers with a scrubber of its own.
test('the package takes less than 2 MB on disk', () => {
  expect(inject('unpackedSize')).toBeLessThan(2_000_000);
});
