import { optionInvalid } from './errors.js';
import type { Declares, Values } from './declaration.js';
import type { Duration } from './duration.js';
import type { Filled } from './filled.js';
import { integer, type Rule, time, timeout } from './rules.js';

/** Options of the watchdog. Each is also read from `HEALTH_WATCHDOG_` + its name in capitals. */
export interface WatchdogOptions {
  /** The port that answers `/__lbheartbeat__` while the event loop is blocked. 0 takes a free one. Default 8001. */
  readonly port?: number | undefined;
  /** After how long a blocked event loop is `busy` and logged. Default 1000. */
  readonly busyAfter?: Duration | undefined;
  /** After how long it is `stuck`: the port answers 503. Default 60000. */
  readonly stuckAfter?: Duration | undefined;
  /**
   * The file that says why the process ended, or false for none. It is written only if it exists, as in a container of Kubernetes.
   * Default `/dev/termination-log`.
   */
  readonly terminationLog?: string | false | undefined;
}

/** The same with every default filled in. */
export type ResolvedWatchdog = Filled<WatchdogOptions>;

const fileOrFalse: Rule<string | false> = {
  expects: 'a path or false',
  accepts: (value): value is string | false => value === false || (typeof value === 'string' && value !== ''),
  fromText: (value) => (value.toLowerCase() === 'false' ? false : value),
};

const parts = () =>
  ({
    port: [integer(0, 65_535), 8001],
    busyAfter: [time(100), 1000],
    stuckAfter: [timeout, ({ busyAfter }) => Math.max(60_000, 2 * Number(busyAfter))],
    terminationLog: [fileOrFalse, '/dev/termination-log'],
  }) satisfies Declares<WatchdogOptions>;

/** @internal */
export const watchdog = () => ({
  parts: parts(),
  example: '{ port: 8001 }',
  resolve(values: Values<ReturnType<typeof parts>>, label: string): ResolvedWatchdog {
    const { busyAfter, stuckAfter } = values;
    if (stuckAfter <= busyAfter) {
      throw optionInvalid(
        `Option ${label}.stuckAfter`,
        stuckAfter,
        `greater than busyAfter (${busyAfter})`,
        'Raise it, or omit it to use the default.',
      );
    }
    return values;
  },
});
