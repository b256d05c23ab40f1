// Runs schedules unattended: npm run test:simulation -- [--runs 100000] [--seed 1] [--write]
// Counterexamples are added to counterexamples.json, which the tests replay; --write puts the table into docs/scale.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Counterexample, search } from './search.js';
import { Table } from './table.js';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    write: { type: 'boolean', default: false },
  },
});
const file = new URL('counterexamples.json', import.meta.url);
const known = JSON.parse(readFileSync(file, 'utf8')) as Counterexample[];
const table = new Table();
const first = Number(values.seed);
let found = 0;
for (let seed = first; seed < first + Number(values.runs); seed += 1) {
  const counterexample = await search(seed, { onSeen: (seen) => table.add(seen) });
  if ((seed - first + 1) % 1000 === 0) console.log(`${seed - first + 1} schedules, ${found} counterexamples`);
  if (counterexample === undefined) continue;
  found += 1;
  console.log(`seed ${seed}: ${counterexample.broken.join('; ')}`);
  if (!known.some((each) => each.seed === seed)) known.push(counterexample);
  writeFileSync(file, `${JSON.stringify(known, undefined, 2)}\n`);
}
console.log(`\n${values.runs} schedules from seed ${first}, ${found} counterexamples\n\n${table.text()}`);
if (values.write) table.write();
process.exitCode = found === 0 ? 0 : 1;
