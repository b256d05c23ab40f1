// What is worse than its budget, and what is worse than it was on this machine.
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';

const file = join(import.meta.dirname, 'recorded.json');

/** CPU time may grow by this share before a run fails, and a slope by this factor. */
export const tolerance = 0.035;
export const steeper = 2;
/** What an empty response took, in microseconds, where the budgets in microseconds and milliseconds were set. */
const reference = 55;

/** A budget set for the reference machine, as it is on this one. */
export const scaled = (budget, calibration) => (budget * calibration) / reference;

/** Machines are told apart by processor and major version of Node: ratios differ between them. */
export const machine = `${process.arch} ${cpus()[0]?.model.trim() ?? ''}, Node ${process.versions.node.split('.')[0]}`;

/** What the last run with --write measured on this machine: by row CPU time relative to the first row, by slope relative to the calibration. */
export function readRecorded() {
  return JSON.parse(readFileSync(file, 'utf8'))[machine] ?? {};
}

export function writeRecorded(figures) {
  const all = JSON.parse(readFileSync(file, 'utf8'));
  all[machine] = Object.fromEntries(
    Object.entries({ ...all[machine], ...figures }).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
  writeFileSync(file, `${JSON.stringify(all, null, 2)}\n`);
}

/**
 * Sorts findings `{ id, value, budget, recorded, factor, says }`. Missed: more than the budget. Broken: more than `factor` times
 * what was recorded here. Without a record a missed budget is all there is to judge by, and breaks the run.
 */
export function judge(findings) {
  const missed = findings.filter(({ value, budget }) => budget !== undefined && value > budget);
  const broken = findings.filter((finding) =>
    finding.recorded === undefined ? missed.includes(finding) : isWorse(finding),
  );
  return { missed: missed.map(({ says }) => says), broken: broken.map(({ says }) => says) };
}

/** Whether a finding is worse than recorded, by more than noise. */
export const isWorse = ({ measured, recorded, factor }) =>
  recorded !== undefined && measured > recorded * factor;
