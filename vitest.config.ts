import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { entries } from './scripts/entries.mjs';
import { isLeftOut } from './test/left-out.js';

// `npm test`: the same tests every time. What test/left-out.ts names, and every case of lists that are shortened here
// (test/whole.ts), is in vitest.all.config.ts.

/** Every file with tests, but for those of other runners. */
export const tests = ['test', 'cli/test'].flatMap(function filesIn(folder: string): readonly string[] {
  if (/\/(?:node_modules|fixtures|package\/consumers)$/.test(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((each) => {
    if (each.isDirectory()) return filesIn(`${folder}/${each.name}`);
    return each.name.endsWith('.test.ts') ? [`${folder}/${each.name}`] : [];
  });
});

/** Tests import the entries by the names that users have, and get their sources. */
const alias = [
  ...Object.entries(entries).map(([name, file]) => ({
    find: new RegExp(`^${name}$`),
    replacement: join(import.meta.dirname, file),
  })),
  { find: /^fast-check$/, replacement: join(import.meta.dirname, 'test/seeded.ts') },
];
const nest11 = {
  find: /^@nestjs\//,
  replacement: `${import.meta.dirname}/test/hosts/nest11/node_modules/@nestjs/`,
};

const built = 'test/package/build.ts';
const compiled = 'test/compiled/setup.ts';
const packages = 'test/hosts/packages.ts';
export const services = ['test/services/global-setup.ts', built, compiled];

type Options = Omit<NonNullable<TestProjectInlineConfiguration['test']>, 'name'>;
export interface Project extends TestProjectInlineConfiguration {
  test: Options & { name: string; include: string[] };
}
export function project(name: string, include: readonly string[], options: Options = {}): Project {
  return {
    resolve: { alias: name.endsWith('nest11') ? [...alias, nest11] : alias },
    test: {
      name,
      include: [...include],
      testTimeout: 60_000,
      hookTimeout: 170_000,
      // What is awaited comes at once, or a busy machine is late: no test waits for nothing to come.
      expect: { poll: { timeout: 20_000 } },
      ...options,
    },
  };
}

/** They share workers, modules included: a third of the time would be spent on loading the same modules again. */
const isolate = false;

/** A file belongs to the first of them whose pattern its name has; with `isolated` that is its text. */
const projects: readonly (readonly [name: string, pattern: RegExp, options?: Options])[] = [
  ['browser', /\.browser\./, { globalSetup: ['test/services/chromium.ts'], sequence: { groupOrder: 1 } }],
  ['services', /\.service\./, { isolate, globalSetup: services }],
  // With better-sqlite3, which is compiled while the others run.
  [
    'sqlite',
    /sqlite\.test|\/(?:examples\/(?:adonisjs|nestjs)|frameworks\/(?:adonisjs|nestjs-databases))\.test/,
    {
      globalSetup: ['test/hosts/sqlite/install.ts'],
      setupFiles: ['test/hosts/sqlite/wait.ts'],
      sequence: { groupOrder: 1 },
    },
  ],
  // They look at how a process fares under load: other load would be taken for a fault.
  [
    'faults',
    /^test\/(?:faults|incidents)\//,
    { isolate, globalSetup: services, sequence: { groupOrder: 2 }, testTimeout: 120_000 },
  ],
  ['container', /^test\/container\//, { isolate, globalSetup: [built, 'test/container/tools.ts'] }],
  // Applications under the SDK of OpenTelemetry, in real processes of the built package.
  [
    'otel',
    /^test\/hosts\/otel\//,
    { isolate, globalSetup: [packages, ...services, 'test/hosts/otel/install.ts'] },
  ],
  ['hosts', /^test\/hosts\/kubernetes\//, { globalSetup: [packages] }],
  // NestJS 11; the others are tested with NestJS 12.
  ['nest11', /^test\/hosts\/nest11\//],
  ['package', /^test\/package\//, { globalSetup: ['test/package/pack.ts'], testTimeout: 120_000 }],
  ['cli', /^(?:cli\/test|test\/command)\//, { isolate, globalSetup: [built] }],
  // Unmodified applications under lifesign/auto, in real processes of the built package.
  ['auto', /^test\/(?:auto|guest)\//, { isolate, globalSetup: [built] }],
  // Starts processes and ends them.
  ['processes', /\.process\./, { isolate, globalSetup: [compiled] }],
  // Blocks real processes of the built package.
  [
    'watchdog',
    /^test\/watchdog\/(?!(?:frames|mappings|pulse|termination-log)\.)/,
    { isolate, globalSetup: [built, compiled] },
  ],
  // They replace the clock, a global or a module, or need a process that has said nothing yet: each has a worker to itself.
  ['isolated', /^test\/frameworks\/newer-peer|vi\.(?:doMock|mock|resetModules|stubGlobal|useFakeTimers)\(/],
  // Real frameworks over real HTTP, and what takes its seconds.
  [
    'frameworks',
    new RegExp(
      [
        '^test/(?:docs|examples|frameworks|hosts|http)/|conformance/(?!in-memory)',
        'checks/(?:factories|given-back)|core/(?:heartbeat/hostile-checks|scrub/linear)',
        'logging/(?:adopted-errors|recorded-requests|summary|upgrade)|metrics/(?:runtime|series)',
        'page/(?:explanation|version)|profiles/settings|probes/(?:peers-served|restart|simulation/)',
        'schedule/freshness|worker/(?:drain|health)',
      ].join('|'),
    ),
    { isolate },
  ],
  // The inner loop.
  ['unit', /./, { isolate }],
];

/** The projects of these files. */
export function projectsOf(files: readonly string[], { prefix = '', nest = ['nestjs'] } = {}): Project[] {
  const left = new Set(files);
  return projects.map(([name, pattern, options]) => {
    const own = [...left].filter((file) =>
      pattern.test(name === 'isolated' ? file + readFileSync(file, 'utf8') : file),
    );
    for (const file of own) left.delete(file);
    // The tests of NestJS once more.
    if (name === 'nest11') own.push(...nest.map((file) => `test/frameworks/${file}.test.ts`));
    return project(prefix + name, own, options);
  });
}

/**
 * mariadb 3.4, which the adapter of Prisma brings, rejects a promise that nobody has when the server dies while its pool connects, without lifesign too. The pool of
 * that test is told by its limit; whatever else nobody handles fails the run.
 */
const ofPrismasDriver = ({ message }: { message: string }) =>
  /^read ECONNRESET\s+\(pool connections: active=\d idle=\d limit=3\)$/.test(message);

export const common = {
  onUnhandledError: (error: { message: string }) => !ofPrismasDriver(error),
  // More than there are cores, since most tests wait.
  maxWorkers: 4,
  // A module is transformed once, not once in each project.
  experimental: { fsModuleCache: true },
};

export default defineConfig({
  test: { ...common, projects: projectsOf(tests.filter((file) => !isLeftOut(file))) },
});
