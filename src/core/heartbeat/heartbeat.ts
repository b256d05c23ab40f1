import { type Level, type Status, statusOf, type CheckResult, type VerdictOf } from './result.js';
import { Error as ErrorMessage, levels } from './messages.js';
import {
  type RegisteredCheck,
  resultLost,
  runCheck,
  type RunSettings,
  reentryText,
  resultNotRun,
} from './run.js';
import type { ResolvedOptions } from '../options/options.js';
import type { Registry } from './registry.js';
import { timersEndWithRequest } from '../runtime.js';
import * as messageIds from './message-ids.js';

/** The results of all checks. Its level is that of the worst one. */
export interface Heartbeat {
  readonly level: Level;
  readonly status: Status;
  /** Whether one of the checks failed, by `failLevel`: `/__heartbeat__` answers with `failedStatusCode`. */
  readonly failed: boolean;
  /** One result per check, in the order of registration. */
  readonly results: readonly CheckResult[];
}

/** Why all checks ran: a heartbeat, the probes, or the schedule of the option `every`. */
export type RunSource = 'heartbeat' | 'probe' | 'schedule';

/** Runs all checks side by side: it takes as long as the slowest of them. Never rejects. */
function runHeartbeat(checks: readonly RegisteredCheck[], settings: RunSettings): Promise<Heartbeat> {
  return new Promise((resolve) => {
    const results: CheckResult[] = Array.from({ length: checks.length });
    let missing = checks.length;
    const due = heartbeatDeadline(settings);
    for (const [index, check] of checks.entries()) {
      const settle = (result: CheckResult) => {
        if (results[index] === undefined) missing -= 1;
        results[index] = result;
        if (missing === 0) resolve(heartbeatOf(results));
      };
      try {
        start(check, settings, due, settle);
      } catch (thrown) {
        settle(resultLost(check, settings, thrown));
      }
    }
    if (missing === 0) resolve(heartbeatOf(results));
  });
}

function start(
  check: RegisteredCheck,
  settings: RunSettings,
  due: number,
  settle: (result: CheckResult) => void,
): void {
  if (check.cache === undefined) runCheck(check, settings, due, settle);
  // A run of the cache may start later, in the background: it gets the time of a whole heartbeat.
  else
    check.cache.get(
      (done) => runCheck(check, settings, heartbeatDeadline(settings), done),
      settle,
      settings.anew,
    );
}

/** The heartbeat of these results. */
function heartbeatOf(results: readonly CheckResult[]): Heartbeat {
  let level: Level = 0;
  for (const result of results) if (result.level > level) level = result.level;
  return { level, status: statusOf(level), failed: results.some(({ failed }) => failed), results };
}

/** The heartbeat as it is announced: a result that another one has announced is marked as repeated. */
function announcing(heartbeat: Heartbeat): Heartbeat {
  const { results } = heartbeat;
  const repeats = results.some(({ mark }) => mark.announced);
  const marked = repeats ? results.map((each) => (each.mark.announced ? repeatOf(each) : each)) : results;
  for (const { mark } of results) mark.announced = true;
  return repeats ? { ...heartbeat, results: marked } : heartbeat;
}

/** The result as every heartbeat after the first has it: one copy, for with many heartbeats at once most results are such copies. */
function repeatOf(result: CheckResult): CheckResult {
  return (result.mark.repeat ??= { ...result, repeated: true });
}

/** When the time of a heartbeat that starts now is up. */
function heartbeatDeadline({ heartbeatTimeout }: RunSettings): number {
  return heartbeatTimeout === Infinity ? Infinity : performance.now() + heartbeatTimeout;
}

/** A heartbeat for callers outside of the core: several may hold the same. */
export function frozen(heartbeat: Heartbeat): Heartbeat {
  if (Object.isFrozen(heartbeat)) return heartbeat;
  for (const result of heartbeat.results) Object.freeze(result);
  Object.freeze(heartbeat.results);
  return Object.freeze(heartbeat);
}

/** A flood of heartbeats must not pile up without end: beyond this many at once they share the latest. */
const maxConcurrent = 100;

/** Reports a finished heartbeat; returns whether a listener of the user was called. */
type Announce = (heartbeat: Heartbeat, source: RunSource) => boolean;

/** A run of all checks that are registered when it begins. */
interface Begun {
  readonly checks: readonly RegisteredCheck[];
  readonly heartbeat: Promise<Heartbeat>;
}

/** The settings that all heartbeats of a Health have in common, those of its groups included. */
export const runSettings = (
  options: Pick<ResolvedOptions, 'failLevel' | 'heartbeatTimeout' | 'silencedChecks' | 'timeout'>,
  verdictOf: VerdictOf,
): RunSettings => ({
  timeout: options.timeout,
  heartbeatTimeout: options.heartbeatTimeout ?? Infinity,
  silenced: new Set(options.silencedChecks),
  entry: { inside: false, asked: false },
  failsFrom: levels[options.failLevel],
  verdictOf,
});

/** The heartbeats of some checks: which are under way, which are shared, and none inside another. */
export class Heartbeats {
  readonly #registry: Pick<Registry, 'checks'>;
  readonly #settings: RunSettings;
  readonly #limit: number;
  readonly #announceTo: Announce;
  #underway = 0;
  /** The latest that is under way. */
  #latest: Begun | undefined;
  /** The current run that is not a heartbeat. */
  #observed: Begun | undefined;
  /** Whether listeners were called in this turn of the event loop. */
  #announced = false;

  constructor(
    registry: Pick<Registry, 'checks'>,
    settings: RunSettings,
    coalesce: boolean,
    announce: Announce,
  ) {
    this.#registry = registry;
    this.#settings = settings;
    this.#limit = coalesce ? 1 : maxConcurrent;
    this.#announceTo = announce;
  }

  /** The heartbeat under way, or a run of every check for the probes. Never rejects. */
  observe(): Promise<Heartbeat> {
    const current = this.#current(this.#latest) ?? this.#current(this.#observed);
    return current ?? (this.#observed = this.#begin('probe')).heartbeat;
  }

  /** Runs the checks that are due, or waits for their runs under way. If they are not all, `announcePart` gets them. Never rejects. */
  async refresh(
    due: readonly RegisteredCheck[],
    announcePart: (heartbeat: Heartbeat) => void,
  ): Promise<void> {
    const over = await runHeartbeat(due, { ...this.#settings, anew: true });
    if (due.length === this.#registry.checks.length) this.#tell(over, 'schedule');
    else announcePart(announcing(over));
  }

  /** The current heartbeat, or a new one: for callers that need nothing newer. */
  join(): Promise<Heartbeat> {
    return this.#current(this.#latest) ?? this.run();
  }

  /** Runs every check, or waits for a heartbeat that does. Never rejects. */
  run(): Promise<Heartbeat> {
    if (this.#settings.entry.inside) {
      this.#settings.entry.asked = true;
      return Promise.resolve(this.#refused());
    }
    const latest = this.#current(this.#latest);
    if (latest !== undefined && this.#underway >= this.#limit) return latest;
    // A listener that asks for the next heartbeat must not keep the event loop for itself.
    if (!timersEndWithRequest && this.#announced)
      return new Promise<void>((resolve) => scheduleImmediate(resolve)).then(() => this.run());
    this.#underway += 1;
    return (this.#latest = this.#begin('heartbeat')).heartbeat;
  }

  #begin(source: 'heartbeat' | 'probe'): Begun {
    const { checks } = this.#registry;
    // Promises by hand: an async function each would cost a probe more than its checks.
    const heartbeat = runHeartbeat(checks, this.#settings).then((over) => {
      if (source === 'heartbeat') this.#underway -= 1;
      if (this.#latest === begun) this.#latest = undefined;
      if (this.#observed === begun) this.#observed = undefined;
      return this.#tell(over, source);
    });
    const begun = { checks, heartbeat };
    return begun;
  }

  /** The heartbeat that others may join, unless a check was registered since it began, which it would leave out. */
  #current(begun: Begun | undefined): Promise<Heartbeat> | undefined {
    return begun?.checks === this.#registry.checks ? begun.heartbeat : undefined;
  }

  /** Announces a finished heartbeat, and returns it as announced. */
  #tell(over: Heartbeat, source: RunSource): Heartbeat {
    const heartbeat = announcing(over);
    if (this.#announce(heartbeat, source) && !timersEndWithRequest) {
      this.#announced = true;
      scheduleImmediate(() => {
        this.#announced = false;
      });
    }
    return heartbeat;
  }

  /** Whether listeners were called. Whatever they, the log or the page do with a heartbeat, its answer is final. */
  #announce(heartbeat: Heartbeat, source: RunSource): boolean {
    const { entry } = this.#settings;
    const outside = entry.inside;
    entry.inside = true;
    try {
      return this.#announceTo(heartbeat, source);
    } catch {
      return true;
    } finally {
      entry.inside = outside;
      entry.asked = false;
    }
  }

  /** The result for a check or a listener that asks for a heartbeat while it is part of one. */
  #refused(): Heartbeat {
    const why = new ErrorMessage(reentryText, { id: messageIds.reentered });
    return heartbeatOf(this.#registry.checks.map((check) => resultNotRun(check, this.#settings, why)));
  }
}

const scheduleImmediate: (then: () => void) => unknown = globalThis.setImmediate ?? globalThis.setTimeout;
