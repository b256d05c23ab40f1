// Runs schedules unattended: npm run test:simulation -- [--runs 100000] [--seed 1] [--write]
// Without --seed they are other schedules each time. Counterexamples are added to counterexamples.json, which is replayed first, and by the tests;
// --write puts the table into contributing/scale.md. Ctrl+C ends it after the current schedule, with the table of those that ran.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { broken } from './invariants.js';
import { run } from './run.js';
import { type Counterexample, search } from './search.js';
import { Table } from './table.js';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
    write: { type: 'boolean', default: false },
  },
});
const file = new URL('counterexamples.json', import.meta.url);
const known = JSON.parse(readFileSync(file, 'utf8')) as Counterexample[];
const table = new Table();
const first = Number(values.seed);
let found = 0;
const stopping = new AbortController();
process.once('SIGINT', () => stopping.abort());
for (const { seed, schedule } of known) {
  const again = broken(await run(schedule));
  if (again.length === 0) continue;
  found += 1;
  console.log(`seed ${seed}, again: ${again.join('; ')}`);
}
let seed = first;
for (; seed < first + Number(values.runs) && !stopping.signal.aborted; seed += 1) {
  // A turn of the event loop, in which a signal is seen.
  await new Promise(setImmediate);
  const counterexample = await search(seed, { onSeen: (seen) => table.add(seen) });
  if ((seed - first + 1) % 100 === 0) console.log(`${seed - first + 1} schedules, ${found} counterexamples`);
  if (counterexample === undefined) continue;
  found += 1;
  console.log(`seed ${seed}: ${counterexample.broken.join('; ')}`);
  if (!known.some((each) => each.seed === seed)) known.push(counterexample);
  writeFileSync(file, `${JSON.stringify(known, undefined, 2)}\n`);
}
console.log(`\n${seed - first} schedules from seed ${first}, ${found} counterexamples\n\n${table.text()}`);
if (values.write) table.write();
process.exitCode = found === 0 ? 0 : 1;
