// What it costs to have it: time and memory of a whole process that imports it, packages and size on disk.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { median } from './measure.mjs';

const modules = join(import.meta.dirname, 'node_modules');

const subjects = [
  'lifesign/express',
  'lifesign/fastify',
  'lifesign/node',
  'lifesign/auto',
  '@godaddy/terminus',
  '@fastify/under-pressure',
  '@nestjs/terminus',
  'lightship',
  'express-actuator',
];

/** A module that imports it, as an application would, and says at its end how much memory the process has. */
const program = (specifier) =>
  `${specifier === '' ? '' : `import ${JSON.stringify(specifier)};`}process.stdout.write(String(process.memoryUsage.rss()));`;

/** Time and memory of processes that import it above those of one that imports nothing, in interleaved rounds. */
export function compareStartUp({ rounds, quick }) {
  const wanted = subjects.filter((subject) => !quick || subject === 'lifesign/express');
  // Beside the packages, so that they are found.
  const scratch = mkdtempSync(join(import.meta.dirname, 'start-up-'));
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
    }));
    return wanted.map((label, index) => ({
      label,
      ms: rest[index].ms - nothing.ms,
      share: (rest[index].ms - nothing.ms) / nothing.ms,
      mb: rest[index].mb - nothing.mb,
      ...footprint(label),
      ...(label.startsWith('lifesign/') && { budget: { ms: 10, mb: 4 }, limit: { share: 0.2 } }),
    }));
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

function runOnce(script) {
  const start = performance.now();
  const { stdout, status } = spawnSync(process.execPath, [script], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${script} ended with ${status}`);
  return { ms: performance.now() - start, mb: Number(stdout) / 2 ** 20 };
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
