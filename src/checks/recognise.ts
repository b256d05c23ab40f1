import { attempt } from '../core/runtime.js';
import { LifesignError, shown } from '../core/options/errors.js';
import { isObject, isOpaque } from './client.js';

export interface Kind<Make> {
  /** For the list in the error that refuses an unsupported client. */
  readonly names: readonly string[];
  readonly recognise: (value: unknown) => Make | undefined;
}

/** A row in the table of a family: how a client is recognised, by its shape, and its adapter. */
export const kind = <Client, More extends readonly unknown[], Made>(
  names: readonly string[],
  is: (value: unknown) => value is Client,
  make: (client: Client, ...more: More) => Made,
): Kind<(...more: More) => Made> => ({
  names,
  recognise: (value) => (is(value) ? (...more) => make(value, ...more) : undefined),
});

export function recognise<Make>(kinds: readonly Kind<Make>[], value: unknown): Make | undefined {
  if (isObject(value) && isOpaque(value)) return undefined;
  for (const each of kinds) {
    // An object that throws when it is read is not a client.
    const make = attempt(() => each.recognise(value));
    if (make !== undefined) return make;
  }
  return undefined;
}

export class Family<Client, Make> {
  readonly names: readonly string[];
  readonly recognise: (value: unknown) => Make | undefined;
  readonly #option: string;

  constructor(option: string, kinds: readonly Kind<Make>[]) {
    this.#option = option;
    this.names = kinds.flatMap(({ names }) => names);
    this.recognise = (value) => recognise(kinds, value);
  }

  /** Whether a value is a client, as it is: not a list of them. */
  readonly is = (value: unknown): value is Client => this.recognise(value) !== undefined;

  /** Makes the adapter of a client; anything else is refused, at once. */
  require(value: unknown, option = this.#option): Make {
    const make = this.recognise(value);
    if (make === undefined) throw clientUnsupported(option, value, this.names);
    return make;
  }
}

const clientRefused = (problem: string) => new LifesignError('LIFESIGN_CLIENT', problem);

export const clientUnsupported = (option: string, value: unknown, supported: readonly string[]) =>
  clientRefused(
    // A string here is a connection string, with a password in it.
    `Option ${option} is ${typeof value === 'string' ? 'a string' : shown(value)}, which no built-in check supports. Supported clients: ${supported.join(', ')}. ` +
      (typeof value === 'object'
        ? ''
        : 'Pass a client, such as a Pool, and not the settings of its connection. ') +
      "For anything else, register your own check: health.check('name', fn), or in HEALTH_CHECKS { name: fn }.",
  );

export const clientFunction = (member: string, option: string) =>
  clientRefused(
    `Option ${member} is a function in an object, which may be a method of your code, so it is not called. ` +
      `Write the client itself, or a list of functions that return clients: ${option}: [() => connection].`,
  );
