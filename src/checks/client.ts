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

/** Recognises a client by its methods: any object that has them all counts as one. */
export const shape =
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- no compiler can know the type behind a shape
  <Client>(...names: readonly string[]) =>
    (value: unknown): value is Client =>
      hasMethods(value, ...names);

/** Whether an object has every member, as mocks and some proxies do, and with it the shape of every client. Others throw. */
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
  let inner = value;
  for (const name of path) inner = isObject(inner) ? Reflect.get(inner, name) : undefined;
  return inner;
}

export function numberOf(value: unknown, name: string): number | undefined {
  const number = property(value, name);
  return typeof number === 'number' ? number : undefined;
}

/** A list; empty for anything else. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Calls a method of any value; undefined if there is none. */
export function call(value: unknown, method: string, ...args: readonly unknown[]): unknown {
  const member = property(value, method);
  return typeof member === 'function' ? member.call(value, ...args) : undefined;
}

/** The adapter of a client that its library or the application may replace: another client gets another one. */
export function adapterOf<Client, Adapter>(
  current: () => Client,
  adapt: (client: Client) => Adapter,
): () => Adapter {
  let last: { readonly client: Client; readonly adapter: Adapter } | undefined;
  return () => {
    const client = current();
    if (last === undefined || last.client !== client) last = { client, adapter: adapt(client) };
    return last.adapter;
  };
}

/** Names the check of a factory, so that it can be registered or listed as it is. */
export function named<C extends Check>(name: string, check: C): C {
  return Object.defineProperty(check, 'name', { value: name });
}
