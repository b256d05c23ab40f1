import { isClass, isObject } from '../objects.js';

/** A value as it may be shown in an error: short, quoted, never an object's content. */
export function shown(value: unknown): string {
  try {
    return textOf(value);
  } catch {
    return 'an object that throws when it is read';
  }
}

function textOf(value: unknown): string {
  if (typeof value === 'string') {
    return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  }
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'function') {
    const kind = isClass(value) ? 'class' : 'function';
    const name: unknown = value.name;
    return typeof name !== 'string' || name === '' ? `an anonymous ${kind}` : `the ${kind} ${name}`;
  }
  if (isObject(value)) {
    const name: unknown = value.constructor?.name;
    return typeof name !== 'string' || name === '' || name === 'Object'
      ? 'a plain object'
      : `an instance of ${name}`;
  }
  return String(value);
}
