// What it costs to have it: time and memory of a whole process that imports it, packages and size on disk.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { calibrate, median } from '../measure.mjs';
import { table, two, whole } from '../report.ts';
import { judge, scaled, shownBudget } from '../verdict.ts';

const bench = join(import.meta.dirname, '..');
const modules = join(bench, 'node_modules');

const subjects = [
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

/** A module that imports it, as an application would, and prints at its end what memory and CPU time the process took. */
const program = (specifier) =>
  `${specifier === '' ? '' : `import ${JSON.stringify(specifier)};`}const { user, system } = process.cpuUsage();process.stdout.write(JSON.stringify([process.memoryUsage.rss(), user + system]));`;

/** Time and memory of processes that import it above those of one that imports nothing, in interleaved rounds. */
function compareStartUp({ rounds }) {
  // Beside the packages, so that they are found.
  const scratch = mkdtempSync(join(bench, 'start-up-'));
  try {
    const scripts = ['', ...subjects].map((specifier, index) => {
      const script = join(scratch, `${index}.mjs`);
      writeFileSync(script, program(specifier));
      return script;
    });
    const samples = scripts.map(() => []);
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, script] of scripts.entries()) samples[index].push(runOnce(script));
    }
    const [nothing, ...rest] = samples.map((list) => ({
      ms: median(list.map(({ ms }) => ms)),
      mb: median(list.map(({ mb }) => mb)),
      cpu: median(list.map(({ cpu }) => cpu)),
    }));
    return subjects.map((label, index) => ({
      label,
      ms: rest[index].ms - nothing.ms,
      cpu: rest[index].cpu - nothing.cpu,
      mb: rest[index].mb - nothing.mb,
      ...footprint(label),
    }));
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

function runOnce(script) {
  const start = performance.now();
  const { stdout, status } = spawnSync(process.execPath, [script], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${script} ended with ${status}`);
  const [bytes, microseconds] = JSON.parse(stdout);
  return { ms: performance.now() - start, mb: bytes / 2 ** 20, cpu: microseconds / 1000 };
}

/** CPU time of processes that import a package, in one folder to that in another: each start is compared with the one beside it. */
export function importRatio(specifier, ...homes) {
  const scratches = homes.map((home) => mkdtempSync(join(home, 'start-up-')));
  try {
    const scripts = scratches.map((scratch) => join(scratch, 'import.mjs'));
    for (const script of scripts) writeFileSync(script, program(specifier));
    const ratios = Array.from({ length: 10 }, (_, round) => {
      // Which of the two comes first changes: the first process after a pause takes longer.
      const order = round % 2 === 0 ? scripts : scripts.toReversed();
      const taken = new Map(order.map((script) => [script, runOnce(script).cpu]));
      const [one, other] = scripts.map((script) => taken.get(script));
      return one / other;
    });
    return median(ratios);
  } finally {
    for (const scratch of scratches) rmSync(scratch, { recursive: true });
  }
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

/** Why an entry takes more than its budget. */
const reasons = {
  'lifesign/fastify': 'five files more than lifesign/express, for the settings of its logger and its hooks',
};

const isOurs = ({ label }) => label.startsWith('lifesign/');

export async function startUpSection(effort) {
  // Of CPU time, where an empty response takes 55 µs.
  const budget = scaled(30, await calibrate());
  const most = 4;
  const rows = compareStartUp(effort);
  const body = rows.map((row) => [
    row.label,
    two(row.ms),
    two(row.cpu),
    two(row.mb),
    row.packages,
    whole(row.kilobytes),
    isOurs(row)
      ? `${shownBudget(`≤ ${two(budget)} ms`, row.cpu, budget)}, ${shownBudget(`${most} MB`, row.mb, most)}`
      : '',
  ]);
  const findings = rows.filter(isOurs).flatMap(({ label, cpu, mb }) => [
    {
      value: cpu,
      budget,
      because: reasons[label],
      says: `start-up: ${label} takes ${two(cpu)} ms of CPU time, budget ${two(budget)}`,
    },
    {
      value: mb,
      budget: most,
      because: reasons[label],
      says: `start-up: ${label} takes ${two(mb)} MB, budget ${most}`,
    },
  ]);
  const { missed, broken } = judge(findings);
  const explained = Object.entries(reasons).filter(([label]) => missed.some((says) => says.includes(label)));
  const why = explained.map(([label, reason]) => `\n\nMissed: ${label}: ${reason}.`).join('');
  const head = ['import', 'ms', 'CPU ms', 'MB of memory', 'packages', 'KB on disk', 'budget'];
  return {
    name: 'start-up',
    text: `### start-up, above an empty process\n\n${table(head, body)}${why}`,
    missed,
    broken,
  };
}
