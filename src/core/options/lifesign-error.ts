import { isError } from '../objects.js';
import { helpFor } from '../help.js';

/**
 * An error in how lifesign is used: thrown at start, never while a request is answered.
 * `code` is stable and listed in docs/errors.md; the message says what is wrong and how to fix it.
 */
export class LifesignError extends Error {
  override readonly name = 'LifesignError';
  readonly code: `LIFESIGN_${string}`;
  /** Where the code is explained: a command or an address. Node prints it below an uncaught error. */
  readonly help: string;

  constructor(code: `LIFESIGN_${string}`, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.help = helpFor(code);
  }

  /** Also errors of another copy of the package: a process may have loaded both forms of it. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    const isOurs = () => this === LifesignError && isError(value) && value.name === 'LifesignError';
    return super[Symbol.hasInstance](value) || isOurs();
  }
}
