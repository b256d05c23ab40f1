import type { Level, Status } from './messages.js';
import { statusOf } from './messages.js';
import type { RegisteredCheck } from './check.js';
import type { CheckResult } from './result.js';
import { runCheck, type RunSettings } from './run-check.js';

/** The results of all checks. Its level is that of the worst one. */
export interface Heartbeat {
  readonly level: Level;
  readonly status: Status;
  /** One result per check, in the order of registration. */
  readonly results: readonly CheckResult[];
}

/** What asked for a run of all checks: a heartbeat, or the probes. */
export type RunSource = 'heartbeat' | 'probe';

/** Runs all checks side by side: it takes as long as the slowest of them. Never rejects. */
export function runHeartbeat(checks: readonly RegisteredCheck[], settings: RunSettings): Promise<Heartbeat> {
  return new Promise((resolve) => {
    const results: CheckResult[] = [];
    let open = checks.length;
    let level: Level = 0;
    const settle = (result: CheckResult, index: number) => {
      results[index] = result;
      if (result.level > level) level = result.level;
      open -= 1;
      if (open === 0) resolve({ level, status: statusOf(level), results });
    };
    if (open === 0) resolve({ level, status: statusOf(level), results });
    const due = dueOf(settings);
    checks.forEach((check, index) => {
      if (check.cache === undefined) runCheck(check, index, settings, due, settle);
      // A run of the cache may start later, in the background: it gets the time of a whole heartbeat.
      else {
        check.cache.ask(
          (done) => runCheck(check, index, settings, dueOf(settings), done),
          (result) => settle(result, index),
        );
      }
    });
  });
}

/** When the time of a heartbeat that starts now is up. */
function dueOf({ heartbeatTimeout }: RunSettings): number {
  return heartbeatTimeout === Infinity ? Infinity : performance.now() + heartbeatTimeout;
}

/** What leaves the core: several callers may hold the same. */
export function frozen(heartbeat: Heartbeat): Heartbeat {
  if (Object.isFrozen(heartbeat)) return heartbeat;
  for (const result of heartbeat.results) Object.freeze(result);
  Object.freeze(heartbeat.results);
  return Object.freeze(heartbeat);
}
