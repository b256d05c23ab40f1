import type { Declares, Values } from './declaration.js';
import type { Duration } from './duration.js';
import { duration, flag, timeout } from './rules.js';

/** Options of draining. Each is also read from `HEALTH_DRAIN_` + its name in capitals. */
export interface HealthDrainOptions {
  /** How long a server keeps answering after the signal, until load balancers have stopped sending requests. Default 5000; 0 if `NODE_ENV` is `development` or `test`, or is not set and the process runs at a terminal. */
  readonly delay?: Duration | undefined;
  /** How long requests, or the jobs of a worker, may take once no new ones are accepted; then they are cut off. Default: until 8 s after the signal, at least 3000. */
  readonly timeout?: Duration | undefined;
  /** How long all of `onShutdown` may take. Default: until 9 s after the signal, at least 1000. */
  readonly shutdownTimeout?: Duration | undefined;
  /** Whether `/__lbheartbeat__` answers 503 after the signal, for load balancers that ask it and not `/readyz`. Default false. */
  readonly failLbheartbeat?: boolean | undefined;
}

/** @internal */
const parts = {
  delay: [duration, undefined],
  timeout: [timeout, undefined],
  shutdownTimeout: [timeout, undefined],
  failLbheartbeat: [flag, false],
} satisfies Declares<HealthDrainOptions>;

/** The same after reading. A time that is not set depends on how much time has passed since the signal. */
export interface ResolvedDrain {
  readonly delay: number | undefined;
  readonly timeout: number | undefined;
  readonly shutdownTimeout: number | undefined;
  readonly failLbheartbeat: boolean;
}

/** @internal */
export const drain = {
  name: 'drain',
  parts,
  askedBy: [],
  example: '{ delay: "10s" }',
  resolve: (values: Values<typeof parts>): ResolvedDrain => values,
};
