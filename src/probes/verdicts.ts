import type { FeatureHost } from '../core/feature.js';
import type { Opinion } from '../core/heartbeat/check.js';
import type { Heartbeat } from '../core/heartbeat/heartbeat.js';
import type { CheckResult } from '../core/heartbeat/result.js';
import type { RegisteredCheck } from '../core/heartbeat/run.js';
import type { ResolvedProbes } from '../core/options/features.js';
import type { Clock } from '../core/time.js';
import { peerStaleAfter, restartJitter, usualRestart } from './limits.js';
import { type Dated, askOpinion, tryReach } from './opinions.js';
import type { PeerTransport } from './peer-transport.js';
import { type PeerAnswer, Peers } from './peers.js';
import type { RunningRequests } from './requests.js';
import type { ProbedCheck } from './state.js';
import { Track } from './track.js';

/** The surroundings of the probes, which a simulation replaces. */
export interface Surroundings {
  readonly clock: Clock;
  readonly transport: PeerTransport;
  readonly requests: Pick<RunningRequests, 'watch' | 'mayRun' | 'close'>;
}

interface TrackedCheck {
  readonly check: RegisteredCheck;
  readonly track: Track;
  last: CheckResult | undefined;
  /** The last opinion, after peers were queried about it. */
  judged?: { readonly dated: Dated; readonly opinion: Promise<Opinion> };
}

/** The verdicts on all checks of a Health. */
export class Verdicts {
  readonly #host: Pick<FeatureHost<never>, 'checks' | 'version' | 'onError'>;
  readonly #options: ResolvedProbes;
  readonly #clock: Clock;
  readonly #requests: Surroundings['requests'];
  readonly #peers: Peers | undefined;
  readonly #onOpinion: (isUnconfirmed: boolean) => void;
  /** The list that `#all` was made from: the host returns another list once a check is added. */
  #list: readonly RegisteredCheck[] | undefined;
  #all: readonly TrackedCheck[] = [];

  /** `onOpinion`: a second opinion has come; `isUnconfirmed` if the check has to fail once more for it to count. */
  constructor(
    host: Pick<FeatureHost<never>, 'checks' | 'version' | 'onError'>,
    options: ResolvedProbes,
    { clock, transport, requests }: Surroundings,
    onOpinion: (isUnconfirmed: boolean) => void,
  ) {
    this.#host = host;
    this.#options = options;
    this.#clock = clock;
    this.#requests = requests;
    this.#onOpinion = onOpinion;
    const { peers } = options;
    if (peers.length > 0) this.#peers = new Peers(peers, clock, transport, host.version);
  }

  /** Whether a check was added that no run has seen. */
  get hasNew(): boolean {
    return this.#tracked().some(({ last }) => last === undefined);
  }

  get allPassed(): boolean {
    return this.#tracked().every(({ track }) => track.passedOnce);
  }

  /** Whether a check can be wedged at all: if none can, `/livez` needs no run. */
  get canWedge(): boolean {
    return this.#tracked().some(({ check }) => this.#restartAfter(check) > 0);
  }

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

  record({ results }: Heartbeat, now: number): void {
    const byName = new Map(results.map((result) => [result.name, result]));
    // They began together, and the slowest took the whole time.
    const startedAt = now - Math.max(0, ...results.map(({ duration }) => duration));
    for (const tracked of this.#tracked()) {
      const result = byName.get(tracked.check.name);
      // A cached result, or one that several callers share, was recorded before.
      if (result === undefined || tracked.last?.run === result.run) continue;
      tracked.last = result;
      tracked.track.record(result.failed, now, startedAt);
      this.#askForOpinion(tracked, result);
    }
    this.#peers?.refresh();
  }

  /** Requests a second opinion, if one would help and is due. */
  #askForOpinion(tracked: TrackedCheck, result: CheckResult): void {
    const { check, track } = tracked;
    const { failedSince: since } = track;
    if (!track.wantsOpinion || check.secondOpinion === undefined || since === undefined) return;
    const dated = askOpinion(check.secondOpinion, result, {
      every: this.#options.secondOpinionEvery,
      since,
      confirmsFrom: track.failedAgainAt,
      clock: this.#clock,
      mayRun: (before) => this.#requests.mayRun(before),
    });
    if (dated === undefined) return;
    void this.#judged(tracked, dated)
      .then((opinion) => {
        track.hear(opinion, dated.at, this.#clock.now());
        this.#onOpinion(track.isUnconfirmed);
      })
      .then(undefined, (thrown: unknown) => this.#host.onError('The probes failed', thrown));
  }

  /** An opinion after peers were queried about it, if there are any: once for each opinion. */
  #judged(tracked: TrackedCheck, dated: Dated): Promise<Opinion> {
    if (this.#peers === undefined) return dated.opinion;
    if (tracked.judged?.dated !== dated) {
      const { check, track } = tracked;
      tracked.judged = { dated, opinion: this.#peers.judge(dated.opinion, check, track) };
    }
    return tracked.judged.opinion;
  }

  /** The answer to a peer about a check; undefined without peers. */
  async answerPeer(question: URLSearchParams, details: boolean): Promise<object | undefined> {
    const tracked = this.#find(question.get('check') ?? '');
    return this.#peers?.answer(question, tracked?.check, await this.#peerState(tracked), details);
  }

  /** The part of a check that a peer may know. */
  async #peerState(tracked: TrackedCheck | undefined): Promise<PeerAnswer> {
    const now = this.#clock.now();
    const age = tracked === undefined ? Infinity : now - tracked.track.lastRun;
    if (tracked?.last === undefined || age > peerStaleAfter) return { state: 'unknown', age: 0 };
    const { check, track, last } = tracked;
    if (this.#peers?.isOut(check, track) === true) return { state: 'out', age };
    if (last.failed) return { state: 'fail', age };
    // The open connections of the pool may still work when no instance can open a new one.
    const attempt = check.secondOpinion && tryReach(check.secondOpinion, this.#clock);
    const reaches = await attempt?.reaches;
    if (attempt === undefined || reaches === undefined) return { state: 'pass', age };
    return { state: reaches ? 'pass' : 'fail', age: this.#clock.now() - attempt.at };
  }

  close(): void {
    for (const { check } of this.#all) check.secondOpinion?.release?.();
    this.#requests.close();
  }

  #find(name: string): TrackedCheck | undefined {
    return this.#tracked().find(({ check }) => check.name === name);
  }

  #tracked(): readonly TrackedCheck[] {
    const list = this.#host.checks();
    if (list === this.#list) return this.#all;
    const known = new Map(this.#all.map((tracked) => [tracked.check, tracked]));
    this.#all = list.map(
      (check) => known.get(check) ?? { check, track: this.#track(check), last: undefined },
    );
    this.#list = list;
    return this.#all;
  }

  #track(check: RegisteredCheck): Track {
    const { scope, secondOpinion } = check;
    if (scope === 'auto' && secondOpinion !== undefined) {
      // Its code is loaded before an outage.
      secondOpinion.prepare?.();
      this.#requests.watch();
    }
    const { failureThreshold, successThreshold } = this.#options;
    return new Track({
      scope,
      hasOpinion: secondOpinion !== undefined,
      failureThreshold: check.failureThreshold ?? failureThreshold,
      successThreshold: check.successThreshold ?? successThreshold,
      // Instances with the same fault do not restart all at once.
      restartAfter: this.#restartAfter(check) * (1 + restartJitter * this.#clock.random()),
    });
  }

  /** Milliseconds; by default only a failure that is proven to be of this process restarts it. */
  #restartAfter({ restartAfter, scope, secondOpinion }: RegisteredCheck): number {
    const isProven = scope === 'auto' && secondOpinion?.proves === true;
    return restartAfter ?? this.#options.restartAfter ?? (isProven ? usualRestart : 0);
  }
}
