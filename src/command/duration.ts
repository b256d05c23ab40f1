const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** The milliseconds of `3`, `3s`, `500ms`, `10m` or `1h`; undefined if it is not a time. A number without a unit is seconds. */
export function milliseconds(text: string): number | undefined {
  const [, digits, unit = 's'] = /^(\d{1,15}(?:\.\d{1,15})?)(ms|s|m|h)?$/.exec(text) ?? [];
  const value = Math.round(Number(digits) * (units[unit] ?? 0));
  // A timer takes no more.
  return value >= 1 && value < 2 ** 31 ? value : undefined;
}

export const timeExpected = 'it must be a time such as 500ms, 3s, 3 (seconds) or 10m';
