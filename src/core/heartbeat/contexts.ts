/** A run, as far as its check may know it. */
interface Signalled {
  readonly signal: AbortSignal;
}

/** A context that a run has, or that waits for one. */
export class LentContext {
  readonly context: { readonly name: string; readonly signal: AbortSignal };
  run: Signalled;
  /** Whether the check has read the signal: the context then belongs to that run only. */
  asked = false;

  constructor(name: string, run: Signalled) {
    this.run = run;
    const signal = () => {
      this.asked = true;
      return this.run.signal;
    };
    // A plain object that can be spread, and that shows nothing else of the run.
    this.context = Object.freeze({
      name,
      get signal() {
        return signal();
      },
    });
  }
}

/**
 * The argument of the runs of one check. Creating it takes longer than the rest of a run (contributing/performance.md), and most checks
 * never look at their signal: the next run then gets the same object.
 */
export class Contexts {
  readonly #name: string;
  readonly #free: LentContext[] = [];

  constructor(name: string) {
    this.#name = name;
  }

  lend(run: Signalled): LentContext {
    const free = this.#free.pop();
    if (free === undefined) return new LentContext(this.#name, run);
    free.run = run;
    return free;
  }

  /** Takes back the context of a run that has settled in time. */
  giveBack(lent: LentContext): void {
    if (!lent.asked) this.#free.push(lent);
  }
}
