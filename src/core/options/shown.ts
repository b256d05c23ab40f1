/** A value as it may be shown in an error: short, quoted, never an object's content. */
export function shown(value: unknown): string {
  if (typeof value === 'string') {
    return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  }
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'function') {
    return `the ${isClass(value) ? 'class' : 'function'} ${value.name || '(anonymous)'}`;
  }
  if (typeof value === 'object' && value !== null) {
    return `an object of ${value.constructor?.name ?? 'no class'}`;
  }
  return String(value);
}

/** A class is a function too, but calling it only throws. */
export function isClass(value: unknown): boolean {
  return typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value));
}
