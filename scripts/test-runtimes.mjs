// Runs the conformance list on other runtimes, installed from npm, and on Node the requests through HAProxy that a short keep-alive loses: `npm run test:runtimes`, or some of them: `… -- bun node@24`.
import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { writeDoors } from './entries.mjs';

const runtimes = {
  'node@20': ['node@20', 'node'],
  'node@22': ['node@22', 'node'],
  'node@24': ['node@24', 'node'],
  'node@26': ['node@26', 'node'],
  bun: ['bun@1.4.4', 'bun', 'run'],
  deno: ['deno@2.9.5', 'deno', 'run', '--allow-all'],
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(runtimes, name));
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(', ')}. There are: ${Object.keys(runtimes).join(', ')}.`);
  process.exit(2);
}

const built = '.tmp/conformance';
/** What the cases read from files. */
const data = ['schemas', 'test/conformance/recorded.json'];
const vitest = ['node_modules/vitest/vitest.mjs', 'run'];
const keepAlive = [...vitest, '--project', 'faults', 'test/faults/keep-alive.test.ts'];
/** As under vitest: without it each close of an application would wait for the balancers that it has in production. */
const env = { ...process.env, NODE_ENV: 'test' };
const run = (command, args) => spawnSync(command, args, { stdio: 'inherit', env }).status ?? 1;

// By its path: an older compiler, which the build has for the declarations, is a tsc as well.
const tsc = 'node_modules/typescript/bin/tsc';
if (run(process.execPath, [tsc, '-p', 'test/conformance/tsconfig.json']) !== 0) process.exit(1);
writeDoors(built);
for (const path of data) cpSync(path, `${built}/${path}`, { recursive: true });

const failed = [];
for (const name of wanted.length > 0 ? wanted : Object.keys(runtimes)) {
  const [tool, ...command] = runtimes[name];
  console.log(`\n${name}`);
  const on = (...args) => run('npx', ['--yes', '--package', tool, '--', ...args]) === 0;
  const conforms = on(...command, `${built}/test/conformance/run.js`);
  const isKept = !name.startsWith('node@') || on('node', ...keepAlive);
  if (!conforms || !isKept) failed.push(name);
}
if (failed.length > 0) console.error(`\nFailed on ${failed.join(', ')}.`);
process.exit(failed.length > 0 ? 1 : 0);
