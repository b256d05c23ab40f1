// What it costs to have it: import time and memory in a fresh process, packages and size on disk.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { median } from './measure.mjs';

const modules = join(import.meta.dirname, 'node_modules');

const program = (specifier) => `
  const rss = process.memoryUsage.rss();
  const start = performance.now();
  ${specifier === '' ? '' : `await import(${JSON.stringify(specifier)});`}
  const ms = performance.now() - start;
  console.log(JSON.stringify({ ms, mb: (process.memoryUsage.rss() - rss) / 2 ** 20 }));`;

const subjects = [
  'lifesign/express',
  'lifesign/fastify',
  'lifesign/node',
  '@godaddy/terminus',
  '@fastify/under-pressure',
  '@nestjs/terminus',
  'lightship',
  'express-actuator',
];

/** Import time and memory above a bare process, medians of interleaved rounds. */
export function compareStartUp({ rounds }) {
  const samples = ['', ...subjects].map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, specifier] of ['', ...subjects].entries()) {
      const args = ['--input-type=module', '-e', program(specifier)];
      samples[index].push(
        JSON.parse(execFileSync(process.execPath, args, { cwd: import.meta.dirname, encoding: 'utf8' })),
      );
    }
  }
  const [nothing, ...rest] = samples.map((list) => ({
    ms: median(list.map(({ ms }) => ms)),
    mb: median(list.map(({ mb }) => mb)),
  }));
  return subjects.map((label, index) => ({
    label,
    ms: rest[index].ms - nothing.ms,
    mb: rest[index].mb - nothing.mb,
    ...footprint(label),
    budget: label.startsWith('lifesign/') ? { ms: 10, mb: 4 } : undefined,
  }));
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
