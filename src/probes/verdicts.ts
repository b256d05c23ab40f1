import type { Clock } from '../core/time.js';
import type { RegisteredCheck } from '../core/heartbeat/run.js';
import type { Opinion } from '../core/heartbeat/check.js';
import type { Heartbeat } from '../core/heartbeat/heartbeat.js';
import type { CheckResult } from '../core/heartbeat/result.js';
import { peerStaleAfter, restartJitter, usualRestart } from './limits.js';
import type { ResolvedProbes } from '../core/options/features.js';
import { type Dated, type opinionOf, reachOf, type WatchDelay } from './opinions.js';
import type { PeerAnswer, Peers } from './peers.js';
import type { RunningRequests } from './requests.js';
import type { ProbedCheck } from './state.js';
import { Track } from './track.js';

/** The environment of the verdicts. */
interface VerdictsHost {
  readonly checks: () => readonly RegisteredCheck[];
  /** A second opinion has come; `unconfirmed` if the check has to fail once more for it to count. */
  readonly heard: (unconfirmed: boolean) => void;
  readonly onError: (thrown: unknown) => void;
  readonly clock: Clock;
  /** The requests that may hold a connection. */
  readonly requests: Pick<RunningRequests, 'watch' | 'mayRun' | 'close'>;
  /** Asks a dependency for its second opinion. */
  readonly opinionOf: typeof opinionOf;
  readonly peers?: Pick<Peers, 'judge' | 'isOut'> | undefined;
  /** Undefined without peers. */
  readonly watchDelay?: WatchDelay | undefined;
}

type Rules = Pick<
  ResolvedProbes,
  'failureThreshold' | 'successThreshold' | 'restartAfter' | 'secondOpinionEvery'
>;

/** The state of one check. */
interface Known {
  readonly check: RegisteredCheck;
  readonly track: Track;
  last: CheckResult | undefined;
  /** The last opinion, as peers see it. */
  judged?: { readonly dated: Dated; readonly said: Promise<Opinion> };
}

/** The verdicts on all checks of a Health. */
export class Verdicts {
  readonly #host: VerdictsHost;
  readonly #rules: Rules;
  /** The list of checks that is known; it is another one when a check was added. */
  #list: readonly RegisteredCheck[] | undefined;
  #all: readonly Known[] = [];

  constructor(host: VerdictsHost, rules: Rules) {
    this.#host = host;
    this.#rules = rules;
  }

  /** Whether a check was added that no run has seen. */
  get hasNew(): boolean {
    return this.#tracked().some(({ last }) => last === undefined);
  }

  /** Whether every check has passed once. */
  get allPassed(): boolean {
    return this.#tracked().every(({ track }) => track.passedOnce);
  }

  /** Whether a check can be wedged at all: else nothing has to be run to know that none is. */
  get canWedge(): boolean {
    return this.#tracked().some(({ check }) => this.#restartAfter(check) > 0);
  }

  /** The current state of the checks. */
  checks(now: number): readonly ProbedCheck[] {
    return this.#tracked().map(({ check, track, last }) => ({
      name: check.name,
      status: last === undefined ? undefined : last.failed ? 'fail' : 'pass',
      last,
      passedOnce: track.passedOnce,
      verdict: track.verdict,
      holdsReady: track.holdsReady,
      wedged: track.isWedged(now),
    }));
  }

  /** The current verdict on a check. */
  verdictOf(name: string): Opinion | undefined {
    return this.#of(name)?.track.verdict;
  }

  /** Takes the results of a run in. */
  take({ results }: Heartbeat, now: number): void {
    const byName = new Map(results.map((result) => [result.name, result]));
    // They began together, and the slowest took all the time.
    const startedAt = now - Math.max(0, ...results.map(({ duration }) => duration));
    for (const known of this.#tracked()) {
      const result = byName.get(known.check.name);
      // One from a cache, or of a run that several waited for, was seen before.
      if (result === undefined || known.last?.run === result.run) continue;
      known.last = result;
      known.track.record(result.failed, now, startedAt);
      this.#askAfter(known, result);
    }
  }

  /** Asks for a second opinion, if one would help and may be had now. */
  #askAfter(known: Known, result: CheckResult): void {
    const { check, track } = known;
    const { failedSince: since } = track;
    if (!track.wantsOpinion || check.secondOpinion === undefined || since === undefined) return;
    const { opinionOf: ask, clock, requests, watchDelay } = this.#host;
    const dated = ask(check.secondOpinion, result, {
      every: this.#rules.secondOpinionEvery,
      since,
      confirmsFrom: track.failedAgainAt,
      clock,
      watchDelay,
      mayRun: (before) => requests.mayRun(before),
    });
    if (dated === undefined) return;
    void this.#judged(known, dated)
      .then((opinion) => {
        track.hear(opinion, dated.at, this.#host.clock.now());
        this.#host.heard(track.isUnconfirmed);
      })
      .then(undefined, this.#host.onError);
  }

  /** An opinion by the word of peers, if there are any: of each opinion they are asked once. */
  #judged(known: Known, dated: Dated): Promise<Opinion> {
    const { peers } = this.#host;
    if (peers === undefined) return dated.said;
    const { check, track } = known;
    if (known.judged?.dated !== dated) {
      known.judged = { dated, said: dated.said.then((opinion) => peers.judge(opinion, check, track)) };
    }
    return known.judged.said;
  }

  /** The part of a check that a peer may know: only its state. */
  async peerAnswer(name: string): Promise<{ check: RegisteredCheck | undefined; known: PeerAnswer }> {
    const found = this.#of(name);
    return { check: found?.check, known: await this.#stateOf(found) };
  }

  async #stateOf(known: Known | undefined): Promise<PeerAnswer> {
    const { clock, peers } = this.#host;
    const age = known === undefined ? Infinity : clock.now() - known.track.lastRun;
    if (known?.last === undefined || age > peerStaleAfter) return { state: 'unknown', age: 0 };
    const { check, track } = known;
    if (peers?.isOut(check, track) === true) return { state: 'out', age };
    if (known.last.failed) return { state: 'fail', age };
    // Connections of the pool may work on when no new one can be made, for all.
    const fresh = check.secondOpinion && reachOf(check.secondOpinion, clock);
    const reaches = await fresh?.said;
    if (fresh === undefined || reaches === undefined) return { state: 'pass', age };
    return { state: reaches ? 'pass' : 'fail', age: clock.now() - fresh.at };
  }

  close(): void {
    for (const { check } of this.#all) check.secondOpinion?.release?.();
    this.#host.requests.close();
  }

  #of(name: string): Known | undefined {
    return this.#tracked().find(({ check }) => check.name === name);
  }

  #tracked(): readonly Known[] {
    const list = this.#host.checks();
    if (list === this.#list) return this.#all;
    const known = new Map(this.#all.map((each) => [each.check, each]));
    this.#all = list.map((check) => known.get(check) ?? this.#known(check));
    this.#list = list;
    return this.#all;
  }

  #known(check: RegisteredCheck): Known {
    return { check, track: this.#track(check), last: undefined };
  }

  #track(check: RegisteredCheck): Track {
    if (check.scope === 'auto' && check.secondOpinion !== undefined) {
      // Its code is there before it is needed.
      check.secondOpinion.prepare?.();
      this.#host.requests.watch();
    }
    const { failureThreshold, successThreshold } = this.#rules;
    return new Track({
      scope: check.scope,
      hasOpinion: check.secondOpinion !== undefined,
      failureThreshold: check.failureThreshold ?? failureThreshold,
      successThreshold: check.successThreshold ?? successThreshold,
      // Instances with the same fault do not restart all at once.
      restartAfter: this.#restartAfter(check) * (1 + restartJitter * this.#host.clock.random()),
    });
  }

  /** Milliseconds; by default only a failure that is proven to be of this process restarts it. */
  #restartAfter({ restartAfter, scope, secondOpinion }: RegisteredCheck): number {
    const isProven = scope === 'auto' && secondOpinion?.proves === true;
    return restartAfter ?? this.#rules.restartAfter ?? (isProven ? usualRestart : 0);
  }
}
