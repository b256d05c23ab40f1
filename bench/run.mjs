// npm run bench -- [--only live] [--node 22,24] [--rounds 3] [--requests 10000000] [--write]
// Prints the tables, and fails if a budget is missed without a known reason.
// npm run bench -- --quick [--against <commit>] [--only live] [--repeat 20]: fails if something is slower than in another commit.
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { buildBefore } from './before.mjs';
import { calibrate } from './measure.mjs';
import { regressionSection } from './regression.mjs';
import { two, writePage } from './report.ts';
import { sectionsOf } from './sections/index.mjs';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    against: { type: 'string' },
    repeat: { type: 'string', default: '1' },
    write: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    node: { type: 'string' },
    rounds: { type: 'string' },
    requests: { type: 'string', default: '500000' },
  },
});
if (values.write && (values.quick || values.rounds !== undefined)) {
  throw new Error('--write needs the whole measurement: leave out --quick and --rounds.');
}
if (!values.quick && (values.against !== undefined || values.repeat !== '1')) {
  throw new Error('--against and --repeat are for the regression check: add --quick.');
}

const today = new Date().toISOString().slice(0, 10);
const [model] = cpus();
const machineText = async () =>
  `Machine: ${cpus().length} cores (${process.arch}, ${model.model.trim()}). An empty node:http response took ${two(await calibrate())} µs of CPU time on it (${today}, Node ${process.version}).`;

/** The regression check, so many times. */
function regressionRuns() {
  const before = buildBefore(values.against);
  return Array.from({ length: Number(values.repeat) }, () => () => regressionSection(values.only, before));
}

const started = performance.now();
const runs = values.quick ? regressionRuns() : sectionsOf(values);
if (runs.length === 0) throw new Error(`No table and no row has "${values.only}" in its name.`);
const missed = [];
const broken = [];
let failed = 0;
for (const run of runs) {
  const section = await run();
  console.log(`${section.text}\n`);
  missed.push(...section.missed);
  broken.push(...section.broken);
  if (section.broken.length > 0) failed += 1;
  if (values.write) {
    const text = `${section.text}\n\n_Measured on ${today}._`;
    writePage({ machine: await machineText(), [section.name]: text });
  }
}

console.log(`${Math.round((performance.now() - started) / 1000)} s`);
if (runs.length > 1 && values.quick) console.log(`${failed} of ${runs.length} runs failed.`);
if (missed.length > 0) console.log(`Budgets missed:\n${missed.map((line) => `- ${line}`).join('\n')}`);
if (broken.length > 0) {
  console.error(`Failed:\n${broken.map((line) => `- ${line}`).join('\n')}`);
  process.exitCode = 1;
}
