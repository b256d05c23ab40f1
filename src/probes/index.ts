import { type Clock, realClock } from '../core/time.js';
import { type Answer, json } from '../core/endpoints.js';
import type { FeatureHost } from '../core/feature.js';
import type { Heartbeat } from '../core/heartbeat/heartbeat.js';
import type { Opinion } from '../core/heartbeat/check.js';
import { maxWait } from './limits.js';
import type { ResolvedProbes } from '../core/options/features.js';
import { host } from '../core/runtime.js';
import { opinionOf } from './opinions.js';
import { Peers } from './peers.js';
import { type PeerTransport, realTransport } from './peer-transport.js';
import { RunningRequests } from './requests.js';
import { Runner } from './runner.js';
import { answerProbe, answerVerbose, ChangeReporter, type Probe, type ProbeState } from './state.js';
import { Verdicts } from './verdicts.js';

/** Set by auto/listen.ts, which loads nothing of the core: what of this process listens already and still starts. */
const key = Symbol.for('lifesign.starting.1');

/** Whether a framework that listens has not started yet: until then, `/startupz` and `/readyz` fail. */
function isStarting(): boolean {
  const starting: unknown = Reflect.get(globalThis, key);
  return starting instanceof Set && starting.size > 0;
}

/** The part of its Health that the probes use. */
export interface ProbesSource extends Pick<
  FeatureHost<never>,
  'checks' | 'draining' | 'log' | 'observe' | 'emitVerdict' | 'onError' | 'version'
> {
  readonly options: ResolvedProbes;
  /** Whether the texts of messages may be shown. */
  readonly publicMessages: boolean;
  /** Whether the application has called `started()`. */
  readonly saidStarted: () => boolean;
  /** Whether a request came, which shows that the server listens; undefined if it does not. */
  readonly wasAsked: (() => boolean) | undefined;
  /** Of a simulation. */
  readonly clock?: Clock;
  readonly transport?: PeerTransport;
  readonly requests?: Pick<RunningRequests, 'watch' | 'mayRun' | 'close'>;
}

/** The three probes of one Health. */
export class Probes {
  readonly #source: ProbesSource;
  readonly #verdicts: Verdicts;
  readonly #runner: Runner;
  readonly #reporter: ChangeReporter;
  readonly #peers: Peers | undefined;
  readonly #clock: Clock;
  #started = false;

  constructor(source: ProbesSource) {
    const { options, checks, observe, log, emitVerdict } = source;
    const { clock = realClock, transport = realTransport } = source;
    this.#source = source;
    this.#clock = clock;
    const service = async () => {
      const version = await source.version();
      const { source: repository = '' }: { source?: unknown } =
        version.kind === 'found' ? JSON.parse(version.json) : {};
      return String(repository);
    };
    const peers =
      options.peers.length === 0 ? undefined : new Peers(options.peers, clock, transport, service);
    this.#peers = peers;
    const onError = (thrown: unknown) => source.onError('The probes failed', thrown);
    this.#verdicts = new Verdicts(
      {
        checks,
        clock,
        requests: source.requests ?? new RunningRequests(clock),
        opinionOf,
        peers,
        watchDelay: peers && transport.watchDelay,
        heard: (unconfirmed) => {
          this.poll();
          if (unconfirmed) this.#runner.confirm();
        },
        onError,
      },
      options,
    );
    const { probeEvery } = options;
    const take = (heartbeat: Heartbeat) => this.#take(heartbeat);
    this.#runner = new Runner({ run: observe, take, probeEvery, clock, onError });
    this.#reporter = new ChangeReporter({ log, emitVerdict });
  }

  /** The answer of a probe; `verbose` as text, one line per check. */
  answer(probe: Probe, details: boolean, verbose: boolean): Answer | Promise<Answer> {
    const made = () => {
      const state = this.poll();
      if (!verbose || !details) return answerProbe(probe, state, details);
      return answerVerbose(probe, state, this.#source.publicMessages);
    };
    const run = this.#run(probe);
    // Whether to restart is never left to a check that hangs.
    if (run === undefined || probe === 'live') return made();
    return this.#clock.within(run, maxWait, undefined).then(made);
  }

  /** The answer to a peer that asks for a check. It runs no check and changes nothing. */
  async answerPeer(target: string, details: boolean): Promise<Answer> {
    const asked = new URLSearchParams(target.split('?')[1] ?? '');
    const { check, known } = await this.#verdicts.peerAnswer(asked.get('check') ?? '');
    return json(200, JSON.stringify(await this.#peers?.answer(asked, check, known, details)));
  }

  /** The watchdog has answered for liveness from the last known state: keeps that state current. */
  renew(): void {
    void this.#run('live');
    this.poll();
  }

  /** Reports what has changed, and returns the state. */
  poll(): ProbeState {
    const { draining } = this.#source;
    this.#started ||= this.#hasStarted();
    const state = {
      started: this.#started,
      draining: draining(),
      checks: this.#verdicts.checks(this.#clock.now()),
    };
    this.#reporter.compare(state);
    return state;
  }

  /** The verdict on a check, for its results. */
  verdictOf(check: string): Opinion | undefined {
    return this.#verdicts.verdictOf(check);
  }

  onHeartbeat(heartbeat: Heartbeat): void {
    this.#runner.onHeartbeat(heartbeat);
  }

  close(): void {
    this.#runner.close();
    this.#verdicts.close();
  }

  #hasStarted(): boolean {
    const { saidStarted, wasAsked, options } = this.#source;
    if (saidStarted()) return true;
    if (isStarting()) return false;
    // A service whose probes are never asked has started too: its metrics say so.
    if (options.startWhen === 'listening') return wasAsked?.() === true || listensAnywhere();
    return options.startWhen === 'checks' && this.#verdicts.allPassed;
  }

  /** Runs the checks if the probe depends on them; returns the promise to wait for. */
  #run(probe: Probe): Promise<void> | undefined {
    if (probe === 'live' && !this.#verdicts.canWedge) return undefined;
    if (probe === 'started' && (this.#started || this.#source.options.startWhen !== 'checks')) {
      return undefined;
    }
    return this.#runner.refresh(this.#verdicts.hasNew);
  }

  #take(heartbeat: Heartbeat): void {
    this.#verdicts.take(heartbeat, this.#clock.now());
    this.#peers?.refresh();
    this.poll();
  }
}

/** Whether a server of this process listens: our own ports keep no process alive and are not among these. */
function listensAnywhere(): boolean {
  const cluster: object = host.getBuiltinModule?.('node:cluster') ?? {};
  // The server of a worker is that of its primary process.
  if (Reflect.get(cluster, 'isWorker') === true) return true;
  // `getActiveResourcesInfo` has one name for a server on a socket of the file system and for the pipe of standard output.
  const list: unknown = Reflect.get(host, '_getActiveHandles');
  const handles: unknown = typeof list === 'function' ? list.call(host) : undefined;
  // Only Node shows it.
  if (!Array.isArray(handles) || 'Bun' in globalThis || 'Deno' in globalThis) return true;
  return handles.some((handle: object) => Reflect.get(handle, 'listening') === true);
}
