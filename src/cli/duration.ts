/** The milliseconds of `3`, `3s` or `500ms`; undefined for what is no time. A number without a unit is seconds. */
export function milliseconds(text: string): number | undefined {
  const [, digits, unit] = /^(\d{1,15}(?:\.\d{1,15})?)(ms|s)?$/.exec(text) ?? [];
  const value = Math.round(Number(digits) * (unit === 'ms' ? 1 : 1000));
  // A timer takes no more.
  return value >= 1 && value < 2 ** 31 ? value : undefined;
}

export const timeExpected = 'it must be a time such as 500ms, 3s or 3 (seconds)';
