// The regression check: this state against a build of another commit, in pairs of servers that are started and measured side by side.
import { slowdown, verdictsOf } from './evidence.ts';
import { compare, median, serverOf } from './measure.mjs';
import { table } from './report.ts';
import { importRatio } from './sections/start-up.mjs';
import { regressionRows } from './works/index.mjs';

/** V8 compiles and collects garbage at the same points of the work, not when a thread or an idle moment comes: starts differ less. */
const flags = [
  '--no-memory-reducer',
  '--no-flush-bytecode',
  '--single-threaded-gc',
  '--no-concurrent-recompilation',
];
const effort = { launches: 1, rounds: 8, milliseconds: 30, warmUp: 12_000, together: true };
/** After so many, a row without a verdict is given up. */
const mostPairs = 20;

const here = import.meta.dirname;
const packageRow = { subject: 'import', label: 'import of lifesign/express' };

/** The ratios of rows that share a server, this state to the one before. Which of the two starts first changes from pair to pair. */
async function ratiosOf(rows, before, pair) {
  if (rows.includes(packageRow)) return [importRatio('lifesign/express', here, before)];
  const homes = pair % 2 === 0 ? [before, here] : [here, before];
  const works = rows.map((row) => ({
    rows: homes.map((home) => ({ ...row, home, flags, env: home === here ? {} : { BENCH_BUSY: '' } })),
  }));
  return (await compare(works, effort)).map(([, second]) => {
    const ratio = median(second.map(({ share }) => 1 + share));
    return homes[1] === here ? ratio : 1 / ratio;
  });
}

const rowsFor = (only) => [...regressionRows(only), ...(packageRow.label.includes(only) ? [packageRow] : [])];

/** Rows by their server, which is started once for all of them. */
const groupsOf = (rows) =>
  [...new Set(rows.map(serverOf))].map((server) => rows.filter((row) => serverOf(row) === server));

const percent = (ratio) => `${ratio < 1 ? '−' : '+'}${Math.abs(ratio * 100 - 100).toFixed(1)}`;

/** Measures pair after pair until there is a verdict on every row that a name fits. */
export async function regressionSection(only, { home, commit }) {
  const rows = rowsFor(only);
  if (rows.length === 0) throw new Error(`No row of lifesign has "${only}" in its name.`);
  const ratios = new Map(rows.map((row) => [row, []]));
  const verdicts = () => verdictsOf([...ratios.values()]);
  for (let pair = 0; pair < mostPairs; pair += 1) {
    const known = verdicts();
    const open = rows.filter((_, index) => known[index] === 'open');
    for (const group of groupsOf(open)) {
      const more = await ratiosOf(group, home, pair);
      for (const [index, row] of group.entries()) ratios.get(row).push(more[index]);
    }
  }
  const found = verdicts();
  const shown = rows.map((row, index) => ({
    label: row.label,
    verdict: found[index] === 'open' ? 'no verdict: starts differ too much' : found[index],
    typical: `${percent(median(ratios.get(row)))} %`,
    pairs: ratios.get(row).map(percent).join(' '),
  }));
  const body = shown.map(({ label, typical, pairs, verdict }) => [label, typical, pairs, verdict]);
  return {
    text: `### CPU time against ${commit}\n\n${table(['', 'median', 'each pair of starts', ''], body)}`,
    missed: [],
    broken: shown
      .filter(({ verdict }) => verdict === 'slower')
      .map(({ label, typical }) => `${label}: ${typical} CPU time; ${slowdown * 100} % is certainly noticed`),
  };
}
