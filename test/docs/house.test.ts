import { readdir, readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { projectsOf, tests } from '../../vitest.config.js';

const sources = new URL('../../src/', import.meta.url);

/** What each file of `src` imports of `src`, types included. */
async function importsBySource(): Promise<ReadonlyMap<string, readonly string[]>> {
  const files = (await readdir(sources, { recursive: true })).map((file) => file.replaceAll('\\', '/'));
  const read = files
    .filter((file) => /\.c?ts$/.test(file))
    .map(async (file) => {
      const text = await readFile(new URL(file, sources), 'utf8');
      const found = text.matchAll(/(?:from|import\() ?'(\.[^']+)\.(c?)js'/g);
      const imported = Array.from(found, ([, path = '', c = '']) =>
        posix.join(posix.dirname(file), `${path}.${c}ts`),
      );
      return [file, imported] as const;
    });
  return new Map(await Promise.all(read));
}

/** Whoever can be reached from itself. */
function circlesIn(imports: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const reaches = (from: string, goal: string, seen: Set<string>): boolean =>
    (imports.get(from) ?? []).some((next) => {
      if (next === goal) return true;
      if (seen.has(next)) return false;
      seen.add(next);
      return reaches(next, goal, seen);
    });
  return [...imports.keys()].filter((file) => reaches(file, file, new Set()));
}

test('no import goes in a circle, not even one of types', async () => {
  const imports = await importsBySource();
  expect(imports.size).toBeGreaterThan(100);
  expect(circlesIn(imports)).toEqual([]);
  // What is found where there is one.
  expect(
    circlesIn(
      new Map([
        ['a', ['b']],
        ['b', ['c']],
        ['c', ['b']],
      ]),
    ),
  ).toEqual(['b', 'c']);
});

/** Which rooms may know which: a room that is not listed knows all. */
const knows: Readonly<Record<string, readonly string[]>> = {
  core: ['core'],
  checks: ['checks', 'core'],
  logging: ['logging', 'core'],
  explain: ['explain', 'core'],
  page: ['page', 'core', 'explain'],
  metrics: ['metrics', 'core'],
  'schedule.ts': ['core'],
  grpc: ['grpc', 'core'],
  otel: ['otel', 'core', 'metrics'],
  probes: ['probes', 'core'],
  watchdog: ['watchdog', 'core', 'http', 'logging', 'probes'],
  http: ['http', 'core', 'profiles'],
  profiles: [
    'profiles',
    'checks',
    'core',
    'http',
    'logging',
    'metrics',
    'otel',
    'page',
    'probes',
    'schedule.ts',
    'watchdog',
  ],
  frameworks: ['frameworks', 'checks', 'core', 'http', 'logging', 'profiles', 'worker'],
  worker: ['worker', 'checks', 'core', 'http', 'profiles'],
};

test('no room imports one above it', async () => {
  const upward: string[] = [];
  for (const [file, imported] of await importsBySource()) {
    const allowed = knows[file.split('/')[0] ?? ''];
    for (const other of imported) {
      if (allowed !== undefined && !allowed.includes(other.split('/')[0] ?? ''))
        upward.push(`${file} -> ${other}`);
    }
  }
  expect(upward).toEqual([]);
});

test('no file has more than 400 lines', async () => {
  const files = [...(await importsBySource()).keys()];
  const long: string[] = [];
  for (const file of files) {
    const lines = (await readFile(new URL(file, sources), 'utf8')).split('\n').length - 1;
    if (lines > 400) long.push(`${file}: ${lines}`);
  }
  expect(long).toEqual([]);
});

/** The tests of the inner loop. */
const quickTests = projectsOf(tests).flatMap(({ test: { name, include } }) =>
  /^(?:unit|isolated)$/.test(name)
    ? include.filter((file) => /^test\/(?:core|profiles|checks|logging|page)\//.test(file))
    : [],
);

test('no test of the inner loop sleeps', async () => {
  expect(quickTests.length).toBeGreaterThan(40);
  const sleeping: string[] = [];
  for (const file of quickTests) {
    const text = await readFile(new URL(`../../${file}`, import.meta.url), 'utf8');
    if (/vi\.useFakeTimers/.test(text)) continue;
    if (/\bpause\(\d|setTimeout\((?:resolve|done)\b/.test(text)) sleeping.push(file);
  }
  expect(sleeping).toEqual([]);
});

test('a module that tests share registers no hook by being loaded: files share workers, and only the first one loads it', async () => {
  const found = await Promise.all(
    ['core', 'checks', 'logging', 'page', 'probes', 'watchdog', 'worker', 'http', 'frameworks', 'faults'].map(
      async (room) =>
        (await readdir(new URL(`../${room}`, import.meta.url), { recursive: true })).map(
          (file) => `${room}/${file}`,
        ),
    ),
  );
  const helpers = found.flat().filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  expect(helpers.length).toBeGreaterThan(50);
  const hooks: string[] = [];
  for (const file of helpers) {
    const text = await readFile(new URL(`../${file}`, import.meta.url), 'utf8');
    if (/^(?:after|before)(?:Each|All)\(/m.test(text)) hooks.push(file);
  }
  expect(hooks).toEqual([]);
});
