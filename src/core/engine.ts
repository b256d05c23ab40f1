import { type CheckOptions, attach } from './heartbeat/check.js';
import { Closable } from './closable.js';
import { DetailsGate } from './details.js';
import {
  type Answer,
  answerDraining,
  answerUp,
  endpointPaths,
  answerRoute,
  type Route,
  Routes,
} from './endpoints.js';
import { type Feature, type FeatureHost, type OpenFeatures, closeOnThrow } from './feature.js';
import { Features } from './features.js';
import type { Heartbeat } from './heartbeat/heartbeat.js';
import { HealthLog } from './health-log.js';
import { isDeferrable, type LogRecord } from './log.js';
import { LifesignError } from './options/errors.js';
import { levels } from './heartbeat/messages.js';
import type { ResolvedOptions } from './options/options.js';
import { Registry } from './heartbeat/registry.js';
import { loadReports } from './reports/load.js';
import type { Reports } from './reports/reports.js';
import { type RequestContext, runInRequest } from './request/request.js';
import type { Sender, SignalEmitter } from './heartbeat/signals.js';
import { type Summary, SummaryPolicy } from './request/summary.js';
import { flushDeferred } from './request/deferred.js';
import { hasVariables } from './options/read-option.js';
import { misspeltVariables } from './options/variables.js';

/**
 * The internals of a Health, for the folders around the core: requests in, answers, summaries and log records out. `Request` is
 * the raw request, before the framework wraps it, for the option `details`; `FrameworkRequest` is the framework's request, for `uid`.
 */
export class Engine<Request = unknown, FrameworkRequest = never> extends Closable {
  readonly options: ResolvedOptions<Request, FrameworkRequest>;
  /** Whether finished requests must be reported by calling `summarise`. */
  tracks: boolean;
  /** Called with each server of node:http that is found, and with the response in progress if a request has shown it. */
  onServer: ((server: object, first?: object) => void) | undefined;
  readonly #registry: Registry;
  readonly #log: HealthLog;
  readonly #health: SignalEmitter & Sender;
  #reports: Reports<Request> | undefined;
  /** Undefined without summaries. */
  readonly #policy: SummaryPolicy | undefined;
  readonly #details: DetailsGate<Request>;
  readonly #features = new Features<Request>();
  readonly #routes: Routes<Request>;
  /** Whether only the port of their own serves the endpoints. */
  readonly #hidden: boolean;
  #leaving = false;
  /** Whether the names of checks in the options were looked at. */
  #namesRequired = false;
  #refusing = false;

  constructor(
    options: ResolvedOptions<Request, FrameworkRequest>,
    health: SignalEmitter & Sender,
    openFeatures: OpenFeatures<Request>,
  ) {
    super();
    this.options = options;
    this.#log = new HealthLog(options);
    this.#health = health;
    this.#hidden = options.healthPortOnly && options.healthPort !== undefined;
    this.#registry = new Registry(options);
    const { summary, uid } = options;
    this.#policy = summary && new SummaryPolicy(summary, uid, this.#log.error);
    if (hasVariables()) for (const msg of misspeltVariables()) this.#log.say(levels.warning, msg);
    this.#details = new DetailsGate(options.details, this.#log.error);
    this.#routes = new Routes(options.prefix);
    const { version, heartbeat, lbheartbeat } = endpointPaths;
    this.#routes.add([
      { path: version, name: 'the version', answer: () => this.#report().answerVersion() },
      {
        path: heartbeat,
        name: 'the heartbeat',
        answer: (request) => this.#report().answerHeartbeat(request),
      },
      {
        path: lbheartbeat,
        name: 'the load balancer heartbeat',
        immediate: true,
        answer: () => (this.#refusing ? answerDraining : answerUp),
      },
    ]);
    const features = openFeatures(this.#featureHost());
    this.#features.add(...features);
    closeOnThrow(this, () => {
      for (const { routes = [] } of features) this.#routes.add(routes);
      if (Object.keys(options.groups).length > 0) this.addFeature(this.#report().groups());
    });
    // A server that the framework does not show is found by its first request.
    this.tracks = summary !== undefined || options.keepAlive !== undefined;
  }

  /** Throws if an option names a check that is not registered: called by frameworks when the application starts. */
  requireKnownChecks(checkOptions = 'Option checkOptions'): void {
    this.#namesRequired = true;
    this.#features.each((feature) => feature.requireKnownChecks?.());
    this.#registry.requireKnown(`${checkOptions} has options for`);
  }

  /** Registers a check. */
  addCheck(name: unknown, check: unknown, options?: CheckOptions): void {
    const every = this.#registry.add(name, check, options);
    attach(check, this, this.#log.record);
    if (every === undefined) return;
    this.whileOpen(() => this.#features.each((feature) => feature.onScheduled?.(every)));
  }

  /** Replaces the reading of `version.json`. */
  replaceVersion(callback: unknown): void {
    this.#report().replaceVersion(callback);
  }

  /** Says that the process is leaving: on the health page, and with `refusing` to load balancers by `/__lbheartbeat__`. */
  leave(refusing: boolean): void {
    this.#leaving = true;
    this.#refusing = refusing;
    this.#features.each((feature) => feature.onLeave?.(refusing));
  }

  /** Says that the application has started. */
  started(): void {
    this.#features.each((feature) => feature.onStarted?.());
  }

  /** Adds a feature that is started later than this. */
  addFeature(feature: Feature<Request>): void {
    this.#routes.add(feature.routes ?? []);
    this.#features.add(feature);
  }

  /** Runs every check, or waits for a run. Never rejects. */
  heartbeat(): Promise<Heartbeat> {
    return this.#report().heartbeat();
  }

  /** Ends background work: the server can close. Requests are still answered. */
  stop(): void {
    flushDeferred();
    for (const { cache } of this.#registry.checks) cache?.close();
    this.#features.each((feature) => feature.close?.());
  }

  /** Stops, and gives back all that was replaced. */
  override close(): void {
    this.stop();
    super.close();
  }

  /** The paths that are answered before the application. */
  paths(): readonly string[] {
    return this.#hidden ? [] : this.#routes.paths();
  }

  /** The route of a request target; undefined if the request belongs to the application. */
  match(target: string): Route<Request> | undefined {
    return this.#hidden ? undefined : this.#routes.match(target);
  }

  /** The same, also if only the health port serves the endpoints. */
  matchAny(target: string): Route<Request> | undefined {
    return this.#routes.match(target);
  }

  /** The answer to a request for a route, whatever its method. */
  answer(route: Route<Request>, method: string, target: string, request: Request): Answer | Promise<Answer> {
    return answerRoute(route, method, target, request, this.#log.error);
  }

  /** The answer to a request for one of the endpoints; undefined if it belongs to the application. */
  handle(method: string, target: string, request: Request): Answer | Promise<Answer> | undefined {
    const route = this.match(target);
    return route && this.answer(route, method, target, request);
  }

  /** Whether a request needs a context: to be reported, to echo its id, or for `requestId()`. */
  needsContext(route: Route<Request> | undefined): boolean {
    const { echoRequestId, requestContext } = this.options;
    return this.tracks || echoRequestId || (requestContext && route?.immediate !== true);
  }

  /** Reports a finished request; logs its `request.summary` record if the options ask for it. */
  summarise(context: RequestContext, summary: Summary): void {
    context.end();
    // A request that never reached the application, such as an upgrade, was not matched yet.
    const isHealthRequest = context.isHealthRequest ?? this.#routes.match(summary.target) !== undefined;
    const record = this.#policy?.recordOf(context, summary, isHealthRequest);
    if (record === undefined) return;
    // A response may end outside of its request's context, and loggers ask for the id, unless they say otherwise.
    if (isDeferrable(this.options.logger)) this.#log.summary(record);
    else runInRequest(context, () => this.#log.summary(record));
  }

  /** Logs an error that is not the application's. */
  logError(msg: string, error: unknown): void {
    this.#log.error(msg, error);
  }

  /** Logs a record, with the trace that it belongs to. */
  log(record: LogRecord): void {
    this.#log.record(record);
  }

  /** The part of this that features may use. */
  #featureHost(): FeatureHost<Request> {
    return {
      options: this.options,
      version: () => this.#report().version(),
      draining: () => this.#leaving,
      showsDetails: (request) => this.#details.opensTo(request),
      checks: () => this.#registry.checks,
      observe: () => this.#report().observe(),
      refresh: (due) => this.#report().refresh(due),
      log: this.#log.record,
      emitVerdict: (change) => this.#report().verdict(change),
      heartbeat: () => this.#report().join(),
      onError: this.#log.error,
    };
  }

  /** If no framework has reported the start of the application, the first heartbeat reports such mistakes. */
  #logUnknownChecks(): void {
    if (this.#namesRequired) return;
    try {
      this.requireKnownChecks();
    } catch (thrown) {
      if (thrown instanceof LifesignError) this.logError(`${thrown.code}: ${thrown.message}`, thrown);
    }
  }

  /** Made with the first heartbeat or version, whose code is loaded then. */
  #report(): Reports<Request> {
    return (this.#reports ??= new (loadReports().Reports)({
      options: this.options,
      registry: this.#registry,
      features: this.#features,
      log: this.#log,
      details: this.#details,
      health: this.#health,
      onOver: () => this.#logUnknownChecks(),
    }));
  }
}
