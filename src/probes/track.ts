import type { Opinion, Scope } from '../core/heartbeat/check.js';
import { settling, staleAfter } from './limits.js';

/** The settings by which a check is judged. */
export interface TrackRules {
  readonly scope: Scope;
  /** Whether a second opinion is possible. */
  readonly hasOpinion: boolean;
  readonly failureThreshold: number;
  readonly successThreshold: number;
  /** Milliseconds; 0 for never. */
  readonly restartAfter: number;
}

const returning: Opinion = {
  scope: 'shared',
  evidence: 'a fresh connection works again, and the client may need a moment to reconnect',
};
const unasked = 'no second opinion is available for this check';

/**
 * Judges the runs of one check for the probes. All times are milliseconds on one monotonic clock. A failure is the
 * fault of this instance only on evidence: by its fixed scope, or by two second opinions between which the check has failed again.
 */
export class Track {
  readonly #rules: TrackRules;
  #passedOnce = false;
  /** Runs in a row that failed, and that passed. */
  #failures = 0;
  #passes = 0;
  /** When the first of those that failed ended, and the last run of all. */
  #failedSince = 0;
  #lastRun = -Infinity;
  #lastStarted = -Infinity;
  /** Whether it counts against this instance. */
  #out = false;
  #opinion: Opinion | undefined;
  /** From when on a run that begins, and fails, is a reason for another opinion. */
  #confirmsFrom = 0;
  #failedAgainAt: number | undefined;
  #verdict: Opinion | undefined;
  /** Since when it has been a fault of this instance without a break. */
  #ownSince: number | undefined;

  constructor(rules: TrackRules) {
    this.#rules = rules;
  }

  /** Whether it has ever passed. */
  get passedOnce(): boolean {
    return this.#passedOnce;
  }

  /** The scope of its failure; undefined while it passes, and while a second opinion is pending. */
  get verdict(): Opinion | undefined {
    return this.#verdict;
  }

  /** Whether it keeps this instance from being ready: it never passed, or a fault of this instance has lasted for `failureThreshold` runs. */
  get holdsReady(): boolean {
    if (this.#rules.scope === 'shared') return false;
    return this.#out || !this.#passedOnce;
  }

  /** Whether this instance has left rotation for it. */
  get isOut(): boolean {
    return this.#out;
  }

  /** When its last run ended. */
  get lastRun(): number {
    return this.#lastRun;
  }

  /** Since when it has failed, if its last run did. */
  get failedSince(): number | undefined {
    return this.#failures === 0 ? undefined : this.#failedSince;
  }

  /** From when on it is known to fail here without a break: between two runs that failed, the dependency may have been back for all. */
  get failsFrom(): number | undefined {
    return this.#failures === 0 ? undefined : Math.max(this.#failedSince, this.#lastStarted);
  }

  /** Whether a restart would help: it passed in this process, and a fault of this instance has lasted for `restartAfter`. */
  isWedged(now: number): boolean {
    const { restartAfter } = this.#rules;
    if (restartAfter === 0 || !this.#out || !this.#passedOnce || this.#ownSince === undefined) return false;
    // The last observation, not the present: there may have been no probe for hours.
    return this.#lastRun - this.#ownSince >= restartAfter && now - this.#lastRun <= staleAfter;
  }

  /** Takes in the outcome of a run that began at `startedAt` and ended at `now`. */
  record(failed: boolean, now: number, startedAt: number = now): void {
    if (now - this.#lastRun > staleAfter) this.#ownSince = undefined;
    this.#lastRun = now;
    this.#lastStarted = startedAt;
    if (failed) this.#fail(now, startedAt);
    else this.#pass();
  }

  /** Whether a second opinion would help. */
  get wantsOpinion(): boolean {
    return this.#failures > 0 && this.#rules.scope === 'auto' && this.#rules.hasOpinion;
  }

  /** Whether another failure of the check, and another opinion after it, prove a fault of this instance. */
  get isUnconfirmed(): boolean {
    return this.#opinion?.scope === 'instance' && this.#verdict?.scope !== 'instance';
  }

  /** When it failed again after an opinion that is unconfirmed: one requested from then on confirms it. */
  get failedAgainAt(): number | undefined {
    return this.#failedAgainAt;
  }

  /** Applies a second opinion on a failure, requested at `askedAt`; one of an earlier failure does not apply. */
  hear(opinion: Opinion, askedAt: number, now: number): void {
    if (!this.wantsOpinion || askedAt < this.#failedSince) return;
    const isBack = opinion.scope === 'instance' && this.#opinion?.scope === 'shared';
    // The same verdict again is not a change.
    if (opinion.scope !== this.#opinion?.scope) {
      this.#confirmsFrom = isBack ? now + settling : now;
      this.#failedAgainAt = undefined;
    }
    this.#opinion = opinion;
    if (isBack) this.#judge(returning);
    // The dependency may go away for all just when the check fails again: a fresh connection has to work after that, too.
    const isConfirmed = this.#failedAgainAt !== undefined && askedAt >= this.#failedAgainAt;
    if (opinion.scope === 'shared' || this.#verdict?.scope === 'instance' || isConfirmed)
      this.#judge(opinion);
  }

  #pass(): void {
    this.#passedOnce = true;
    this.#passes += 1;
    this.#failures = 0;
    this.#opinion = undefined;
    this.#failedAgainAt = undefined;
    this.#verdict = undefined;
    this.#ownSince = undefined;
    if (this.#passes >= this.#rules.successThreshold) this.#out = false;
  }

  #fail(now: number, startedAt: number): void {
    this.#passes = 0;
    this.#failures += 1;
    if (this.#failures === 1) this.#failedSince = now;
    const { scope, hasOpinion } = this.#rules;
    if (scope !== 'auto') this.#judge({ scope, evidence: 'by its scope' });
    else if (!hasOpinion) this.#judge({ scope: 'shared', evidence: unasked });
    else if (!this.isUnconfirmed) {
      if (this.#opinion !== undefined) this.#judge(this.#opinion);
    }
    // A run that began before the opinion shows nothing new: the server may have come back between the two.
    else if (startedAt >= this.#confirmsFrom) this.#failedAgainAt ??= now;
  }

  #judge(verdict: Opinion): void {
    this.#verdict = verdict;
    if (verdict.scope === 'shared') {
      this.#out = false;
      this.#ownSince = undefined;
      return;
    }
    // A restart does not fix the way to a dependency.
    if (verdict.unreached === true) this.#ownSince = undefined;
    else this.#ownSince ??= this.#lastRun;
    if (this.#failures >= this.#rules.failureThreshold) this.#out = true;
  }
}
