/** Whether every case is run, as `npm run test:whole` does; `npm test` takes a few of many that are alike. */
export const whole = process.env['WHOLE'] !== undefined;

/** Another in each run, and the same in all its processes: the config of vitest is the first to load this file. */
process.env['SAMPLE'] ??= String(Math.floor(Math.random() * 1_000_000));
export const sample = Number(process.env['SAMPLE']);

/**
 * A few cases that are spread over all of them, the same in each run, or all of them.
 *
 * @example test.each(some(Object.entries(behaviours), 12))('%s', …)
 */
export function some<T>(all: readonly T[], few: number): readonly T[] {
  if (whole) return all;
  const step = Math.max(1, all.length / few);
  return all.filter((_each, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
}

/**
 * The same, but others in each run, so that some runs take all of them: `SAMPLE=1234 npm test` runs those of the run that printed 1234.
 *
 * @example test.each(drawn(frameworks, 3))('%s', …)
 */
export function drawn<T>(all: readonly T[], few: number): readonly T[] {
  const start = sample % all.length;
  return some([...all.slice(start), ...all.slice(0, start)], few);
}

/** The entries of these names, or all of them. */
export const chosen = <T>(all: Readonly<Record<string, T>>, ...names: readonly string[]): [string, T][] =>
  Object.entries(all).filter(([name]) => whole || names.includes(name));
