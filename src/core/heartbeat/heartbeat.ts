import type { Level, Status } from './messages.js';
import { statusOf } from './messages.js';
import type { RegisteredCheck } from './check.js';
import type { CheckResult } from './result.js';
import { resultLost, runCheck, type RunSettings } from './run-check.js';

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
export function runHeartbeat(checks: readonly RegisteredCheck[], settings: RunSettings): Promise<Heartbeat> {
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
export function heartbeatOf(results: readonly CheckResult[]): Heartbeat {
  let level: Level = 0;
  for (const result of results) if (result.level > level) level = result.level;
  return { level, status: statusOf(level), failed: results.some(({ failed }) => failed), results };
}

/** The heartbeat as it is announced: a result that another one has announced is marked as repeated. */
export function announcing(heartbeat: Heartbeat): Heartbeat {
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
