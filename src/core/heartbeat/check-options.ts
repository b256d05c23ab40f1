import type { Duration } from '../options/duration.js';
import type { Filled } from '../options/filled.js';
import type { LevelName } from './messages.js';
import type { Scope } from './scope.js';

/** Options of one check, given where it is registered or by name in the option `checkOptions`. */
export interface CheckOptions {
  /** How long this check may take; by default the `timeout` of the Health. */
  readonly timeout?: Duration | undefined;
  /**
   * How long a result, also a failure, is reused without a new run; by default the `cacheFor` of the
   * Health. An older result is never served: the check runs first.
   */
  readonly cacheFor?: Duration | undefined;
  /**
   * Runs this check on a schedule, however often it is asked for; by default the `every` of the Health. Heartbeats get its last result, which is
   * never older than twice this time.
   */
  readonly every?: Duration | undefined;
  /**
   * The highest level this check may report, also when it throws or times out: `'info'` for a dependency that must
   * never fail the heartbeat.
   */
  readonly maxLevel?: LevelName | undefined;
  /**
   * Who is affected when this check fails, for the probes: `'instance'` takes this instance out of rotation,
   * `'shared'` never does, `'auto'` finds out if the client allows it. Default: the check's own scope, `'instance'`
   * for your own checks.
   */
  readonly scope?: Scope | undefined;
  /** Consecutive failed runs after which the probes count this check as failed; by default the `failureThreshold` of the probes. */
  readonly failureThreshold?: number | undefined;
  /** Consecutive passed runs after which they count it as passed again; by default the `successThreshold` of the probes. */
  readonly successThreshold?: number | undefined;
  /**
   * After how long a failure of only this instance fails `/livez`, so that the platform restarts it; 0 for
   * never. By default the `restartAfter` of the probes.
   */
  readonly restartAfter?: Duration | undefined;
}

/** Options by the name of the check. */
export type CheckOptionsByName = Readonly<Record<string, CheckOptions>>;

/** The options of one check, with times as milliseconds. */
export type ReadCheckOptions = Partial<Filled<CheckOptions>>;
