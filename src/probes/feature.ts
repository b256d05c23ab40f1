import { type Answer, json, type Route } from '../core/endpoints.js';
import type { Feature, FeatureHost } from '../core/feature.js';
import type { Heartbeat } from '../core/heartbeat/heartbeat.js';
import type { VerdictOf } from '../core/heartbeat/result.js';
import { loop } from '../core/loop.js';
import { peerPath, type ResolvedProbes } from '../core/options/probes.js';
import { outsideRequest } from '../core/request/request.js';
import type { Probes, ProbesSource } from './index.js';
import type { Probe } from './state.js';

/** Loads the probes: only applications that turn them on. */
type LoadProbes = () => Promise<{ readonly Probes: new (source: ProbesSource) => Probes }>;

const answerBroken: Answer = json(500, '{"status":"fail","reason":"the probes failed"}');

/** The feature of the probes: answers their paths, and has them loaded from the start. */
export class ProbesFeature<Request> implements Feature<Request> {
  readonly routes: readonly Route<Request>[];
  readonly #host: FeatureHost<Request>;
  readonly #options: ResolvedProbes;
  readonly #load: LoadProbes;
  #loading: Promise<Probes> | undefined;
  #probes: Probes | undefined;
  /** The last heartbeat that came while they were loaded. */
  #before: Heartbeat | undefined;
  /** Whether the application has called `started()`. */
  #said = false;
  /** Whether a request has come, to whichever path of ours. */
  #asked = false;
  #closed = false;

  constructor(host: FeatureHost<Request>, options: ResolvedProbes, load: LoadProbes) {
    this.#host = host;
    this.#options = options;
    this.#load = load;
    this.routes = [
      ...options.live.map((path) => this.#route(path, 'live')),
      ...options.ready.map((path) => this.#route(path, 'ready')),
      ...options.started.map((path) => this.#route(path, 'started')),
      ...(options.peers.length > 0 ? [this.#peerRoute()] : []),
    ];
    this.#open().catch(() => {});
    loop.probed.add(this.#onProbed);
    collected.register(this, this.#onProbed);
  }

  onHeartbeat(heartbeat: Heartbeat): void {
    if (this.#probes === undefined) this.#before = heartbeat;
    else this.#probes.onHeartbeat(heartbeat);
  }

  onLeave(): void {
    this.#probes?.look();
  }

  onStarted(): void {
    this.#said = true;
    this.#probes?.look();
  }

  close(): void {
    this.#closed = true;
    loop.probed.delete(this.#onProbed);
    this.#probes?.close();
  }

  readonly verdictOf: VerdictOf = (check) => this.#probes?.verdictOf(check);

  readonly #onProbed = renewing(this);

  #route(path: string, probe: Probe): Route<Request> {
    const answer = (request: Request, _method: string, target: string) =>
      this.#answer(probe, request, target);
    return { path, name: `probes.${probe}`, answer };
  }

  #peerRoute(): Route<Request> {
    const answer = (request: Request, _method: string, target: string) =>
      this.#open()
        .then((probes) => probes.answerPeer(target, this.#host.showsDetails(request)))
        .catch((thrown: unknown) => {
          this.#host.onError('The probes failed', thrown);
          return answerBroken;
        });
    return { path: peerPath, name: 'probes.peers', answer };
  }

  #answer(probe: Probe, request: Request, target: string): Answer | Promise<Answer> {
    this.#asked = true;
    const details = this.#host.showsDetails(request);
    const verbose = isVerbose(target);
    if (this.#probes !== undefined) return this.#probes.answer(probe, details, verbose);
    return this.#open()
      .then((probes) => probes.answer(probe, details, verbose))
      .catch((thrown: unknown) => {
        this.#host.onError('The probes failed', thrown);
        return answerBroken;
      });
  }

  /** The watchdog has received a probe. */
  renew(): void {
    this.#probes?.renew();
  }

  /** Outside of the first request: Deno treats code that is loaded in a request as part of it forever. */
  #open(): Promise<Probes> {
    this.#loading ??= new Promise<Probes>((resolve, reject) => {
      outsideRequest(() => {
        this.#load()
          .then(({ Probes }) => this.#made(Probes))
          .then(resolve, reject);
      });
    });
    this.#loading.catch(() => (this.#loading = undefined));
    return this.#loading;
  }

  #made(Made: new (source: ProbesSource) => Probes): Probes {
    const { checks, draining, log, observe, emitVerdict, onError, options, version } = this.#host;
    const probes = new Made({
      checks,
      draining,
      log,
      observe,
      emitVerdict,
      onError,
      version,
      options: this.#options,
      publicMessages: options.publicMessages,
      saidStarted: () => this.#said,
      // Unless it came to our own port.
      wasAsked: options.healthPort === undefined ? () => this.#asked : undefined,
    });
    this.#probes = probes;
    if (this.#closed) probes.close();
    else if (this.#before !== undefined) probes.onHeartbeat(this.#before);
    this.#before = undefined;
    return probes;
  }
}

/** The watchdog belongs to the process: it must not keep a Health whose application has ended. */
const collected = new FinalizationRegistry<() => void>((onProbed) => loop.probed.delete(onProbed));

function renewing(feature: { renew(): void }): () => void {
  const held = new WeakRef(feature);
  return () => held.deref()?.renew();
}

/** `?verbose`, as Kubernetes has it: whatever its value. */
function isVerbose(target: string): boolean {
  const query = target.indexOf('?');
  return query !== -1 && new URLSearchParams(target.slice(query + 1)).has('verbose');
}
