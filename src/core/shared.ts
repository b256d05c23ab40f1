// Raised when the shared state changes its shape: copies of different versions then ignore each other.
const key = Symbol.for('lifesign.shared.1');

/**
 * State that all copies of the package in a process have in common: it may be loaded as ES module and as CommonJS,
 * or from two places. A realm has its own: test files of Jest share nothing.
 */
export function shared<T extends object>(name: string, make: () => T): T {
  const held: Map<string, T> = Reflect.get(globalThis, key) ?? new Map();
  const known = held.get(name);
  if (known !== undefined) return known;
  const made = make();
  held.set(name, made);
  Reflect.defineProperty(globalThis, key, { value: held });
  return made;
}
