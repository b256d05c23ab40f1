import type { ResultCache } from './cache.js';
import type { CheckOptions, ReadCheckOptions } from './check-options.js';
import type { CheckMessage, Level } from './messages.js';
import type { Settle } from './result.js';
import type { OpenRuns } from './open-runs.js';
import type { Scoped } from './scope.js';

export type { CheckOptions };

/** The context that a check receives. */
export interface CheckContext {
  /** Aborted when the check times out: pass it to `fetch` or a client. */
  readonly signal: AbortSignal;
  /** The name the check is registered under. */
  readonly name: string;
}

/** The result of a check: a list of messages, one message, or nothing when all is well. */
export type CheckOutcome = readonly CheckMessage[] | CheckMessage | null | undefined | void;

/**
 * A health check, synchronous or asynchronous.
 *
 * @example const storage: Check = async ({ signal }) => (await ping(signal)) ? [] : [new checks.Error('No storage', { id: 'acme.E001' })];
 */
export type Check = (context: CheckContext) => CheckOutcome | PromiseLike<CheckOutcome>;

/** A check in the registry, with the state of its runs and its options for the probes. */
export interface RegisteredCheck
  extends Scoped, Pick<ReadCheckOptions, 'failureThreshold' | 'successThreshold' | 'restartAfter'> {
  readonly name: string;
  /** The name as written in JSON, made once. */
  readonly key: string;
  readonly run: Check;
  readonly timeout: number | undefined;
  /** The worst it may be. */
  readonly maxLevel: Level;
  /** Milliseconds between its runs, if a schedule runs it. */
  readonly every?: number | undefined;
  /** The last result, if it may be served again. */
  readonly cache: ResultCache | undefined;
  /** Its runs that have not settled. */
  readonly runs: OpenRuns<JoinableRun>;
}

/** A run under way that further heartbeats may wait for. */
export interface JoinableRun {
  join(settle: Settle): void;
}
