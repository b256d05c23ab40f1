// What is worse than its budget.

/** What an empty response took, in microseconds, where the budgets in microseconds and milliseconds were set. */
const reference = 55;

/** A budget set for the reference machine, as it is on this one. */
export const scaled = (budget: number, calibration: number): number => (budget * calibration) / reference;

export interface Finding {
  /** More is worse. */
  readonly value: number;
  readonly budget?: number | undefined;
  readonly says: string;
  /** Why the budget is missed, if that is known and accepted for now. */
  readonly because?: string | undefined;
}

export interface Verdict {
  /** Every budget that was missed, with the reason if there is one. */
  readonly missed: readonly string[];
  /** Those without a reason: they fail the run. */
  readonly broken: readonly string[];
}

export function judge(findings: readonly Finding[]): Verdict {
  const missed = findings.filter(({ value, budget }) => budget !== undefined && value > budget);
  const text = ({ says, because }: Finding) => (because === undefined ? says : `${says} (${because})`);
  return {
    missed: missed.map(text),
    broken: missed.filter(({ because }) => because === undefined).map(text),
  };
}

/** A row as its rounds have it: `spread` is the middle half of their shares. */
interface Measured {
  readonly budget?: number | undefined;
  readonly because?: string | undefined;
  readonly spread: readonly number[];
}

/** Why a row misses its budget: the known reason, or that its rounds do not agree. */
export const reasonFor = ({ because, budget, spread: [low] }: Measured): string | undefined =>
  because ??
  (budget !== undefined && low !== undefined && low <= budget
    ? 'a quarter of the rounds are within the budget, so this run does not decide'
    : undefined);

/** A budget as a table shows it. */
export const shownBudget = (text: string, value: number, budget: number): string =>
  value > budget ? `${text}, **missed**` : text;
