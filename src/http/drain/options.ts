import type { HealthDrainOptions } from '../../core/options/drain.js';

/** Options of every draining, beside those of the Health's `drain`, which they win over. */
export interface EndingOptions extends Omit<HealthDrainOptions, 'delay'> {
  /** Functions to run after that, or as soon as only endless responses are left, one after the other: end event streams, close pools, flush buffers. */
  readonly onShutdown?: readonly (() => unknown)[] | undefined;
  /** The signals that start the drain. Default SIGTERM, and SIGINT, which PM2 sends to stop a process. */
  readonly signals?: readonly NodeJS.Signals[] | undefined;
  /** Ends the process; gets 0, 1 when something was cut off or failed, or 128 + its number for a second signal. If it fails, `process.exit` is called. Default `process.exit`. */
  readonly exit?: ((code: number) => unknown) | undefined;
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
