import type { Level } from '../core/heartbeat/messages.js';
import type { VerdictChange } from '../core/heartbeat/signals.js';
import type { LogRecord, Scalar } from '../core/log.js';
import { passes, type Probe, type ProbedCheck, type ProbeState, reasonOf } from './state.js';

/** The receivers of a change. */
interface ReporterHost {
  readonly log: (record: LogRecord) => void;
  readonly emitVerdict: (change: VerdictChange) => void;
}

const probes: readonly Probe[] = ['started', 'ready', 'live'];
const named: Readonly<Record<Probe, string>> = { started: 'startupz', ready: 'readyz', live: 'livez' };

/**
 * Reports each change of a verdict to the log, the listeners and the other features: once per change, not once per probe. The messages of the
 * checks, and that they pass again, are in the log already.
 */
export class ChangeReporter {
  readonly #host: ReporterHost;
  readonly #passed: Record<Probe, boolean> = { started: false, ready: false, live: true };
  readonly #scopes = new Map<string, string>();

  constructor(host: ReporterHost) {
    this.#host = host;
  }

  /** Compares the state with the last one, and reports changes. */
  look(state: ProbeState): void {
    let changed = false;
    for (const check of state.checks) changed = this.#lookAt(check) || changed;
    for (const probe of probes) {
      const passed = passes(probe, state);
      if (passed === this.#passed[probe]) continue;
      this.#passed[probe] = passed;
      changed = true;
      if (passed) this.#log(20, `${named[probe]} passes`);
      // Draining is not a fault.
      else this.#log(state.draining ? 20 : 40, `${named[probe]} fails: ${reasonOf(probe, state, true)}`);
    }
    if (changed) this.#host.emitVerdict(this.#change(state));
  }

  #lookAt({ name, verdict, status }: ProbedCheck): boolean {
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
    const fields = { check: name, scope, evidence };
    this.#log(scope === 'shared' ? 30 : 40, `${name} fails, ${scope}: ${evidence}`, fields);
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
