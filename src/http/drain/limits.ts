/** Docker kills a process 10 s after SIGTERM, so a drain ends by itself before that. Milliseconds since the signal. */
const usual = { server: 8000, worker: 7000, process: 9000 };
/** The least time for requests, jobs and `onShutdown`, after a delay that was set to more than the usual one. */
const least = { drain: 3000, shutdown: 1000 };

interface Timeouts {
  readonly timeout: number | undefined;
  readonly shutdownTimeout: number | undefined;
}

/** How long each step of a drain may take. A timeout that is not set is the rest of the 9 s of the whole drain. */
export class Limits {
  #start = performance.now();
  readonly #timeouts: Timeouts;
  readonly #kind: 'server' | 'worker';

  constructor(kind: 'server' | 'worker', timeouts: Timeouts) {
    this.#kind = kind;
    this.#timeouts = timeouts;
  }

  /** The drain begins now. */
  restart(): void {
    this.#start = performance.now();
  }

  /** Milliseconds for requests or jobs in progress, from now on. */
  drain(): number {
    return this.#timeouts.timeout ?? Math.max(least.drain, this.#left(usual[this.#kind]));
  }

  /** Milliseconds for `onShutdown` or for the application's signal handlers, from now on. */
  shutdown(): number {
    return this.#timeouts.shutdownTimeout ?? Math.max(least.shutdown, this.#left(usual.process));
  }

  #left(end: number): number {
    return Math.round(end - (performance.now() - this.#start));
  }
}
