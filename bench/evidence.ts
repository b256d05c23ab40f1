// Whether one build is slower than another, from pairs of servers started side by side (Wald's sequential test).

/** The slowdown that must be noticed. */
export const slowdown = 0.05;
/** How often a row of the same speed may be called slower, and a slower one the same. */
const [falseAlarm, oversight] = [0.001, 0.01];
/** One process is a few per cent faster than the next: assumed as if it had been seen in so many pairs. */
const [assumedSpread, assumedPairs] = [0.03, 4];
/** Some starts are slow for life. Limited, so that no single pair decides. */
const mostOfPair = 0.075;

export type Verdict = 'slower' | 'same' | 'open';

const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

/** How much the pairs of a row differ, over all rows. */
function varianceOf(rows: readonly (readonly number[])[]): number {
  let [squares, pairs] = [assumedSpread ** 2 * assumedPairs, assumedPairs];
  for (const row of rows.filter(({ length }) => length > 0)) {
    const middle = mean(row);
    for (const number of row) squares += (number - middle) ** 2;
    pairs += row.length - 1;
  }
  return squares / pairs;
}

/** The verdict on each row. A row is its ratios of CPU time, now to before, one for each pair. */
export function verdictsOf(rows: readonly (readonly number[])[]): Verdict[] {
  const logarithms = rows.map((row) => row.map((ratio) => Math.log(ratio)));
  const weight = slowdown / varianceOf(logarithms);
  return logarithms.map((row) => {
    const parts = row.map((number) => Math.max(-mostOfPair, Math.min(mostOfPair, number - slowdown / 2)));
    const evidence = weight * parts.reduce((sum, part) => sum + part, 0);
    if (evidence >= Math.log((1 - oversight) / falseAlarm)) return 'slower';
    return evidence <= Math.log(oversight / (1 - falseAlarm)) ? 'same' : 'open';
  });
}
