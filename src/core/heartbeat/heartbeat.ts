import { type Level, type Status, statusOf, type CheckResult, type VerdictOf } from './result.js';
import { Error as ErrorMessage, levels } from './messages.js';
import { guarded, type RegisteredCheck, resultNotRun, runCheck, type RunSettings } from './run.js';
import type { ResolvedOptions } from '../options/options.js';
import * as messageIds from './message-ids.js';

/** The results of all checks. Its level is the level of the worst one. */
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

/** The settings that all heartbeats of a Health have in common, also the heartbeats of its groups. */
export const runSettings = (
  options: Pick<ResolvedOptions, 'coalesce' | 'failLevel' | 'silencedChecks' | 'timeout'>,
  verdictOf: VerdictOf,
): RunSettings => ({
  timeout: options.timeout,
  coalesce: options.coalesce,
  silenced: new Set(options.silencedChecks),
  entry: { inside: false },
  failsFrom: levels[options.failLevel],
  verdictOf,
});

/** Runs these checks side by side: it takes as long as the slowest of them. */
function runChecks(
  checks: readonly RegisteredCheck[],
  settings: RunSettings,
  anew: boolean,
): Promise<Heartbeat> {
  return new Promise((resolve) => {
    const results: CheckResult[] = Array.from({ length: checks.length });
    let missing = checks.length;
    if (missing === 0) resolve(heartbeatOf(results));
    for (const [index, check] of checks.entries()) {
      const settle = (result: CheckResult) => {
        results[index] = result;
        missing -= 1;
        if (missing === 0) resolve(heartbeatOf(results));
      };
      runCheck(check, settings, settle, anew);
    }
  });
}

function heartbeatOf(results: readonly CheckResult[]): Heartbeat {
  let level: Level = 0;
  for (const result of results) if (result.level > level) level = result.level;
  return { level, status: statusOf(level), failed: results.some(({ failed }) => failed), results };
}

/** The heartbeat as it is announced: a result that another one has announced is marked as repeated. */
function announcing(heartbeat: Heartbeat): Heartbeat {
  const results = heartbeat.results.map((result) =>
    result.mark.announced ? { ...result, repeated: true } : result,
  );
  for (const { mark } of results) mark.announced = true;
  return { ...heartbeat, results };
}

/** A heartbeat for callers outside of the core: several may hold the same. */
export function frozen(heartbeat: Heartbeat): Heartbeat {
  for (const result of heartbeat.results) Object.freeze(result);
  Object.freeze(heartbeat.results);
  return Object.freeze(heartbeat);
}

/** A flood of heartbeats must not pile up without end: beyond this many at once they share the latest. */
const maxConcurrent = 100;

/** A run of all checks that are registered when it begins. */
interface Begun {
  readonly checks: readonly RegisteredCheck[];
  readonly heartbeat: Promise<Heartbeat>;
}

/** The heartbeats of some checks: which are under way, which are shared, and none inside another. None of them rejects. */
export class Heartbeats {
  /** The same list until a check is registered. */
  readonly #checks: () => readonly RegisteredCheck[];
  readonly #settings: RunSettings;
  readonly #announce: (heartbeat: Heartbeat, source: RunSource) => void;
  #underway = 0;
  #latest: Begun | undefined;
  #observed: Begun | undefined;

  constructor(
    checks: () => readonly RegisteredCheck[],
    settings: RunSettings,
    announce: (heartbeat: Heartbeat, source: RunSource) => void,
  ) {
    this.#checks = checks;
    this.#settings = settings;
    this.#announce = announce;
  }

  /** The heartbeat under way, or a run of every check for the probes. */
  observe(): Promise<Heartbeat> {
    const current = this.#current(this.#latest) ?? this.#current(this.#observed);
    return current ?? (this.#observed = this.#begin('probe')).heartbeat;
  }

  /** Runs the checks that are due, or waits for their runs under way. If they are not all, `announcePart` gets them. */
  async refresh(
    due: readonly RegisteredCheck[],
    announcePart: (heartbeat: Heartbeat) => void,
  ): Promise<void> {
    const heartbeat = announcing(await runChecks(due, this.#settings, true));
    if (due.length === this.#checks().length) this.#report(heartbeat, 'schedule');
    else announcePart(heartbeat);
  }

  /** The heartbeat under way, or a new one: for callers that need nothing newer. */
  join(): Promise<Heartbeat> {
    return this.#current(this.#latest) ?? this.run();
  }

  /** Runs every check, or waits for a heartbeat that does. */
  run(): Promise<Heartbeat> {
    if (this.#settings.entry.inside) return Promise.resolve(this.#refused());
    const latest = this.#current(this.#latest);
    const limit = this.#settings.coalesce ? 1 : maxConcurrent;
    if (latest !== undefined && this.#underway >= limit) return latest;
    this.#underway += 1;
    return (this.#latest = this.#begin('heartbeat')).heartbeat;
  }

  #begin(source: 'heartbeat' | 'probe'): Begun {
    const checks = this.#checks();
    // Promises by hand: an async function each would cost a probe more than its checks.
    const heartbeat = runChecks(checks, this.#settings, false).then((over) => {
      if (source === 'heartbeat') this.#underway -= 1;
      if (this.#latest === begun) this.#latest = undefined;
      if (this.#observed === begun) this.#observed = undefined;
      const announced = announcing(over);
      this.#report(announced, source);
      return announced;
    });
    const begun = { checks, heartbeat };
    return begun;
  }

  /** The heartbeat that others may join, unless a check was registered since it began, which it would leave out. */
  #current(begun: Begun | undefined): Promise<Heartbeat> | undefined {
    return begun?.checks === this.#checks() ? begun.heartbeat : undefined;
  }

  /** Listeners, the log and the page do not change the answer of a heartbeat. */
  #report(heartbeat: Heartbeat, source: RunSource): void {
    try {
      guarded(this.#settings, () => this.#announce(heartbeat, source));
    } catch {
      // Each of them logs its own errors.
    }
  }

  /** The result for a check or a listener that requests a heartbeat while it is part of one. */
  #refused(): Heartbeat {
    const text =
      'health.heartbeat() was called from a check or listener of the same heartbeat, so it ran no checks';
    const why = new ErrorMessage(text, { id: messageIds.reentered });
    return heartbeatOf(this.#checks().map((check) => resultNotRun(check, this.#settings, why)));
  }
}
