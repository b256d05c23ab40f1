// npm run bench [-- --quick] [-- --only live] [-- --write]
// Prints the tables, names the budgets that are missed and fails where a limit is broken. --write puts them into docs/performance.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compareFormatters } from './formatter.mjs';
import { compare, leaveServerCore, requireWrk } from './measure.mjs';
import { compareProbe } from './probe.mjs';
import {
  formatterSection,
  httpSection,
  probeSection,
  startUpSection,
  stormSection,
  watchdogSection,
} from './report.mjs';
import { compareStartUp } from './start-up.mjs';
import { compareStorm } from './storm.mjs';
import { compareNaming, measureWatchdog } from './watchdog.mjs';
import { quickWorks, works } from './works.mjs';

const { values } = parseArgs({
  options: { quick: { type: 'boolean' }, write: { type: 'boolean' }, only: { type: 'string', default: '' } },
});
const quick = values.quick === true;
if (values.write === true && (quick || values.only !== '')) {
  throw new Error(
    '--write replaces all tables of docs/performance.md: it takes a whole run, without --quick and --only.',
  );
}
const repeat = (count, value) => Array.from({ length: count }, () => value);
const effort = quick
  ? { launches: 1, rounds: 3, amount: { milliseconds: 160 }, warmUp: repeat(4, { milliseconds: 300 }) }
  : { launches: 2, rounds: 2, amount: { seconds: 1 }, warmUp: repeat(3, { seconds: 1 }) };

if (quick) leaveServerCore();
else requireWrk();
const sections = [
  ...(quick ? quickWorks() : works).map((work) => ({
    name: work.name,
    run: async () => httpSection(work, await compare(work.contenders, effort)),
  })),
  {
    name: 'formatter',
    run: () =>
      formatterSection(
        compareFormatters(quick ? { rounds: 5, lines: 20_000, quick } : { rounds: 15, lines: 50_000 }),
      ),
  },
  // A p99 needs more time than the regression check has.
  ...(quick
    ? []
    : [
        {
          name: 'storm',
          run: async () => stormSection(await compareStorm({ rounds: 3, seconds: 4 })),
        },
        {
          name: 'watchdog',
          run: async () => watchdogSection(await measureWatchdog({ rounds: 6 }), await compareNaming()),
        },
      ]),
  { name: 'start-up', run: () => startUpSection(compareStartUp({ rounds: quick ? 5 : 15, quick })) },
  { name: 'probe', run: async () => probeSection(await compareProbe({ rounds: quick ? 8 : 40, quick })) },
];

const texts = [];
const missed = [];
const broken = [];
for (const { name, run } of sections) {
  if (!name.includes(values.only)) continue;
  const section = await run();
  texts.push(section.text);
  missed.push(...section.missed);
  broken.push(...section.broken);
  console.log(`${section.text}\n`);
}

if (values.write === true) {
  const page = join(import.meta.dirname, '../docs/performance.md');
  const [model] = cpus();
  const when = `Measured on ${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${cpus().length} cores (${process.arch}${model.model ? `, ${model.model.trim()}` : ''}), with \`npm run bench\`.`;
  const marks = /(<!-- bench -->\n)[\s\S]*(<!-- \/bench -->)/;
  writeFileSync(
    page,
    readFileSync(page, 'utf8').replace(marks, `$1\n${when}\n\n${texts.join('\n\n')}\n\n$2`),
  );
}

if (missed.length > 0) console.log(`Budgets missed:\n${missed.map((line) => `- ${line}`).join('\n')}`);
if (broken.length > 0) {
  console.error(`Worse than the limit:\n${broken.map((line) => `- ${line}`).join('\n')}`);
  process.exitCode = 1;
}
