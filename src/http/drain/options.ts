import type { Duration } from '../../core/options/duration.js';

/** Options of every draining. Those that are numbers or truths are also read from `HEALTH_` + their name in capitals. */
export interface EndingOptions {
  /** Whether `/__lbheartbeat__` answers 503 after the signal, so that load balancers send their requests elsewhere. Default true. */
  readonly failLbheartbeat?: boolean;
  /** How long requests, or the jobs of a worker, may take once no new ones are accepted; then they are cut off. Default: until 8 s after the signal, at least 3000. */
  readonly drainTimeout?: Duration;
  /** Functions to run after that, or as soon as only endless responses are left, one after the other: end event streams, close pools, flush buffers. */
  readonly onShutdown?: readonly (() => unknown)[];
  /** How long all of `onShutdown` may take. Default: until 9 s after the signal, at least 1000. */
  readonly shutdownTimeout?: Duration;
  /** The signals that start the drain. Default SIGTERM, and SIGINT, which PM2 sends to stop a process. */
  readonly signals?: readonly NodeJS.Signals[];
  /** Ends the process; gets 0, 1 when something was cut off or failed, or 128 + its number for a second signal. If it fails, `process.exit` is called. Default `process.exit`. */
  readonly exit?: (code: number) => unknown;
}

/** The draining of a process. */
export interface Drain {
  /** Starts the drain without a signal. Returns the same promise each time, which resolves with the exit code. */
  start(reason?: string): Promise<number>;
  /** Stops waiting: open requests are cut off now. `onShutdown` still runs. */
  hurry(): void;
  /** Removes the signal handlers and releases the server. `health.close()` does it, too, unless the drain has begun. */
  stop(): void;
}
