export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** An object that is not a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && !Array.isArray(value);
}
