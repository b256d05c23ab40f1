import type { Opinion } from '../core/heartbeat/check.js';
import type { Heartbeat } from '../core/heartbeat/heartbeat.js';
import type { CheckResult } from '../core/heartbeat/result.js';
import type { RegisteredCheck } from '../core/heartbeat/run.js';
import type { ResolvedProbes } from '../core/options/features.js';
import type { Clock } from '../core/time.js';
import { peerStaleAfter, restartJitter, usualRestart } from './limits.js';
import { type Dated, opinionOf, reachOf, type WatchDelay } from './opinions.js';
import type { PeerAnswer, Peers } from './peers.js';
import type { RunningRequests } from './requests.js';
import type { ProbedCheck } from './state.js';
import { Track } from './track.js';

interface VerdictsHost {
  readonly checks: () => readonly RegisteredCheck[];
  /** A second opinion has come; `isUnconfirmed` if the check has to fail once more for it to count. */
  readonly onOpinion: (isUnconfirmed: boolean) => void;
  readonly onError: (thrown: unknown) => void;
  readonly clock: Clock;
  readonly requests: Pick<RunningRequests, 'watch' | 'mayRun' | 'close'>;
  readonly peers: Peers | undefined;
  /** Undefined without peers. */
  readonly watchDelay: WatchDelay | undefined;
}

/** The state of one check. */
interface TrackedCheck {
  readonly check: RegisteredCheck;
  readonly track: Track;
  last: CheckResult | undefined;
  /** The last opinion, after peers were asked about it. */
  judged?: { readonly dated: Dated; readonly opinion: Promise<Opinion> };
}

/** The verdicts on all checks of a Health. */
export class Verdicts {
  readonly #host: VerdictsHost;
  readonly #options: ResolvedProbes;
  /** The list of checks that `#all` was made from; it is another one when a check was added. */
  #list: readonly RegisteredCheck[] | undefined;
  #all: readonly TrackedCheck[] = [];

  constructor(host: VerdictsHost, options: ResolvedProbes) {
    this.#host = host;
    this.#options = options;
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

  verdictOf(name: string): Opinion | undefined {
    return this.#find(name)?.track.verdict;
  }

  /** Takes the results of a run in. */
  take({ results }: Heartbeat, now: number): void {
    const byName = new Map(results.map((result) => [result.name, result]));
    // They began together, and the slowest took all the time.
    const startedAt = now - Math.max(0, ...results.map(({ duration }) => duration));
    for (const tracked of this.#tracked()) {
      const result = byName.get(tracked.check.name);
      // One from a cache, or of a run that several waited for, was seen before.
      if (result === undefined || tracked.last?.run === result.run) continue;
      tracked.last = result;
      tracked.track.record(result.failed, now, startedAt);
      this.#askForOpinion(tracked, result);
    }
  }

  /** Asks for a second opinion, if one would help and may be had now. */
  #askForOpinion(tracked: TrackedCheck, result: CheckResult): void {
    const { check, track } = tracked;
    const { failedSince: since } = track;
    if (!track.wantsOpinion || check.secondOpinion === undefined || since === undefined) return;
    const { clock, requests, watchDelay, onOpinion, onError } = this.#host;
    const dated = opinionOf(check.secondOpinion, result, {
      every: this.#options.secondOpinionEvery,
      since,
      confirmsFrom: track.failedAgainAt,
      clock,
      watchDelay,
      mayRun: (before) => requests.mayRun(before),
    });
    if (dated === undefined) return;
    void this.#judged(tracked, dated)
      .then((opinion) => {
        track.hear(opinion, dated.at, clock.now());
        onOpinion(track.isUnconfirmed);
      })
      .then(undefined, onError);
  }

  /** An opinion after peers were asked about it, if there are any: once for each opinion. */
  #judged(tracked: TrackedCheck, dated: Dated): Promise<Opinion> {
    const { peers } = this.#host;
    if (peers === undefined) return dated.opinion;
    const { check, track } = tracked;
    if (tracked.judged?.dated !== dated) {
      const opinion = dated.opinion.then((first) => peers.judge(first, check, track));
      tracked.judged = { dated, opinion };
    }
    return tracked.judged.opinion;
  }

  /** The part of a check that a peer may know: only its state. */
  async peerAnswer(name: string): Promise<{ check: RegisteredCheck | undefined; known: PeerAnswer }> {
    const tracked = this.#find(name);
    return { check: tracked?.check, known: await this.#peerState(tracked) };
  }

  async #peerState(tracked: TrackedCheck | undefined): Promise<PeerAnswer> {
    const { clock, peers } = this.#host;
    const age = tracked === undefined ? Infinity : clock.now() - tracked.track.lastRun;
    if (tracked?.last === undefined || age > peerStaleAfter) return { state: 'unknown', age: 0 };
    const { check, track, last } = tracked;
    if (peers?.isOut(check, track) === true) return { state: 'out', age };
    if (last.failed) return { state: 'fail', age };
    // Connections of the pool may work on when no new one can be made, for all.
    const attempt = check.secondOpinion && reachOf(check.secondOpinion, clock);
    const reaches = await attempt?.reaches;
    if (attempt === undefined || reaches === undefined) return { state: 'pass', age };
    return { state: reaches ? 'pass' : 'fail', age: clock.now() - attempt.at };
  }

  close(): void {
    for (const { check } of this.#all) check.secondOpinion?.release?.();
    this.#host.requests.close();
  }

  #find(name: string): TrackedCheck | undefined {
    return this.#tracked().find(({ check }) => check.name === name);
  }

  #tracked(): readonly TrackedCheck[] {
    const list = this.#host.checks();
    if (list === this.#list) return this.#all;
    const known = new Map(this.#all.map((each) => [each.check, each]));
    this.#all = list.map(
      (check) => known.get(check) ?? { check, track: this.#track(check), last: undefined },
    );
    this.#list = list;
    return this.#all;
  }

  #track(check: RegisteredCheck): Track {
    const { scope, secondOpinion } = check;
    if (scope === 'auto' && secondOpinion !== undefined) {
      // Its code is there before it is needed.
      secondOpinion.prepare?.();
      this.#host.requests.watch();
    }
    const { failureThreshold, successThreshold } = this.#options;
    return new Track({
      scope,
      hasOpinion: secondOpinion !== undefined,
      failureThreshold: check.failureThreshold ?? failureThreshold,
      successThreshold: check.successThreshold ?? successThreshold,
      // Instances with the same fault do not restart all at once.
      restartAfter: this.#restartAfter(check) * (1 + restartJitter * this.#host.clock.random()),
    });
  }

  /** Milliseconds; by default only a failure that is proven to be of this process restarts it. */
  #restartAfter({ restartAfter, scope, secondOpinion }: RegisteredCheck): number {
    const isProven = scope === 'auto' && secondOpinion?.proves === true;
    return restartAfter ?? this.#options.restartAfter ?? (isProven ? usualRestart : 0);
  }
}
