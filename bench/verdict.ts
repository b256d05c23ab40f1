// What is worse than its budget, and what is worse than it was on this machine.
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';

const file = join(import.meta.dirname, 'recorded.json');

/** CPU time may grow by this share before a run fails, and by this one before a row is measured once more; a slope by this factor. */
export const tolerance = 0.03;
/** The same for Express and NestJS: their own cost drifts by that much from one start to the next. */
export const driftTolerance = 0.08;
export const suspicion = 0.02;
export const steeper = 2;
/** What an empty response took, in microseconds, where the budgets in microseconds and milliseconds were set. */
const reference = 55;

/** A budget set for the reference machine, as it is on this one. */
export const scaled = (budget: number, calibration: number): number => (budget * calibration) / reference;

/** Machines are told apart by processor and major version of Node: ratios differ between them. */
export const machine = `${process.arch} ${cpus()[0]?.model.trim()}, Node ${process.versions.node.split('.')[0]}`;

type Figures = Readonly<Record<string, number>>;

const readAll = (): Record<string, Figures> => JSON.parse(readFileSync(file, 'utf8'));

/** What the last run with --write measured on this machine: rows relative to their first row, slopes relative to the calibration. */
export function readRecorded(): Figures {
  return readAll()[machine] ?? {};
}

export function writeRecorded(figures: Figures): void {
  const all = readAll();
  const merged = Object.entries({ ...all[machine], ...figures });
  all[machine] = Object.fromEntries(merged.toSorted(([one], [other]) => (one < other ? -1 : 1)));
  writeFileSync(file, `${JSON.stringify(all, null, 2)}\n`);
}

export interface Finding {
  /** What the budget is for. More is worse. */
  readonly value: number;
  readonly budget?: number | undefined;
  /** What the record is for, and what was recorded. More is worse. */
  readonly measured?: number;
  /** What three quarters of the rounds were above: on a noisy machine that is far from the median. */
  readonly least?: number;
  readonly recorded?: number | undefined;
  /** How many times what was recorded is still accepted. */
  readonly factor?: number;
  readonly says: string;
}

export interface Verdict {
  readonly missed: readonly string[];
  readonly broken: readonly string[];
}

/** Whether a finding is worse than recorded, by more than is accepted. */
export const isWorse = ({ measured, least = measured, recorded, factor = 1 }: Finding): boolean =>
  measured !== undefined &&
  least !== undefined &&
  recorded !== undefined &&
  measured > recorded * factor &&
  least > recorded;

/** Missed: more than the budget. Broken: worse than recorded, or without a record a missed budget. */
export function judge(findings: readonly Finding[]): Verdict {
  const isMissed = ({ value, budget }: Finding) => budget !== undefined && value > budget;
  const isBroken = (finding: Finding) =>
    finding.recorded === undefined ? isMissed(finding) : isWorse(finding);
  const says = (test: (finding: Finding) => boolean) => findings.filter(test).map((finding) => finding.says);
  return { missed: says(isMissed), broken: says(isBroken) };
}
