/** Two clocks: `steady` is monotonic, `wall` is milliseconds since 1970. */
export interface Moment {
  readonly steady: number;
  readonly wall: number;
}

/** A difference between the two clocks that is not drift: the wall clock was set. */
const jump = 1000;

/**
 * Decides when a run is overdue. The wall clock is read only once for each run, for how long ago it was; from there
 * on the steady clock counts, so that a clock that is set makes no run late.
 */
export class Due {
  readonly #every: number;
  #anchor: number;
  #last: number | undefined;
  readonly #started: Moment;
  #looked: Moment | undefined;

  constructor(every: number, started: Moment) {
    this.#every = every;
    this.#anchor = started.steady;
    this.#started = started;
  }

  /** Milliseconds by which a run is late; 0 and below if none is. `last` is when the last run was, in milliseconds since 1970. */
  look(now: Moment, last: number | undefined): number {
    const before = this.#looked;
    this.#looked = now;
    const isNew = last !== this.#last || before === undefined;
    if (isNew && last !== undefined)
      this.#anchor = now.steady - ageOf(now, last, before ?? this.#started, before !== undefined);
    this.#last = last;
    return now.steady - this.#anchor - this.#every;
  }
}

/** How long ago a run was: since the last look, or now if the clock says otherwise. Before the first look it may be any time. */
function ageOf(now: Moment, last: number, before: Moment, isBounded: boolean): number {
  const age = now.wall - last;
  if (isBounded) return age >= 0 && age <= now.steady - before.steady ? age : 0;
  // The clock may have been set since the start, as it is soon after a boot: the run was before that or after.
  const unset = before.wall + (now.steady - before.steady) - last;
  const ages = (jumped(before, now) ? [age, unset] : [age]).filter((each) => each >= 0);
  return ages.length === 0 ? 0 : Math.min(...ages);
}

const jumped = (before: Moment, now: Moment) =>
  Math.abs(now.wall - before.wall - (now.steady - before.steady)) > jump;
