import { createRequire } from 'node:module';
import { defineConfig } from 'vitest/config';
import { common, project, projectsOf, services, tests } from './vitest.config.js';

// Everything that `npm test` leaves out, and all of its cases: `npm run test:whole` runs the projects `whole-…`, the other suites of package.json one project each.
process.env['WHOLE'] = 'true';

const { resolve } = createRequire(`${import.meta.dirname}/test/hosts/adonis7/`);
const resolveId = (source: string) => (source.startsWith('@adonisjs/') ? resolve(source) : undefined);

/** A file belongs to the first of them that takes it; each is run alone, and takes its time. */
const suites: readonly (readonly [string, RegExp, readonly string[]])[] = [
  [
    'attack',
    /^test\/attack\/|checks\/databases-held\.service|^cli\/test\/hostile\.|heartbeat\/schedules\.test|faults\/leak\.|probes\/(?:attacked|busy)\.service/,
    services,
  ],
  // Production builds of the frameworks that own their server, installed from the registry.
  ['auto', /^test\/auto\/frameworks\//, services],
  // Brokers that are frozen and killed at random.
  ['brokers', /^test\/(?:checks\/)?brokers\//, services],
  // Set-ups of clients through every fault, which writes their table into contributing/clients.md.
  ['clients', /^test\/clients\//, services],
  // On Node 24.
  ['consumers', /^test\/hosts\/consumers\//, services],
  // Other runtimes and runners, frameworks' own scaffolds, every version of TypeScript, installed from the registry.
  ['tools', /^test\/(?:tools\/|package\/(?:jest|typescript)\.test)/, ['test/package/pack.ts']],
  // The documentation in a real browser.
  ['site', /^test\/site\//, ['test/services/chromium.ts', 'test/site/build.ts']],
  ['adonis7', /^test\/hosts\/adonis7\//, services],
];
const of = (pattern: RegExp) => tests.filter((file) => pattern.test(file));
const isOfSuite = (file: string) => suites.some(([, pattern]) => pattern.test(file));

const alone = suites.map(([name, pattern, globalSetup], index) => {
  // The tests of AdonisJS 6 once more, on AdonisJS 7, which wants Node 24.
  const again = name === 'adonis7' ? of(/^test\/frameworks\/adonisjs(?:\.service)?\.test/) : [];
  const files = of(pattern).filter((file) => suites.find((each) => each[1].test(file))?.[0] === name);
  const made = project(name, [...files, ...again], {
    globalSetup: [...globalSetup],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    maxWorkers: 1,
    sequence: { groupOrder: 10 + index },
  });
  if (name !== 'adonis7') return made;
  return { ...made, plugins: [{ name, enforce: 'pre' as const, resolveId }] };
});

const nest = ['nestjs', 'nestjs-settings', 'nestjs-shutdown', 'nestjs-thrown'];
const whole = projectsOf(
  tests.filter((file) => !isOfSuite(file)),
  { prefix: 'whole-', nest },
).map(({ test, ...made }) => ({ ...made, test: { ...test, testTimeout: 600_000 } }));

// Files of scripts/bundle-core-tests.mjs, which have copies of everything in them: a worker for each would only cost time.
const mutation = { include: ['test/**/*.test.bundle.mjs'], isolate: false, testTimeout: 15_000 };

/** Lines and branches of each folder: what runs in processes of its own is tested there and not counted. */
const thresholds = {
  'src/{core,page}': [97, 94],
  'src/profiles': [98, 95],
  'src/{logging,metrics,checks,worker,http}': [94, 88],
  'src/{frameworks,config}': [93, 88],
  'src/{otel,probes,explain}': [94, 90],
  'src/watchdog': [90, 82],
  'src/command': [88, 85],
  'cli/src/!(init)': [95, 88],
  'cli/src/init': [93, 82],
} as const;
const coverage = {
  include: ['{cli/,}src/**/*.ts'],
  // They run in a browser, in a thread, or in processes that end by signals.
  exclude: [
    'src/page/browser/**',
    'src/watchdog/thread/**',
    'src/watchdog/thread-source.ts',
    'src/http/drain/first.ts',
  ],
  reporter: ['text-summary', 'html'],
  reportOnFailure: true,
  thresholds: Object.fromEntries(
    Object.entries(thresholds).map(([folder, [lines, branches]]) => [
      `${folder}/**/*.ts`,
      { lines, branches },
    ]),
  ),
};

export default defineConfig({
  test:
    process.env['MUTATION'] === undefined
      ? { ...common, projects: [...whole, ...alone], coverage }
      : mutation,
});
