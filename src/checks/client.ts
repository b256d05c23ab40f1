/** Whether a value has all these methods: clients are recognised by their shape and never imported. */
export function hasMethods<Name extends string>(
  value: unknown,
  ...names: readonly Name[]
): value is Record<Name, (...args: never) => unknown> {
  return isObject(value) && names.every((name) => typeof Reflect.get(value, name) === 'function');
}

/** Whether a value can have properties; some clients are functions. */
export function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** A property of whatever it is; undefined where there is none. */
export function property(value: unknown, name: string): unknown {
  return isObject(value) ? Reflect.get(value, name) : undefined;
}

/** A property that is a number; undefined where there is none. */
export function numberOf(value: unknown, name: string): number | undefined {
  const found = property(value, name);
  return typeof found === 'number' ? found : undefined;
}

/** A text that is not empty. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Calls a method of whatever it is; undefined where there is none. */
export function call(value: unknown, method: string, ...given: readonly unknown[]): unknown {
  const found = property(value, method);
  return typeof found === 'function' ? found.call(value, ...given) : undefined;
}

/** The client was never opened or is closed: a fault of the application, not of the server. */
export class NotReady extends Error {}

/** What tells that a connection went away. */
export interface Emitter {
  listenerCount(event: string): number;
  on(event: string, listener: (error: unknown) => void): unknown;
  once(event: string, listener: () => void): unknown;
  removeListener(event: string, listener: () => void): unknown;
}

/** One function for each kind of client. */
export type Adapters<Clients, Made> = { readonly [Kind in keyof Clients]: (client: Clients[Kind]) => Made };

/** A client that was recognised: it goes to its adapter when the code of that is there. */
export interface Recognised<Clients> {
  adopt<Made>(adapters: Adapters<Clients, Made>): Made;
  /** Whether it shows more than that it answers: how much of a pool, or of a memory, is in use. */
  readonly showsUsage: boolean;
}

/** A kind of client: how it is recognised, at once and without the code that works with it. */
export interface Shape<Found> {
  /** For the list in the error that refuses an unsupported client. */
  readonly names: readonly string[];
  /** Undefined when the value is not of this kind. */
  recognise(value: unknown): Found | undefined;
}

export function shape<Clients, Kind extends keyof Clients>(
  kind: Kind,
  names: readonly string[],
  is: (value: unknown) => value is Clients[Kind],
  showsUsage: (client: Clients[Kind]) => boolean = () => false,
): Shape<Recognised<Clients>> {
  return {
    names,
    recognise: (value) =>
      is(value) ? { adopt: (adapters) => adapters[kind](value), showsUsage: showsUsage(value) } : undefined,
  };
}

export const always = (): true => true;

/** What the first kind that knows the value makes of it. */
export function recognise<Found>(shapes: readonly Shape<Found>[], value: unknown): Found | undefined {
  for (const each of shapes) {
    const found = each.recognise(value);
    if (found !== undefined) return found;
  }
  return undefined;
}
