import { attempt } from '../core/runtime.js';
import { isObject, isOpaque } from './client.js';

/** One function for each kind of client; `More` is the type of its second argument. */
export type Adapters<Clients, Made, More extends readonly unknown[] = []> = {
  readonly [Kind in keyof Clients]: (client: Clients[Kind], ...more: More) => Made;
};

/** A client that was recognised: it goes to its adapter when the code of that is there. */
export interface Recognised<Clients> {
  adopt<Made, More extends readonly unknown[] = []>(
    adapters: Adapters<Clients, Made, More>,
    ...more: More
  ): Made;
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
      is(value)
        ? { adopt: (adapters, ...more) => adapters[kind](value, ...more), showsUsage: showsUsage(value) }
        : undefined,
  };
}

export const returnsTrue = (): true => true;

/** Returns the adapter of the first kind that recognises the value. */
export function recognise<Found>(shapes: readonly Shape<Found>[], value: unknown): Found | undefined {
  if (isObject(value) && isOpaque(value)) return undefined;
  for (const each of shapes) {
    // An object that throws when it is read is not a client.
    const found = attempt(() => each.recognise(value));
    if (found !== undefined) return found;
  }
  return undefined;
}
