/** Whether every case is run, as `npm run test:whole` does; `npm test` takes a few of many that are alike. */
export const whole = process.env['WHOLE'] !== undefined;

/**
 * A few cases that are spread over all of them, or all of them.
 *
 * @example test.each(some(Object.entries(behaviours), 12))('%s', …)
 */
export function some<T>(all: readonly T[], few: number): readonly T[] {
  if (whole) return all;
  const step = Math.max(1, all.length / few);
  return all.filter((_each, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
}

/** The entries of these names, or all of them. */
export const chosen = <T>(all: Readonly<Record<string, T>>, ...names: readonly string[]): [string, T][] =>
  Object.entries(all).filter(([name]) => whole || names.includes(name));
