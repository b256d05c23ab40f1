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

/** How a family of clients is recognised: at once, and without the code that works with it. */
export interface Shape {
  /** For the list in the error that refuses an unsupported client. */
  readonly names: readonly string[];
  readonly is: (value: unknown) => boolean;
}

/** What is made of the clients of one family. */
export interface Family<Made> {
  /** What the check works with; undefined when the value is no client of this family. */
  adopt(value: unknown): Made | undefined;
}

export function family<Client, Made>(
  is: (value: unknown) => value is Client,
  make: (client: Client) => Made,
): Family<Made> {
  return { adopt: (value) => (is(value) ? make(value) : undefined) };
}

/** What the first family that knows the value makes of it. */
export function adopt<Made>(families: readonly Family<Made>[], value: unknown): Made | undefined {
  for (const candidate of families) {
    const made = candidate.adopt(value);
    if (made !== undefined) return made;
  }
  return undefined;
}
