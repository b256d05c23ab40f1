// What it costs to have it: time and memory of a process that imports it or serves with it, packages and size on disk.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { median } from '../measure.mjs';
import { signed, table, two, whole } from '../report.ts';
import { above, report, startByTurns } from '../starts.mjs';
import { judge, shownBudget } from '../verdict.ts';

const bench = join(import.meta.dirname, '..');
const modules = join(bench, 'node_modules');

const imports = [
  'lifesign/express',
  'lifesign/fastify',
  'lifesign/fetch',
  'lifesign/node',
  'lifesign/auto',
  '@godaddy/terminus',
  '@fastify/under-pressure',
  '@nestjs/terminus',
  'lightship',
  'express-actuator',
];

/** A module that imports it, as an application would. */
const importing = (specifier, home = bench) => ({
  home,
  code: `${specifier === '' ? '' : `import ${JSON.stringify(specifier)};`}${report}`,
});

/** A server that answers a request of its own. */
const serving = ({ imports = '', more = '', flags = [] }) => ({
  home: bench,
  flags,
  code: `${imports}
    import { createServer, get } from 'node:http';
    const server = createServer((_req, res) => res.end('hello'));
    ${more}
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      get({ host: '127.0.0.1', port }, (res) => res.resume().on('end', () => { ${report} process.exit(); }));
    });`,
});
/** What the flag itself takes is no cost of lifesign. */
const empty = ['--import', 'data:text/javascript,'];
const servers = [
  {
    label: 'lifesign/node in the code',
    ...serving({
      imports: "import { Health } from 'lifesign/node';",
      more: 'new Health(server);',
      flags: empty,
    }),
  },
  { label: '`--import lifesign/auto`', ...serving({ flags: ['--import', 'lifesign/auto'] }) },
];

/** CPU time of processes that import a package, in one folder to that in another: each start is compared with the one beside it. */
export function importRatio(specifier, ...homes) {
  const [own, other] = startByTurns(
    homes.map((home) => importing(specifier, home)),
    10,
  );
  return median(own.map(({ cpu }, round) => cpu / other[round].cpu));
}

/** Packages that installing one brings, peers that it needs left out, and their bytes on disk. */
function footprint(specifier) {
  const name = specifier.startsWith('@') ? specifier : specifier.split('/')[0];
  const seen = new Set();
  const visit = (packageName, from) => {
    const directory = [join(from, 'node_modules', packageName), join(modules, packageName)].find(isDirectory);
    if (directory === undefined || seen.has(directory)) return;
    seen.add(directory);
    const { dependencies = {} } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
    for (const dependency of Object.keys(dependencies)) visit(dependency, directory);
  };
  visit(name, modules);
  const kilobytes = [...seen].reduce((sum, directory) => sum + sizeOf(directory), 0) / 1024;
  return { packages: seen.size, kilobytes };
}

function sizeOf(directory) {
  const entries = readdirSync(directory, { withFileTypes: true }).filter(
    ({ name }) => name !== 'node_modules',
  );
  return entries.reduce((sum, entry) => {
    const path = join(directory, entry.name);
    return sum + (entry.isDirectory() ? sizeOf(path) : statSync(path).size);
  }, 0);
}

function isDirectory(path) {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Of the CPU time of the process beside it, and of memory. */
const most = { share: 0.5, mb: 4 };
const mostOfServers = { share: 0.5, mb: 8 };

const isOurs = ({ label }) => /^`?(?:--import )?lifesign/.test(label);

const figures = ['ms', 'CPU ms', 'share', 'MB of memory'];
const figuresOf = ({ ms, cpu, share, mb }) => [two(ms), two(cpu), signed(share), two(mb)];
const shownBudgets = ({ share, mb }, budget) =>
  `${shownBudget(`≤ ${budget.share}`, share, budget.share)}, ${shownBudget(`${budget.mb} MB`, mb, budget.mb)}`;

function findingsOf(rows, budget) {
  return rows.filter(isOurs).flatMap(({ label, share, mb }) => [
    {
      value: share,
      budget: budget.share,
      says: `start-up: ${label} takes ${two(share)} of the CPU time beside it, budget ${budget.share}`,
    },
    { value: mb, budget: budget.mb, says: `start-up: ${label} takes ${two(mb)} MB, budget ${budget.mb}` },
  ]);
}

function importsTable(rounds) {
  const [nothing, ...starts] = startByTurns(
    ['', ...imports].map((specifier) => importing(specifier)),
    rounds,
  );
  const rows = imports.map((label, index) => ({
    label,
    ...above(starts[index], nothing),
    ...footprint(label),
  }));
  const body = rows.map((row) => [
    row.label,
    ...figuresOf(row),
    row.packages,
    whole(row.kilobytes),
    isOurs(row) ? shownBudgets(row, most) : '',
  ]);
  const head = ['import', ...figures, 'packages', 'KB on disk', 'budget'];
  return {
    text: `### start-up, above an empty process\n\n${table(head, body)}\n\nThe empty process takes ${two(median(nothing.map(({ cpu }) => cpu)))} ms of CPU time; "share" is relative to the one started beside it.`,
    findings: findingsOf(rows, most),
  };
}

function serversTable(rounds) {
  const [base, ...starts] = startByTurns([serving({ flags: empty }), ...servers], rounds);
  const rows = servers.map(({ label }, index) => ({ label, ...above(starts[index], base) }));
  const body = rows.map((row) => [row.label, ...figuresOf(row), shownBudgets(row, mostOfServers)]);
  const head = ['', ...figures, 'budget'];
  return {
    text: `To the first response of a server on node:http, above the same with an empty \`--import\`, which takes ${two(median(base.map(({ cpu }) => cpu)))} ms of CPU time:\n\n${table(head, body)}`,
    findings: findingsOf(rows, mostOfServers),
  };
}

export function startUpSection({ rounds }) {
  const tables = [importsTable(rounds), serversTable(2 * rounds)];
  return {
    name: 'start-up',
    text: tables.map(({ text }) => text).join('\n\n'),
    ...judge(tables.flatMap(({ findings }) => findings)),
  };
}
