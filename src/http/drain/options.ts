/** Options of every draining. Those that are numbers or truths are also read from `HEALTH_` + their name in capitals. */
export interface EndingOptions {
  /** Whether `/__lbheartbeat__` answers 503 from the signal on, so that load balancers send their requests elsewhere. Default true. */
  readonly failLbheartbeat?: boolean;
  /** Milliseconds that requests, or the jobs of a worker, may take to end once no new ones are accepted; then they are cut. Default 10000. */
  readonly drainTimeout?: number;
  /** What to do when all of that has ended: close pools, flush. One after the other. */
  readonly onShutdown?: readonly (() => unknown)[];
  /** Milliseconds all of `onShutdown` may take. Default 5000. */
  readonly shutdownTimeout?: number;
  /** The signals that start it. Default SIGTERM, and SIGINT, with which PM2 stops a process. */
  readonly signals?: readonly NodeJS.Signals[];
  /** What ends the process; gets 0, 1 when something was cut or failed, 128 + its number for a second signal. Where it fails, `process.exit` does it. Default `process.exit`. */
  readonly exit?: (code: number) => unknown;
}

/** The draining of a process. */
export interface Drain {
  /** Starts it without a signal. The same promise each time; it gives the exit code. */
  start(reason?: string): Promise<number>;
  /** Ends the waiting: what is under way is cut now. `onShutdown` still runs. */
  hurry(): void;
  /** Lets go of the signals and of what was to be drained. */
  stop(): void;
}
