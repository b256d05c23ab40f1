import { outsideRequest } from './request/request.js';
import { attempt } from './runtime.js';

/** How many events are kept until the code is loaded. */
const maxEarly = 1000;

/** Code of a feature, loaded only by applications that turn it on. Calls made before it has loaded are kept for it. */
export class Lazy<T> {
  readonly #load: () => Promise<T>;
  #loading: Promise<T> | undefined;
  #value: T | undefined;
  readonly #early: ((value: T) => void)[] = [];

  constructor(load: () => Promise<T>) {
    this.#load = load;
  }

  /** The loaded code; undefined until it has loaded. */
  get value(): T | undefined {
    return this.#value;
  }

  whenLoaded(what: (value: T) => void): void {
    if (this.#value !== undefined) return what(this.#value);
    if (this.#early.length < maxEarly) this.#early.push(what);
    // The caller that needs it gets the error.
    this.load().catch(() => {});
  }

  /** Loads it once, or again if that failed. */
  load(): Promise<T> {
    this.#loading ??= new Promise<T>((resolve, reject) => {
      // Outside of the first request: Deno treats code that is loaded in a request as part of it forever.
      outsideRequest(() => {
        this.#load().then(
          (value) => {
            this.#value = value;
            // One that throws must neither keep the others nor the callers that wait.
            for (const what of this.#early.splice(0)) attempt(() => what(value));
            resolve(value);
          },
          (thrown: unknown) => {
            this.#loading = undefined;
            reject(thrown);
          },
        );
      });
    });
    return this.#loading;
  }
}
