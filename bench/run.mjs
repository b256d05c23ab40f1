// npm run bench -- [--quick] [--only live] [--node 22,24] [--rounds 3] [--requests 10000000] [--write]
// Prints the tables, names the budgets that are missed, and fails where something is worse than recorded on this machine.
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { calibrate } from './measure.mjs';
import { two, writePage } from './report.ts';
import { sectionsOf } from './sections/index.mjs';
import { machine, readRecorded, writeRecorded } from './verdict.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    node: { type: 'string' },
    rounds: { type: 'string' },
    requests: { type: 'string', default: '500000' },
  },
});
if (values.write && values.rounds !== undefined) {
  throw new Error('--write needs the whole measurement: leave out --rounds.');
}

const today = new Date().toISOString().slice(0, 10);
const [model] = cpus();
const machineText = async () =>
  `Machine: ${cpus().length} cores (${process.arch}, ${model.model.trim()}). An empty node:http response took ${two(await calibrate())} µs of CPU time on it (${today}, Node ${process.version}).`;

/** Tables go into the page, and what later runs are compared with into recorded.json. The regression check has no tables. */
async function write({ name, text, recorded = {} }) {
  writeRecorded(recorded);
  if (!values.quick)
    writePage({ machine: await machineText(), [name]: `${text}\n\n_Measured on ${today}._` });
}

const started = performance.now();
let sections = 0;
const missed = [];
const broken = [];
for (const run of sectionsOf(values)) {
  for (const section of await run()) {
    console.log(`${section.text}\n`);
    sections += 1;
    missed.push(...section.missed);
    broken.push(...section.broken);
    if (values.write) await write(section);
  }
}
if (sections === 0) throw new Error(`No table and no row has "${values.only}" in its name.`);

console.log(`${Math.round((performance.now() - started) / 1000)} s`);
if (Object.keys(readRecorded()).length === 0) {
  console.log(`Nothing is recorded for ${machine}: missed budgets fail the run. --write records one.`);
}
if (missed.length > 0) console.log(`Budgets missed:\n${missed.map((line) => `- ${line}`).join('\n')}`);
if (broken.length > 0) {
  console.error(`Failed:\n${broken.map((line) => `- ${line}`).join('\n')}`);
  process.exitCode = 1;
}
