const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** A time as text: `'500ms'`, `'30s'`, `'5m'`, `'1h'`, `'21d'`, `'3w'`. */
export type DurationText = `${number}${keyof typeof units}`;

/** Milliseconds, or a text such as `'30s'`. */
export type Duration = number | DurationText;

const isUnit = (unit: string): unit is keyof typeof units => Object.hasOwn(units, unit);

/** The milliseconds of a text with a unit; any other value as it is, so that its rule can refuse it. @internal */
export function milliseconds(given: unknown): unknown {
  if (typeof given !== 'string') return given;
  const [, count, unit = ''] = /^(\d{1,15}(?:\.\d{1,15})?)(ms|[smhdw])$/.exec(given.trim()) ?? [];
  return isUnit(unit) ? Math.round(Number(count) * units[unit]) : given;
}
