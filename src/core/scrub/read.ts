/** A property of anything that was thrown: getters and proxies may throw themselves. */
export function read(value: object, key: string | number): unknown {
  try {
    return Reflect.get(value, key);
  } catch {
    return undefined;
  }
}

export function textIn(value: object, key: string): string | undefined {
  const text = read(value, key);
  return typeof text === 'string' ? text : undefined;
}
