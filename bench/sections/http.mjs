// A table over HTTP: what each row costs above the first, who is ahead, and what that means for budgets and records.
import { compare, summarise } from '../measure.mjs';
import { signed, table, two, whole } from '../report.ts';
import { driftTolerance, isWorse, judge, readRecorded, suspicion, tolerance } from '../verdict.ts';

/** The regression check has its own record: its servers are not as warm as those of a whole run. */
const idOf = (work, row) => `${work.quick ? 'quick, ' : ''}${work.name}: ${row.label}`;

const drifts = /^(?:express|nest)\//;

/** What is to be judged of a row: its CPU time relative to the first row of its table. */
function findingOf(work, row, bare) {
  const id = idOf(work, row);
  const budget = row.budget === undefined ? '' : `, budget ${row.budget}`;
  const recorded = readRecorded()[id];
  const before = recorded === undefined ? '' : `, recorded ${signed(recorded - 1)}`;
  return {
    id,
    value: row.share,
    budget: row.budget,
    measured: 1 + row.share,
    least: 1 + row.spread[0],
    recorded,
    factor: 1 + (drifts.test(row.subject) ? driftTolerance : tolerance),
    says: `${id}: ${signed(row.above)} µs, ${signed(row.share)} of ${bare.label}${budget}${before}`,
  };
}

/** Measures works together. A row that looks worse than recorded is measured once more, and all its rounds count. */
export async function httpSections(list, effort, quick) {
  const works = list.map((work) => ({ ...work, quick }));
  const rounds = await compare(works, effort);
  const suspects = works.flatMap((work, index) =>
    work.rows
      .map((row, place) => ({
        index,
        place,
        finding: findingOf(work, summarise(row, rounds[index][place]), row),
      }))
      .filter(({ place, finding }) => place > 0 && isWorse({ ...finding, factor: 1 + suspicion })),
  );
  if (suspects.length > 0) {
    const pairs = suspects.map(({ index, place }) => ({
      rows: [works[index].rows[0], works[index].rows[place]],
    }));
    const more = await compare(pairs, { ...effort, launches: quick ? 2 : 3, rounds: 8 });
    for (const [number, { index, place }] of suspects.entries())
      rounds[index][place].push(...more[number][1]);
  }
  return works.map((work, index) =>
    httpSection(
      work,
      work.rows.map((row, place) => summarise(row, rounds[index][place])),
    ),
  );
}

export function httpSection(work, rows) {
  const [bare, ...others] = rows;
  const head = ['', 'CPU µs', `above, µs`, 'share (middle half)', 'budget', 'requests/s', 'ratio'];
  const body = rows.map((row) => [
    row.label,
    two(row.cpu),
    row === bare ? '' : `**${signed(row.above)}**`,
    row === bare ? '' : `${signed(row.share)} (${row.spread.map(signed).join(' to ')})`,
    row.budget === undefined
      ? ''
      : `≤ ${two(row.budget * bare.cpu)} µs (${row.budget})${row.share > row.budget ? ', **missed**' : ''}`,
    whole(row.rps),
    two(row.throughput),
  ]);
  const findings = others.filter(({ own }) => own).map((row) => findingOf(work, row, bare));
  const { text, missed } = ahead(work, rows);
  const verdict = judge(findings);
  return {
    name: work.name,
    text: `### ${work.name}\n\n${table(head, body)}${text}`,
    missed: [...verdict.missed, ...missed],
    broken: verdict.broken,
    recorded: Object.fromEntries(findings.map(({ id, measured }) => [id, Number(measured.toFixed(4))])),
  };
}

/** Says who is ahead of lifesign, and why that is right. */
function ahead({ name, likeWithLike }, rows) {
  const peers = rows.slice(1).filter(({ own }) => !own);
  const ours = rows.findLast(({ own, variant, log }) => own && variant === likeWithLike && log === undefined);
  if (ours === undefined || peers.length === 0) return { text: '', missed: [] };
  const faster = peers.filter(({ cpu }) => cpu < ours.cpu);
  if (faster.length === 0) return { text: `\n\nFirst: ${ours.label}.`, missed: [] };
  const lines = faster.map(
    ({ label, cpu, why = 'no reason known' }) => `${label} by ${two(ours.cpu - cpu)} µs (${why})`,
  );
  const unexplained = faster.filter(({ why }) => why === undefined);
  return {
    text: `\n\nAhead of ${ours.label}: ${lines.join('; ')}.`,
    missed: unexplained.map(({ label }) => `${name}: ${label} is ahead of lifesign, and no reason is given`),
  };
}
