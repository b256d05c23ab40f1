/** Whether a value has all these methods: clients are recognised by their shape and never imported. */
export function hasMethods<Name extends string>(
  value: unknown,
  ...names: readonly Name[]
): value is Record<Name, (...args: never) => unknown> {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  return names.every((name) => typeof Reflect.get(value, name) === 'function');
}
