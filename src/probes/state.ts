import { type Answer, answerProbeFailed, answerProbePassed, text } from '../core/endpoints.js';
import type { FeatureHost } from '../core/feature.js';
import type { Opinion } from '../core/heartbeat/check.js';
import type { Level, CheckResult } from '../core/heartbeat/result.js';
import type { VerdictChange } from '../core/heartbeat/signals.js';
import type { Scalar } from '../core/heartbeat/messages.js';
import { clean } from '../core/scrub/scrub.js';
import { printable } from '../core/scrub/printable.js';

// The state of the probes at one moment, and how it is reported: in their answers, in the log, to listeners.

/** The three questions of a platform. */
export type Probe = 'live' | 'ready' | 'started';

const endpointNames: Readonly<Record<Probe, string>> = {
  live: 'livez',
  ready: 'readyz',
  started: 'startupz',
};

/** A check as the probes see it. */
export interface ProbedCheck {
  readonly name: string;
  /** The outcome of its last run; undefined before the first. */
  readonly status: 'pass' | 'fail' | undefined;
  readonly last: CheckResult | undefined;
  readonly passedOnce: boolean;
  /** The scope of its failure, if known. */
  readonly verdict: Opinion | undefined;
  /** Whether it fails `/readyz`, and `/livez`. */
  readonly holdsReady: boolean;
  readonly wedged: boolean;
}

export interface ProbeState {
  readonly started: boolean;
  readonly draining: boolean;
  readonly checks: readonly ProbedCheck[];
}

function passes(probe: Probe, { started, draining, checks }: ProbeState): boolean {
  if (probe === 'started') return started;
  if (probe === 'live') return !checks.some(({ wedged }) => wedged);
  return started && !draining && !checks.some(({ holdsReady }) => holdsReady);
}

/** Why a probe fails, in a few words; with the names of the checks if they may be seen. */
function failureReason(probe: Probe, state: ProbeState, details: boolean): string {
  if (probe !== 'live') {
    if (probe === 'ready' && state.draining) return 'the process is shutting down';
    if (!state.started) return 'the application has not started';
  }
  const against = state.checks.filter((check) => (probe === 'live' ? check.wedged : check.holdsReady));
  if (!details) return probe === 'live' ? 'a restart would help' : 'this instance is at fault';
  const since = probe === 'live' ? ' has failed for longer than its restartAfter' : '';
  return against.map((check) => `${check.name}${since}: ${explain(check)}`).join('; ');
}

/** `instance: a fresh connection works, the pool does not`. */
function explain({ status, verdict, passedOnce }: ProbedCheck): string {
  if (status === undefined) return 'has not run yet';
  if (status === 'pass') return 'passes again, for fewer runs than successThreshold';
  const blame =
    verdict === undefined ? 'its scope is not known yet' : `${verdict.scope}: ${verdict.evidence}`;
  return passedOnce ? blame : `has not passed yet; ${blame}`;
}

export function answerProbe(probe: Probe, state: ProbeState, showsDetails: () => boolean): Answer {
  return passes(probe, state)
    ? answerProbePassed
    : answerProbeFailed(failureReason(probe, state, showsDetails()));
}

/** The answer to `?verbose`: one line per check, as the API server of Kubernetes writes it. */
export function answerVerbose(probe: Probe, state: ProbeState, withTexts: boolean): Answer {
  const passed = passes(probe, state);
  const lines = [
    ...(probe === 'live' ? [stateLine('event_loop', true)] : [stateLine('started', state.started)]),
    ...(probe === 'ready' ? [stateLine('draining', !state.draining)] : []),
    ...(probe === 'started' ? [] : state.checks.map((check) => checkLine(probe, check, withTexts))),
    `${endpointNames[probe]} check ${passed ? 'passed' : 'failed'}`,
  ];
  return text(passed ? 200 : 503, 'text/plain; charset=utf-8', `${lines.map(printable).join('\n')}\n`);
}

const stateLine = (name: string, good: boolean) => (good ? `[+]${name} ok` : `[-]${name} failed`);

function checkLine(probe: 'live' | 'ready', check: ProbedCheck, withTexts: boolean): string {
  const { name, status, last } = check;
  const worst = last && worstMessage(last, withTexts);
  if (last?.capped === true) return `[+]${name} excluded: capped at ${last.status}: ${worst}`;
  const why = `${explain(check)}${status === 'fail' ? ` (${worst})` : ''}`;
  if (probe === 'live' ? check.wedged : check.holdsReady) return `[-]${name} failed: ${why}`;
  // It fails, but does not count for this probe.
  return status === 'fail' ? `[+]${name} excluded: ${why}` : `[+]${name} ok`;
}

/** Characters of a text in a line. */
const maxWorstLength = 300;

/** The worst message of a result: `health.W001: Unapplied migrations found: 002_b`. */
function worstMessage({ messages }: CheckResult, withTexts: boolean): string {
  const [worst] = messages.toSorted((one, other) => other.level - one.level);
  if (worst === undefined) return 'no message';
  return withTexts ? clean(`${worst.id}: ${worst.text}`, maxWorstLength) : worst.id;
}

const probes: readonly Probe[] = ['started', 'ready', 'live'];

/**
 * Reports each change of a verdict to the log, the listeners and the other features: once per change, not once per probe. The messages of the
 * checks, and that they pass again, are in the log already.
 */
export class ChangeReporter {
  readonly #host: Pick<FeatureHost<never>, 'log' | 'emitVerdict'>;
  readonly #passed: Record<Probe, boolean> = { started: false, ready: false, live: true };
  readonly #scopes = new Map<string, string>();

  constructor(host: Pick<FeatureHost<never>, 'log' | 'emitVerdict'>) {
    this.#host = host;
  }

  compare(state: ProbeState): void {
    let changed = false;
    for (const check of state.checks) changed = this.#compareCheck(check) || changed;
    for (const probe of probes) {
      const passed = passes(probe, state);
      if (passed === this.#passed[probe]) continue;
      this.#passed[probe] = passed;
      changed = true;
      if (passed) this.#log(20, `${endpointNames[probe]} passes`);
      // Draining is not a fault.
      else
        this.#log(
          state.draining ? 20 : 40,
          `${endpointNames[probe]} fails: ${failureReason(probe, state, true)}`,
        );
    }
    if (changed) this.#host.emitVerdict(this.#change(state));
  }

  #compareCheck({ name, verdict, status }: ProbedCheck): boolean {
    const known = this.#scopes.get(name);
    // While a second opinion is pending, the last report holds.
    if (verdict === undefined && status === 'fail') return false;
    if (verdict?.scope === known) return false;
    if (verdict === undefined) {
      this.#scopes.delete(name);
      return true;
    }
    const { scope, evidence } = verdict;
    this.#scopes.set(name, scope);
    const msg = `${name} fails, ${scope}: ${evidence}`;
    this.#log(scope === 'shared' ? 30 : 40, msg, { check: name, scope, evidence });
    return true;
  }

  #change({ checks }: ProbeState): VerdictChange {
    const status = (probe: Probe) => (this.#passed[probe] ? 'pass' : 'fail');
    return {
      live: status('live'),
      ready: status('ready'),
      started: status('started'),
      checks: checks.flatMap(({ name, verdict }) =>
        verdict === undefined ? [] : [{ name, scope: verdict.scope, evidence: verdict.evidence }],
      ),
    };
  }

  #log(level: Exclude<Level, 0>, msg: string, fields: Readonly<Record<string, Scalar>> = {}): void {
    this.#host.log({ logger: 'health.probes', level, time: Date.now(), fields, msg });
  }
}
