// Runs schedules unattended, on every core: npm run test:simulation -- [--runs 100000] [--seed 1] [--workers 2] [--write]
// Without --seed they are other schedules each time. Counterexamples are added to counterexamples.json, which is replayed first, and by the tests;
// --write puts the table into contributing/scale.md. Ctrl+C ends it after the current schedules, with the table of those that ran.
import { type ChildProcess, fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildSync } from 'esbuild';
import type { Counterexample } from './search.js';
import { Table } from './table.js';
import type { Outcome, Task } from './worker.js';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
    workers: { type: 'string', default: String(availableParallelism()) },
    write: { type: 'boolean', default: false },
  },
});
const file = new URL('counterexamples.json', import.meta.url);
const known = JSON.parse(readFileSync(file, 'utf8')) as Counterexample[];
const table = new Table();
const first = Number(values.seed);
const last = first + Number(values.runs);
let [found, done] = [0, 0];
const stopping = new AbortController();
process.once('SIGINT', () => stopping.abort());

function* tasks(): Generator<Task> {
  for (const { seed, schedule } of known.slice()) yield { seed, again: schedule };
  for (let seed = first; seed < last && !stopping.signal.aborted; seed += 1) yield { seed };
}

function take({ seed, row, broken = [], counterexample }: Outcome): void {
  if (row) {
    table.add(row);
    done += 1;
    if (done % 1000 === 0) console.log(`${done} schedules, ${found} counterexamples`);
  }
  if (broken.length === 0) return;
  found += 1;
  console.log(`seed ${seed}${row ? '' : ', again'}: ${broken.join('; ')}`);
  if (counterexample === undefined || known.some((each) => each.seed === seed)) return;
  known.push(counterexample);
  writeFileSync(file, `${JSON.stringify(known, undefined, 2)}\n`);
}

/** Gives a process one task after the other; settles when there are no more. */
function work(child: ChildProcess, all: Generator<Task>): Promise<void> {
  return new Promise((settle, fail) => {
    let current: Task | undefined;
    const next = () => {
      current = all.next().value ?? undefined;
      if (current === undefined) child.disconnect();
      else child.send(current);
    };
    child.on('message', (outcome: Outcome) => {
      take(outcome);
      next();
    });
    child.once('exit', (code) => {
      if (current === undefined) settle();
      else fail(new Error(`seed ${current.seed}: the process ended with ${code}`));
    });
    next();
  });
}

// Plain JavaScript without the names that a loader of TypeScript gives to every function: they cost a fifth of the time.
const root = resolve(import.meta.dirname, '../../..');
mkdirSync(join(root, '.tmp'), { recursive: true });
const directory = mkdtempSync(join(root, '.tmp/simulation-'));
const outfile = join(directory, 'worker.mjs');
buildSync({
  entryPoints: [join(import.meta.dirname, 'worker.ts')],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  external: ['fast-check'],
  logLevel: 'error',
});
const children = Array.from({ length: Number(values.workers) }, () =>
  fork(outfile, { execArgv: ['--stack-trace-limit=0'] }),
);
const all = tasks();
try {
  await Promise.all(children.map((child) => work(child, all)));
} finally {
  for (const child of children) child.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
}
console.log(`\n${done} schedules from seed ${first}, ${found} counterexamples\n\n${table.text()}`);
if (values.write) table.write();
process.exitCode = found === 0 ? 0 : 1;
