// A table over HTTP: what each row costs above the first, who is ahead, and which budgets are missed.
import { compare, summarise } from '../measure.mjs';
import { signed, table, two, whole } from '../report.ts';
import { judge, reasonFor, shownBudget } from '../verdict.ts';

/** A row with its budget: a share of the first row, or of what a peer of the same run takes and so much more. */
function withBudget(row, rows) {
  const peer = rows.find(({ subject }) => subject === row.over?.subject);
  return peer === undefined ? row : { ...row, budget: Number((peer.share + row.over.by).toFixed(2)) };
}

/** What is to be judged of a row: its CPU time relative to the first row of its table. */
function findingOf(work, row, bare) {
  const budget = row.budget === undefined ? '' : `, budget ${row.budget}`;
  return {
    value: row.share,
    budget: row.budget,
    because: reasonFor(row),
    says: `${work.name}: ${row.label}: ${signed(row.above)} µs, ${signed(row.share)} of ${bare.label}${budget}`,
  };
}

/** Measures the rows of a table in the same rounds. */
export async function measuredSection(work, effort) {
  const [rounds] = await compare([work], effort);
  return httpSection(
    work,
    work.rows.map((row, place) => summarise(row, rounds[place])),
  );
}

function httpSection(work, measured) {
  const rows = measured.map((row) => withBudget(row, measured));
  const [bare, ...others] = rows;
  const head = ['', 'CPU µs', `above, µs`, 'share (middle half)', 'budget', 'requests/s', 'ratio'];
  const body = rows.map((row) => [
    row.label,
    two(row.cpu),
    row === bare ? '' : `**${signed(row.above)}**`,
    row === bare ? '' : `${signed(row.share)} (${row.spread.map(signed).join(' to ')})`,
    row.budget === undefined
      ? ''
      : shownBudget(`≤ ${two(row.budget * bare.cpu)} µs (${row.budget})`, row.share, row.budget),
    whole(row.rps),
    two(row.throughput),
  ]);
  const findings = others.filter(({ own }) => own).map((row) => findingOf(work, row, bare));
  const { text, missed } = ahead(work, rows);
  const verdict = judge(findings);
  return {
    name: work.name,
    text: `### ${work.name}\n\n${table(head, body)}${reasons(others)}${text}`,
    missed: [...verdict.missed, ...missed],
    broken: verdict.broken,
  };
}

/** Says why budgets are missed, as far as it is known. */
function reasons(rows) {
  const explained = rows.filter((row) => reasonFor(row) !== undefined && row.share > row.budget);
  const lines = explained.map((row) => `${row.label}: ${reasonFor(row)}`);
  return lines.length === 0 ? '' : `\n\nMissed: ${lines.join('; ')}.`;
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
