import type { VerdictChange } from '../core/heartbeat/signals.js';
import type { Emit } from './family.js';
import { LabelSet } from './labels.js';

const probes = (['live', 'ready', 'started'] as const).map(
  (probe) => [probe, new LabelSet({ probe })] as const,
);

/** The verdicts of an application that has not started: the probes report changes only. */
const first: VerdictChange = { live: 'pass', ready: 'fail', started: 'fail', checks: [] };

/** The verdicts of the probes, if they are on. */
export class Verdicts {
  #last: VerdictChange | undefined;
  readonly #checksHaveRun: () => boolean;

  constructor(on: boolean, checksHaveRun: () => boolean) {
    if (on) this.#last = first;
    this.#checksHaveRun = checksHaveRun;
  }

  record(change: VerdictChange): void {
    this.#last = change;
  }

  readonly collect = (emit: Emit): void => {
    const last = this.#last;
    // Until something asks, it is not known whether it is ready, and a 0 would fire an alert.
    if (last === undefined || (last === first && !this.#checksHaveRun())) return;
    for (const [probe, labels] of probes) emit(Number(last[probe] === 'pass'), labels);
  };
}
