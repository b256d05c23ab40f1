// What it costs to have it: time and memory of a whole process that imports it, packages and size on disk.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { calibrate, median } from '../measure.mjs';
import { table, two, whole } from '../report.ts';
import { judge, readRecorded, scaled } from '../verdict.ts';

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
function compareStartUp({ rounds, quick }) {
  const wanted = subjects.filter((subject) => !quick || subject === 'lifesign/express');
  // Beside the packages, so that they are found.
  const scratch = mkdtempSync(join(bench, 'start-up-'));
  try {
    const scripts = ['', ...wanted].map((specifier, index) => {
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
    return wanted.map((label, index) => ({
      label,
      ms: rest[index].ms - nothing.ms,
      cpu: rest[index].cpu - nothing.cpu,
      times: rest[index].cpu / nothing.cpu,
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

const isOurs = ({ label }) => label.startsWith('lifesign/');

export async function startUpSection(effort) {
  // 10 ms where an empty response takes 55 µs.
  const budget = scaled(10, await calibrate());
  const most = 4;
  const rows = compareStartUp(effort);
  const body = rows.map((row) => [
    row.label,
    two(row.ms),
    two(row.cpu),
    two(row.mb),
    row.packages,
    whole(row.kilobytes),
    isOurs(row) ? `≤ ${two(budget)} ms, ${most} MB` : '',
  ]);
  const findings = rows.filter(isOurs).flatMap(({ label, ms, cpu, times, mb }) => [
    {
      id: `start-up: ${label}`,
      value: ms,
      budget,
      measured: times,
      recorded: readRecorded()[`start-up: ${label}`],
      factor: 1.05,
      says: `start-up: ${label} takes ${two(ms)} ms (${two(cpu)} ms of CPU time), budget ${two(budget)}`,
    },
    { value: mb, budget: most, says: `start-up: ${label} takes ${two(mb)} MB, budget ${most}` },
  ]);
  const head = ['import', 'ms', 'CPU ms', 'MB of memory', 'packages', 'KB on disk', 'budget'];
  return {
    name: 'start-up',
    text: `### start-up, above an empty process\n\n${table(head, body)}`,
    ...judge(findings),
    recorded: Object.fromEntries(
      findings
        .filter(({ id }) => id !== undefined)
        .map(({ id, measured }) => [id, Number(measured.toFixed(4))]),
    ),
  };
}
