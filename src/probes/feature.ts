import { type Answer, json, type Route } from '../core/endpoints.js';
import type { Feature, FeatureHost } from '../core/feature.js';
import type { Opinion } from '../core/heartbeat/check.js';
import type { Heartbeat } from '../core/heartbeat/heartbeat.js';
import { peerPath, type ResolvedProbes } from '../core/options/features.js';
import { outsideRequest } from '../core/request/request.js';
import { host as process, isClusterWorker, isNode } from '../core/runtime.js';
import { type Clock, realClock } from '../core/time.js';
import { maxWait, runJitter } from './limits.js';
import { realTransport } from './peer-transport.js';
import { RunningRequests } from './requests.js';
import { answerProbe, answerVerbose, ChangeReporter, type Probe, type ProbeState } from './state.js';
import { type Surroundings, Verdicts } from './verdicts.js';

export type { Surroundings };

export type ProbesHost<Request> = Pick<
  FeatureHost<Request>,
  'checks' | 'draining' | 'emitVerdict' | 'log' | 'observe' | 'onError' | 'showsDetails' | 'version'
> & { readonly options: Pick<FeatureHost<Request>['options'], 'healthPort' | 'publicMessages'> };

/**
 * The probes of a Health: answers their paths, and runs the checks for them, at most once in `probeEvery` and ahead of time in the
 * background while probes come. Heartbeats that happen anyway count as runs.
 */
export class Probes<Request> implements Feature<Request> {
  readonly routes: readonly Route<Request>[];
  readonly #host: ProbesHost<Request>;
  readonly #options: ResolvedProbes;
  readonly #clock: Clock;
  readonly #verdicts: Verdicts;
  readonly #reporter: ChangeReporter;
  #probed = false;
  #started = false;
  /** When the next run may begin. */
  #due = -Infinity;
  #running: Promise<void> | undefined;
  /** The last heartbeat whose results were used. */
  #recorded: Heartbeat | undefined;
  /** Cancels the next run. */
  #cancel: (() => void) | undefined;
  /** Whether a probe has needed a run since the last one ended. */
  #wanted = false;
  #closed = false;

  constructor(
    host: ProbesHost<Request>,
    options: ResolvedProbes,
    {
      clock = realClock,
      transport = realTransport,
      requests = new RunningRequests(clock),
    }: { readonly [Part in keyof Surroundings]?: Surroundings[Part] | undefined } = {},
  ) {
    this.#host = host;
    this.#options = options;
    this.#clock = clock;
    this.#verdicts = new Verdicts(host, options, { clock, transport, requests }, (isUnconfirmed) => {
      this.#poll();
      if (isUnconfirmed) this.#confirm();
    });
    this.#reporter = new ChangeReporter(host);
    this.routes = this.#routes();
  }

  /** The answer of a probe; `verbose` as text, one line per check. */
  answer(probe: Probe, showsDetails: () => boolean, verbose: boolean): Answer | Promise<Answer> {
    this.#probed = true;
    const answer = () => {
      const state = this.#poll();
      return verbose && showsDetails()
        ? answerVerbose(probe, state, this.#host.options.publicMessages)
        : answerProbe(probe, state, showsDetails);
    };
    const run = this.#runFor(probe);
    // `/livez` never waits for a check that hangs.
    if (run === undefined || probe === 'live') return answer();
    return this.#clock.within(run, maxWait, undefined).then(answer);
  }

  /** The answer to a peer about a check. It runs no check and changes nothing. */
  async answerPeer(target: string, details: boolean): Promise<Answer> {
    return json(200, JSON.stringify(await this.#verdicts.answerPeer(parseQuery(target), details)));
  }

  verdictOf(check: string): Opinion | undefined {
    return this.#verdicts.verdictOf(check);
  }

  /** Uses the results of a heartbeat that was not run for the probes, unless the last results are recent enough. */
  onHeartbeat(heartbeat: Heartbeat): void {
    if (this.#running !== undefined || this.#clock.now() < this.#due) return;
    this.#beginRun();
    this.#record(heartbeat);
  }

  onLeave(): void {
    this.#poll();
  }

  onStarted(): void {
    this.#started = true;
    this.#poll();
  }

  /** The watchdog has answered `/livez` from the last known state: keeps that state current. */
  onWatchdogProbed(): void {
    void this.#runFor('live');
    this.#poll();
  }

  close(): void {
    this.#closed = true;
    this.#cancel?.();
    this.#verdicts.close();
  }

  #routes(): readonly Route<Request>[] {
    const { live, ready, started, peers } = this.#options;
    const routes = (probe: Probe, paths: readonly string[]) =>
      paths.map((path): Route<Request> => ({
        path,
        name: `probes.${probe}`,
        answer: (request, _method, target) =>
          this.answer(
            probe,
            () => this.#host.showsDetails(request),
            target.includes('?') && parseQuery(target).has('verbose'),
          ),
      }));
    const peer: Route<Request> = {
      path: peerPath,
      name: 'probes.peers',
      answer: (request, _method, target) => this.answerPeer(target, this.#host.showsDetails(request)),
    };
    return [
      ...routes('live', live),
      ...routes('ready', ready),
      ...routes('started', started),
      ...(peers.length > 0 ? [peer] : []),
    ];
  }

  /** Reports what has changed, and returns the state. */
  #poll(): ProbeState {
    this.#started ||= this.#hasStarted();
    const state = {
      started: this.#started,
      draining: this.#host.draining(),
      checks: this.#verdicts.checks(this.#clock.now()),
    };
    this.#reporter.compare(state);
    return state;
  }

  #hasStarted(): boolean {
    if (isStarting()) return false;
    const { startWhen } = this.#options;
    if (startWhen === 'checks') return this.#verdicts.allPassed;
    if (startWhen !== 'listening') return false;
    // Our own port may listen before the application's.
    if (this.#probed && this.#host.options.healthPort === undefined) return true;
    // Without probes, the metrics still report when the service has started.
    return listensAnywhere();
  }

  /** Runs the checks if the answer of a probe depends on them; returns the promise to wait for. */
  #runFor(probe: Probe): Promise<void> | undefined {
    if (probe === 'live' && !this.#verdicts.canWedge) return undefined;
    if (probe === 'started' && (this.#started || this.#options.startWhen !== 'checks')) return undefined;
    this.#wanted = true;
    const isFresh = this.#clock.now() < this.#due && !this.#verdicts.hasNew;
    if (this.#running === undefined && !isFresh) outsideRequest(() => this.#run());
    return this.#running;
  }

  /** Runs the checks once more as soon as they may run, with or without a probe. */
  #confirm(): void {
    this.#wanted = true;
    if (this.#running === undefined) outsideRequest(() => this.#schedule());
  }

  #run(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#beginRun();
    // Not in this turn: the caller may be a check, and no check runs inside a check.
    this.#running = Promise.resolve()
      .then(() => this.#host.observe())
      .then((heartbeat) => {
        this.#running = undefined;
        this.#wanted = false;
        this.#record(heartbeat);
        this.#schedule();
      })
      .then(undefined, this.#onError);
  }

  #beginRun(): void {
    const jitter = 1 + runJitter * this.#clock.random();
    this.#due = this.#clock.now() + this.#options.probeEvery * jitter;
  }

  #schedule(): void {
    if (this.#closed || this.#cancel !== undefined) return;
    this.#cancel = this.#clock.after(Math.max(0, this.#due - this.#clock.now()), () => {
      this.#cancel = undefined;
      // Without probes, no check runs in the background.
      if (this.#wanted && this.#running === undefined) this.#run();
    });
  }

  #record(heartbeat: Heartbeat): void {
    // A run that we started is announced to all features, and so to this one.
    if (heartbeat === this.#recorded) return;
    this.#recorded = heartbeat;
    this.#verdicts.record(heartbeat, this.#clock.now());
    this.#poll();
  }

  readonly #onError = (thrown: unknown): void => this.#host.onError('The probes failed', thrown);
}

const parseQuery = (target: string) => new URLSearchParams(target.split('?')[1] ?? '');

/** Set by auto/listen.ts, which loads nothing of the core: the servers that listen before their framework has started. */
const startingKey = Symbol.for('lifesign.starting.1');

/** Whether a framework listens but has not started: until it has, `/startupz` and `/readyz` fail. */
function isStarting(): boolean {
  const starting: unknown = Reflect.get(globalThis, startingKey);
  return starting instanceof Set && starting.size > 0;
}

/** Whether a server of this process listens: our own ports keep no process alive and are not among these. */
function listensAnywhere(): boolean {
  // The server of a worker belongs to its primary process. Only Node shows its servers.
  if (isClusterWorker() || !isNode) return true;
  // `getActiveResourcesInfo` has one name for a server on a socket of the file system and for the pipe of standard output.
  const list: unknown = Reflect.get(process, '_getActiveHandles');
  const handles: unknown = typeof list === 'function' ? list.call(process) : undefined;
  if (!Array.isArray(handles)) return true;
  return handles.some((handle: object) => Reflect.get(handle, 'listening') === true);
}
