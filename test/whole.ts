/** Whether every case is run, as vitest.all.config.ts does; of many that are alike `npm test` has some, the same every time. */
export const whole = process.env['WHOLE'] !== undefined;

function nameOf(each: unknown): string {
  if (Array.isArray(each)) return String(each[0]);
  return typeof each === 'object' && each !== null && 'name' in each ? String(each.name) : String(each);
}

/**
 * The cases of these names, or all of them; a name that no case has is a mistake.
 *
 * @example test.each(chosen(frameworks, 'express', 'koa'))('%s', …)
 */
export function chosen<T>(all: readonly T[], ...names: readonly string[]): readonly T[] {
  const missing = names.filter((name) => !all.some((each) => nameOf(each) === name));
  if (missing.length > 0)
    throw new Error(`There is no case ${missing.join(', ')}: ${all.map(nameOf).join(', ')}`);
  return whole ? all : all.filter((each) => names.includes(nameOf(each)));
}
