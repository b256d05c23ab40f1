import type { Check } from '../core/heartbeat/check.js';
import { isClass } from '../core/objects.js';
import { attempt } from '../core/runtime.js';

/** Whether a value has all these methods: clients are recognised by their shape and never imported. */
export function hasMethods<Name extends string>(
  value: unknown,
  ...names: readonly Name[]
): value is Record<Name, (...args: never) => unknown> {
  if (!isObject(value)) return false;
  const has = () => names.every((name) => typeof Reflect.get(value, name) === 'function');
  return attempt(has) === true && !isOpaque(value);
}

/**
 * Whether an object has every member: mocks and some proxies do, and with it the shape of
 * every client. Others throw.
 */
export function isOpaque(value: object): boolean {
  try {
    return Reflect.get(value, 'lifesign asks for this') !== undefined;
  } catch {
    return true;
  }
}

/** Whether a value is a function that returns a client. */
export function isGetter(value: unknown): value is () => unknown {
  return typeof value === 'function' && !isClass(value) && !isOpaque(value);
}

/** Whether a value can have properties; some clients are functions. */
export function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** A property of any value, or one of its property and so on; undefined if there is none. */
export function property(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const name of path) found = isObject(found) ? Reflect.get(found, name) : undefined;
  return found;
}

/** A property that is a number; undefined if there is none. */
export function numberOf(value: unknown, name: string): number | undefined {
  const found = property(value, name);
  return typeof found === 'number' ? found : undefined;
}

/** A list; empty for anything else. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** A text that is not empty. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Calls a method of any value; undefined if there is none. */
export function call(value: unknown, method: string, ...given: readonly unknown[]): unknown {
  const found = property(value, method);
  return typeof found === 'function' ? found.call(value, ...given) : undefined;
}

/** Makes something of a client that its library may replace, and again if the client is another one. */
export function madeOf<Client, Made>(current: () => Client, make: (client: Client) => Made): () => Made {
  let known: { readonly client: Client; readonly made: Made } | undefined;
  return () => {
    const client = current();
    if (known === undefined || known.client !== client) known = { client, made: make(client) };
    return known.made;
  };
}

/** The client was never opened or is closed: a fault of the application, not of the server, unless there is a cause: why it could not connect. */
export class NotReady extends Error {}

/** An error with our text, which anyone may read. */
export class OwnError extends Error {}

/** A client that connects again by itself, but ends the process if nothing listens for its errors. */
export interface SelfHealing {
  readonly client: object;
  /** Its name in a text. */
  readonly name: string;
  /** Its variable in the application, for the line to write. */
  readonly variable: string;
}

/** Names the check of a factory, so that it can be registered or listed as it is. */
export function named<C extends Check>(name: string, check: C): C {
  return Object.defineProperty(check, 'name', { value: name });
}
