import type { RegisteredCheck } from './heartbeat/run.js';
import type { Heartbeat } from './heartbeat/heartbeat.js';
import type { VerdictOf } from './heartbeat/result.js';
import type { VerdictChange } from './heartbeat/signals.js';
import type { LogRecord } from './log.js';
import type { ResolvedOptions } from './options/options.js';
import type { Route } from './endpoints.js';
import type { VersionOutcome } from './version.js';

/** The part of its Health that a feature may use. */
export interface FeatureHost<Request> {
  readonly options: ResolvedOptions<never>;
  readonly version: () => Promise<VersionOutcome>;
  readonly draining: () => boolean;
  readonly showsDetails: (request: Request) => boolean;
  /** All checks; the same list until one is added. */
  readonly checks: () => readonly RegisteredCheck[];
  /** The heartbeat under way, or a run of every check for the probes. Never rejects. */
  readonly observe: () => Promise<Heartbeat>;
  /** Runs these checks, or waits for their runs under way, and announces them. */
  readonly refresh: (due: readonly RegisteredCheck[]) => Promise<void>;
  readonly log: (record: LogRecord) => void;
  readonly emitVerdict: (change: VerdictChange) => void;
  /** The heartbeat that is under way, or a new one. Never rejects. */
  readonly heartbeat: () => Promise<Heartbeat>;
  readonly onError: (msg: string, thrown: unknown) => void;
}

/** An optional part: it reads the data of the core, and may answer its own paths. The core knows nothing else of it. */
export interface Feature<Request> {
  /** The paths that it answers, known when it is made. */
  readonly routes?: readonly Route<Request>[];
  /** All checks have run: for a heartbeat, or for the probes. */
  onHeartbeat?(heartbeat: Heartbeat): void;
  /** A check is to run on a schedule, with this many milliseconds between its runs. */
  onScheduled?(every: number): void;
  onStarted?(): void;
  /** Who is affected by the failure of a check, for its results; undefined if this feature does not know. */
  readonly verdictOf?: VerdictOf;
  onVerdict?(change: VerdictChange): void;
  onGroupHeartbeat?(heartbeat: Heartbeat): void;
  /** The process is shutting down; `refusing` is whether load balancers get a 503. */
  onLeave?(refusing: boolean): void;
  onWatchdogProbed?(): void;
  /** Throws if its options name a check that is not registered, when the application starts. */
  requireKnownChecks?(): void;
  close?(): void;
}

export type OpenFeatures<Request> = (host: FeatureHost<Request>) => Feature<Request>[];

/** Returns the result of `act`. If it throws, the opened resources are closed, because the caller has no reference. Not caught: Node prints the line of the last `throw`. */
export function closeOnThrow<T>(resource: { close(): void }, act: () => T): T {
  let done = false;
  try {
    const result = act();
    done = true;
    return result;
  } finally {
    if (!done) resource.close();
  }
}
