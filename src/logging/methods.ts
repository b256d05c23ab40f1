/** Whether a value has methods of these names: loggers are recognised by their shape. */
export function hasMethods(value: unknown, ...names: readonly string[]): value is object {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  return names.every((name) => typeof Reflect.get(value, name) === 'function');
}

/** Methods of pino and most others, by level. */
export const methods = { 10: 'debug', 20: 'info', 30: 'warn', 40: 'error', 50: 'fatal' } as const;
