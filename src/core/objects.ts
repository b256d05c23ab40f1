export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** An object that is not a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && !Array.isArray(value);
}

/** A class is a function too, but calling it only throws. */
export function isClass(value: unknown): boolean {
  return typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value));
}

/** Binds methods to their object: compilers call decorators without `this`, and so does `const { check } = health`. */
export function bindMethods(owner: object, ...names: readonly string[]): void {
  for (const name of names) {
    const method: unknown = Reflect.get(owner, name);
    if (typeof method !== 'function') continue;
    Object.defineProperty(owner, name, { value: method.bind(owner), writable: true, configurable: true });
  }
}

/** The name of a function, without what `bind` puts before it; empty for anything else. */
export function nameOf(value: unknown): string {
  return typeof value === 'function' ? value.name.replace(/^(?:bound )+/, '') : '';
}
