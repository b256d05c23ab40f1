import type { CheckResult } from '../core/heartbeat/result.js';
import type { Opinion } from '../core/heartbeat/check.js';

/** The three questions of a platform. */
export type Probe = 'live' | 'ready' | 'started';

/** A check as the probes see it. */
export interface ProbedCheck {
  readonly name: string;
  /** The outcome of its last run; undefined before the first. */
  readonly status: 'pass' | 'fail' | undefined;
  /** The result of that run. */
  readonly last: CheckResult | undefined;
  /** Whether it has ever passed. */
  readonly passedOnce: boolean;
  /** The scope of its failure, if known. */
  readonly verdict: Opinion | undefined;
  /** Whether it fails `/readyz`, and `/livez`. */
  readonly holdsReady: boolean;
  readonly wedged: boolean;
}

/** Everything the probes know at one moment. */
export interface ProbeState {
  readonly started: boolean;
  readonly draining: boolean;
  readonly checks: readonly ProbedCheck[];
}

/** Whether a probe passes. */
export function passes(probe: Probe, { started, draining, checks }: ProbeState): boolean {
  if (probe === 'started') return started;
  if (probe === 'live') return !checks.some(({ wedged }) => wedged);
  return started && !draining && !checks.some(({ holdsReady }) => holdsReady);
}

/** Why a probe fails, in a few words; with the names of the checks if they may be seen. */
export function reasonOf(probe: Probe, state: ProbeState, details: boolean): string {
  if (probe !== 'live') {
    if (probe === 'ready' && state.draining) return 'the process is shutting down';
    if (!state.started) return 'the application has not started';
  }
  const against = state.checks.filter((check) => (probe === 'live' ? check.wedged : check.holdsReady));
  if (!details) return probe === 'live' ? 'a restart would help' : 'this instance is at fault';
  const since = probe === 'live' ? ' has failed for longer than its restartAfter' : '';
  return against.map((check) => `${check.name}${since}: ${troubleOf(check)}`).join('; ');
}

/** `instance: a fresh connection works, the pool does not`. */
export function troubleOf({ status, verdict, passedOnce }: ProbedCheck): string {
  if (status === undefined) return 'has not run yet';
  if (status === 'pass') return 'passes again, for fewer runs than successThreshold';
  const whose =
    verdict === undefined ? 'its scope is not known yet' : `${verdict.scope}: ${verdict.evidence}`;
  return passedOnce ? whose : `has not passed yet; ${whose}`;
}
