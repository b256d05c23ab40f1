// npm run bench [-- --quick] [-- --only live] [-- --node 22,24] [-- --write]
// Prints the tables, names the budgets that are missed, and fails where something is worse than recorded on this machine.
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { calibrate } from './measure.mjs';
import { two, writePage } from './report.mjs';
import { sectionsOf } from './sections/index.mjs';
import { machine, readRecorded, writeRecorded } from './verdict.mjs';

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
if (values.write && (values.quick || values.rounds !== undefined)) {
  throw new Error('--write needs the full measurement: leave out --quick and --rounds.');
}

const started = performance.now();
const texts = {};
const [missed, broken] = [[], []];
for (const run of sectionsOf(values)) {
  for (const section of await run()) {
    console.log(`${section.text}\n`);
    texts[section.name] = section.text;
    missed.push(...section.missed);
    broken.push(...section.broken);
    if (values.write && !section.partial) {
      const where = `Node ${process.version}, ${cpus().length} cores (${process.arch}, ${cpus()[0].model.trim()})`;
      const empty = `an empty node:http response took ${two(await calibrate())} µs`;
      const when = `Measured on ${new Date().toISOString().slice(0, 10)}, ${section.where ?? where}; ${empty}.`;
      writePage({ [section.name]: `${section.text}\n\n${when}` });
      writeRecorded(section.recorded ?? {});
    }
  }
}
if (Object.keys(texts).length === 0) throw new Error(`No table and no row has "${values.only}" in its name.`);

console.log(`${Math.round((performance.now() - started) / 1000)} s`);
if (Object.keys(readRecorded()).length === 0) {
  console.log(`Nothing is recorded for ${machine}: missed budgets fail the run. --write records one.`);
}
if (missed.length > 0) console.log(`Budgets missed:\n${missed.map((line) => `- ${line}`).join('\n')}`);
if (broken.length > 0) {
  console.error(`Failed:\n${broken.map((line) => `- ${line}`).join('\n')}`);
  process.exitCode = 1;
}
