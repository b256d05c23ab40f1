import { catchRejection } from './objects.js';
import type { ResolvedOptions } from './options/options.js';

/** Who may see the details, by the option `details`. */
export class DetailsGate<Request> {
  readonly #details: ResolvedOptions<Request>['details'];
  readonly #onError: (msg: string, thrown?: unknown) => void;
  #promiseReported = false;

  constructor(
    details: ResolvedOptions<Request>['details'],
    onError: (msg: string, thrown?: unknown) => void,
  ) {
    this.#details = details;
    this.#onError = onError;
  }

  /** Whether who makes this request may. */
  opensTo(request: Request): boolean {
    if (typeof this.#details === 'boolean') return this.#details;
    try {
      // A promise or another truthy value of an untyped caller must not open the details.
      const shown: unknown = this.#details(request);
      // Logged once: clients must not be able to fill the log.
      if (catchRejection(shown, () => {}) && !this.#promiseReported) {
        this.#promiseReported = true;
        this.#onError('The details option returned a promise instead of true or false; details are hidden');
      }
      return shown === true;
    } catch (thrown) {
      this.#onError('The details option threw; details are hidden', thrown);
      return false;
    }
  }
}
