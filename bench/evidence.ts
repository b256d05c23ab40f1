// Whether one build is slower than another, from pairs of servers started side by side (Wald's sequential test).

/** The slowdown that must be noticed. */
export const slowdown = 0.05;
/** How often a row of the same speed may be called slower, and a slower one the same. */
const [falseAlarm, oversight] = [0.0003, 0.01];
/** One process is a few per cent faster than the next: assumed as if it had been seen in so many pairs. */
const [assumedSpread, assumedPairs] = [0.03, 4];
/** Some starts are slow for life. Limited, so that no single pair decides. */
const mostOfPair = 0.075;
/** Fewer pairs do not show by how much a row differs from start to start. */
const fewestPairs = 5;

export type Verdict = 'slower' | 'same' | 'open';

const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

/** How much the pairs of a row differ. */
function varianceOf(row: readonly number[]): number {
  const middle = row.length === 0 ? 0 : mean(row);
  const squares = row.reduce(
    (sum, number) => sum + (number - middle) ** 2,
    assumedSpread ** 2 * assumedPairs,
  );
  return squares / (assumedPairs + Math.max(0, row.length - 1));
}

/** The verdict on each row. A row is its ratios of CPU time, now to before, one for each pair. */
export function verdictsOf(rows: readonly (readonly number[])[]): Verdict[] {
  const logarithms = rows.map((row) => row.map((ratio) => Math.log(ratio)));
  const variances = logarithms.map(varianceOf);
  const usual = variances.toSorted((one, other) => one - other)[variances.length >> 1] ?? 0;
  return logarithms.map((row) => {
    // A row that differs more than the others, as imports do, is believed less; a few pairs that agree are no reason to believe one more.
    const weight = slowdown / Math.max(usual, varianceOf(row));
    const parts = row.map((number) => Math.max(-mostOfPair, Math.min(mostOfPair, number - slowdown / 2)));
    const evidence = weight * parts.reduce((sum, part) => sum + part, 0);
    if (row.length >= fewestPairs && evidence >= Math.log((1 - oversight) / falseAlarm)) return 'slower';
    return evidence <= Math.log(oversight / (1 - falseAlarm)) ? 'same' : 'open';
  });
}
