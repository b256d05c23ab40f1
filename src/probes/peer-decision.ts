import type { Clock } from '../core/clock.js';
import type { RegisteredCheck } from '../core/heartbeat/check.js';
import type { Opinion } from '../core/heartbeat/scope.js';
import { keptFor, recheckTimeout } from './limits.js';
import type { WatchDelay } from './own-delay.js';
import { withoutReach } from './opinions.js';
import { judgeByPeers, type PeerAnswer } from './peers.js';
import type { Track } from './track.js';

/** The knowledge that a decision needs of the peers, and of this process beside them. */
export interface Peers {
  /** Asks for the state of a check that has failed here since a time, more of them if `isThorough`; never rejects. */
  readonly ask: (check: string, since: number, isThorough: boolean) => Promise<readonly PeerAnswer[]>;
  readonly watchDelay: WatchDelay;
}

/** How the answers of peers change the opinions on one check. */
export class PeerDecision {
  readonly #check: RegisteredCheck;
  readonly #track: Track;
  readonly #clock: Clock;
  readonly #peers: Peers;
  #asks = false;
  /** Until when this instance stays because too many peers are out. */
  #keptUntil = -Infinity;

  constructor(check: RegisteredCheck, track: Track, clock: Clock, peers: Peers) {
    this.#check = check;
    this.#track = track;
    this.#clock = clock;
    this.#peers = peers;
  }

  /** Whether this instance has left rotation for the check, may leave after a pending opinion, or neither. */
  get state(): 'out' | 'leaving' | undefined {
    if (this.#track.isOut) return 'out';
    // Those that ask at the same time do not all leave.
    return this.#asks || this.#track.isUnconfirmed ? 'leaving' : undefined;
  }

  /** The check has passed: earlier decisions no longer hold. */
  reset(): void {
    this.#keptUntil = -Infinity;
  }

  async judge(opinion: Opinion): Promise<Opinion> {
    const since = this.#track.failsFrom;
    // The server's own word needs no confirmation.
    if (since === undefined || (opinion.scope === 'shared' && opinion.unreached !== true)) return opinion;
    this.#asks = true;
    const decided = await this.#decide(opinion, since);
    this.#asks = false;
    return decided;
  }

  async #decide(opinion: Opinion, since: number): Promise<Opinion> {
    // One that is out already, or stays for now, may come to the same again and again.
    const isThorough = !this.#track.isOut && this.#clock.now() >= this.#keptUntil;
    const answers = await this.#peers.ask(this.#check.name, since, isThorough);
    const now = this.#clock.now();
    const { isKept, ...judged } = judgeByPeers(opinion, answers, {
      failedFor: now - since,
      isOut: this.#track.isOut,
      wasKept: now < this.#keptUntil,
    });
    if (isKept === true && now >= this.#keptUntil) this.#keptUntil = now + keptFor;
    if (judged.scope === 'shared' || judged.unreached !== true) return judged;
    const wasBusy = this.#peers.watchDelay();
    const isBack = await this.#reaches();
    const isUnclear = wasBusy();
    // It may have come back for all between the two.
    if (isBack) return { scope: 'shared', evidence: `a fresh connection works again; ${opinion.evidence}` };
    return isUnclear ? withoutReach(opinion) : judged;
  }

  async #reaches(): Promise<boolean> {
    const tried = Promise.resolve(recheckTimeout).then(this.#check.secondOpinion?.reaches);
    return (await tried.catch(() => false)) === true;
  }
}
