/** A time such as `30s`, `1m30s` or `500ms`, in milliseconds. */
export function timeOf(text: string | undefined): number | undefined {
  // A variable that only the platform knows is longer and shorter than nothing.
  if (text?.includes('$') === true) return Number.NaN;
  const parts = [...(text ?? '').matchAll(/(\d{1,9}(?:\.\d+)?)(ms|us|s|m|h|d)/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) return undefined;
  const units: Readonly<Record<string, number>> = {
    us: 0.001,
    ms: 1,
    s: 1000,
    m: 60_000,
    h: 3_600_000,
    d: 86_400_000,
  };
  return parts.reduce((sum, [, digits, unit = '']) => sum + Number(digits) * (units[unit] ?? 0), 0);
}

/** Bytes of `512Mi`, `1.5G` or a number. For Docker, which counts in 1024, `512m` too. */
export function bytesOf(text: string | undefined, binary = false): number | undefined {
  const [, digits, unit = ''] = /^(\d{1,15}(?:\.\d+)?)\s?([kmgt]?i?b?)$/i.exec(text ?? '') ?? [];
  if (digits === undefined) return undefined;
  const power = 'kmgt'.indexOf(unit.charAt(0).toLowerCase()) + 1;
  return Number(digits) * (binary || /i/i.test(unit) ? 1024 : 1000) ** power;
}
