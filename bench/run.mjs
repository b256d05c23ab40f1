// npm run bench [-- --quick] [-- --only live] [-- --write]
// Prints the tables; fails by name where a budget is broken. --write puts them into docs/performance.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compareFormatters } from './formatter.mjs';
import { compare, requireWrk } from './measure.mjs';
import { compareProbe } from './probe.mjs';
import { formatterSection, httpSection, probeSection, startUpSection, stormSection } from './report.mjs';
import { compareStartUp } from './start-up.mjs';
import { compareStorm } from './storm.mjs';
import { works } from './works.mjs';

const { values } = parseArgs({
  options: { quick: { type: 'boolean' }, write: { type: 'boolean' }, only: { type: 'string', default: '' } },
});
const quick = values.quick === true;
const effort = quick
  ? { rounds: 3, amount: { answers: 3000 }, warmUp: { answers: 5000 } }
  : { rounds: 5, amount: { seconds: 1 }, warmUp: { seconds: 1 } };

requireWrk();
const sections = [
  ...works.map((work) => {
    // The regression check needs the contenders that have a budget, and the yardstick.
    const kept = work.contenders.filter(
      ({ budget, subject }, index) =>
        index === 0 || !quick || budget !== undefined || (work.perCheck && subject.endsWith('00')),
    );
    return {
      name: work.name,
      skip: quick && kept.length === 1,
      run: async () => httpSection(work, await compare(kept, effort)),
    };
  }),
  {
    name: 'formatter',
    run: () => formatterSection(compareFormatters({ rounds: quick ? 5 : 15, lines: 50_000 })),
  },
  {
    name: 'storm',
    run: async () =>
      stormSection(await compareStorm(quick ? { rounds: 1, seconds: 2 } : { rounds: 3, seconds: 4 })),
  },
  { name: 'start-up', run: () => startUpSection(compareStartUp({ rounds: quick ? 3 : 11 })) },
  { name: 'probe', run: async () => probeSection(await compareProbe({ rounds: quick ? 10 : 40 })) },
];

const texts = [];
const broken = [];
for (const { name, skip, run } of sections) {
  if (skip || !name.includes(values.only)) continue;
  const section = await run();
  texts.push(section.text);
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

if (broken.length > 0) {
  console.error(`Budgets broken:\n${broken.map((line) => `- ${line}`).join('\n')}`);
  process.exitCode = 1;
}
