import { attempt } from '../core/runtime.js';
import { isObject, isOpaque } from './client.js';

/** One function for each kind of client; `More` is the type of its second argument. */
export type Adapters<Clients, Made, More extends readonly unknown[] = []> = {
  readonly [Kind in keyof Clients]: (client: Clients[Kind], ...more: More) => Made;
};

/** A client that was recognised: it goes to its adapter when the code of that is there. `Facts` are known before. */
export type Recognised<Clients, Facts = Usage> = Facts & {
  adopt<Made, More extends readonly unknown[] = []>(
    adapters: Adapters<Clients, Made, More>,
    ...more: More
  ): Made;
};

/** Whether a client shows more than that it answers: how much of a pool, or of a memory, is in use. */
interface Usage {
  readonly showsUsage: boolean;
}

export const showsUsage = (): Usage => ({ showsUsage: true });
export const showsNoUsage = (): Usage => ({ showsUsage: false });

/** A kind of client: how it is recognised, at once and without the code that works with it. */
export interface Shape<Found> {
  /** For the list in the error that refuses an unsupported client. */
  readonly names: readonly string[];
  /** Undefined when the value is not of this kind. */
  recognise(value: unknown): Found | undefined;
}

/** Every kind of client of a family: one that is left out does not compile. */
type Kinds<Clients, Facts> = {
  readonly [Kind in keyof Clients]: readonly [
    names: readonly string[],
    is: (value: unknown) => value is Clients[Kind],
    factsOf: (client: Clients[Kind]) => Facts,
  ];
};

/** The shapes of a family, in the order in which they are tried. */
export function shapesOf<Clients, Facts = Usage>(
  kinds: Kinds<Clients, Facts>,
): readonly Shape<Recognised<Clients, Facts>>[] {
  const shapes: Shape<Recognised<Clients, Facts>>[] = [];
  for (const kind in kinds) {
    const [names, is, factsOf] = kinds[kind];
    shapes.push({
      names,
      recognise: (value) =>
        is(value)
          ? { ...factsOf(value), adopt: (adapters, ...more) => adapters[kind](value, ...more) }
          : undefined,
    });
  }
  return shapes;
}

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
