import { outsideRequest } from './request/request.js';

/** How many events are kept until the code is loaded. */
const maxEarly = 1000;

/** Code of a feature, loaded only by applications that turn it on. Calls made before it has loaded are kept for it. */
export class Lazy<T> {
  readonly #load: () => Promise<T>;
  #loading: Promise<T> | undefined;
  #value: T | undefined;
  #early: ((value: T) => void)[] = [];

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
            for (const what of this.#early) what(value);
            this.#early = [];
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
