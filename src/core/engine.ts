import { HeartbeatAnswers } from './heartbeat/answer.js';
import { VersionAnswers } from './version/answer.js';
import type { CheckOptions } from './heartbeat/check-options.js';
import { attach } from './heartbeat/check-host.js';
import { Closable } from './closable.js';
import { contractRoutes } from './contract.js';
import { DetailsGate } from './details.js';
import { type Answer, answerDraining, answerUp } from './endpoints.js';
import { type Feature, type OpenFeatures, orClose } from './feature.js';
import { frozen, type Heartbeat, type RunSource } from './heartbeat/heartbeat.js';
import { openGroups } from './heartbeat/groups.js';
import { HealthLog } from './health-log.js';
import { Heartbeats } from './heartbeat/heartbeats.js';
import type { LogRecord } from './log.js';
import { checkUnknown, LifesignError } from './options/errors.js';
import { levels } from './heartbeat/messages.js';
import type { ResolvedOptions } from './options/options.js';
import { Registry } from './heartbeat/registry.js';
import { type RequestContext, runInRequest } from './request/request.js';
import { answerRoute, type Route, Routes } from './routes.js';
import { emitSignal, eventOf, type Sender, type SignalEmitter } from './heartbeat/signals.js';
import type { VerdictChange } from './heartbeat/signals.js';
import { prepare } from './scrub/scrub.js';
import type { Summary } from './request/summary.js';
import { SummaryPolicy } from './request/summary-policy.js';
import { endTurn } from './request/turn.js';
import { misspeltVariables } from './options/variables.js';
import { VersionSource } from './version/version.js';

/**
 * What makes a Health go, for the rooms around the core: requests in, answers, summaries and log records out. `Request` is what
 * there is of a request before the framework, for the option `details`; `Own` is what the framework calls a request, for `uid`.
 */
export class Engine<Request = unknown, Own = never> extends Closable {
  readonly options: ResolvedOptions<Request, Own>;
  /** Whether somebody is told of a request that is over: `summarise` is to be called. */
  readonly follows: boolean;
  /** Whose signals it sends. */
  readonly #health: SignalEmitter & Sender;
  readonly #registry: Registry;
  readonly #log: HealthLog;
  readonly #heartbeats: Heartbeats;
  readonly #answers: HeartbeatAnswers;
  readonly #version: VersionSource;
  readonly #versionAnswers: VersionAnswers;
  readonly #policy: SummaryPolicy;
  readonly #details: DetailsGate<Request>;
  readonly #features: Feature<Request>[] = [];
  readonly #routes = new Routes<Request>();
  /** Whether only the port of their own serves the endpoints. */
  readonly #hidden: boolean;
  #leaving = false;
  /** Whether the names of checks in the options were looked at. */
  #namesRequired = false;
  #refusing = false;

  constructor(
    options: ResolvedOptions<Request, Own>,
    health: SignalEmitter & Sender,
    openFeatures: OpenFeatures<Request>,
  ) {
    super();
    this.options = options;
    this.#health = health;
    this.#log = new HealthLog(options);
    this.#hidden = options.healthPortOnly && options.healthPort !== undefined;
    this.#registry = new Registry(options);
    const entry = { inside: false, asked: false };
    const over = (heartbeat: Heartbeat, source: RunSource) => this.#announce(heartbeat, source);
    this.#heartbeats = new Heartbeats(this.#registry, options, over, entry);
    this.#answers = new HeartbeatAnswers(options);
    this.#version = new VersionSource(options);
    this.#policy = new SummaryPolicy(options, this.#log.error);
    this.#versionAnswers = new VersionAnswers((level, msg) => this.#log.say(level, msg));
    for (const msg of misspeltVariables()) this.#log.say(levels.warning, msg);
    this.#details = new DetailsGate(options.details, this.#log.error);
    const showsDetails = (request: Request) => this.#details.opensTo(request);
    const endpoints = contractRoutes<Request>({
      version: () => this.#version.read().then((outcome) => this.#versionAnswers.answer(outcome)),
      heartbeat: (request) => this.#answerHeartbeat(request),
      lbheartbeat: () => (this.#refusing ? answerDraining : answerUp),
    });
    this.#routes.add(endpoints);
    const features = openFeatures({
      options,
      version: () => this.#version.read(),
      draining: () => this.#leaving,
      showsDetails,
      checks: () => this.#registry.checks,
      observe: () => this.#heartbeats.observe(),
      log: this.#log.record,
      emitVerdict: (change) => this.#emitVerdict(change),
      heartbeat: () => this.#heartbeats.join(),
      onError: this.#log.error,
    });
    const announce = (heartbeat: Heartbeat) => {
      for (const feature of features) feature.onGroupHeartbeat?.(heartbeat);
      this.#log.checks(heartbeat);
    };
    this.#features.push(...features);
    const groups = { options, entry, registry: this.#registry, showsDetails, announce };
    orClose(this, () => this.#features.push(...openGroups(groups)));
    orClose(this, () => this.#features.forEach(({ routes = [] }) => this.#routes.add(routes)));
    this.follows = options.summary || features.some((feature) => feature.onRequest !== undefined);
  }

  /** Throws where an option names a check that is not registered: called by frameworks when the application starts. */
  requireKnownChecks(checkOptions = 'Option checkOptions'): void {
    this.#namesRequired = true;
    for (const feature of this.#features) feature.requireKnownChecks?.();
    const names = this.#registry.checks.map(({ name }) => name);
    for (const name of Object.keys(this.options.checkOptions)) {
      if (!names.includes(name)) throw checkUnknown(`${checkOptions} has options for`, name, names);
    }
  }

  /** Registers a check. */
  addCheck(name: unknown, check: unknown, options?: CheckOptions): void {
    this.#registry.add(name, check, options);
    attach(check, this, this.#log.record);
  }
  /** Replaces the reading of `version.json`. */
  replaceVersion(callback: unknown): void {
    this.#version.replace(callback);
  }
  /** Says that the process is leaving: on the health page, and with `refusing` to load balancers by `/__lbheartbeat__`. */
  leave(refusing: boolean): void {
    this.#leaving = true;
    this.#refusing = refusing;
    for (const feature of this.#features) feature.onLeave?.(refusing);
  }
  /** Says that the application has started. */
  started(): void {
    for (const feature of this.#features) feature.onStarted?.();
  }
  /** Adds a feature that is started later than this. */
  addFeature(feature: Feature<Request>): void {
    this.#routes.add(feature.routes ?? []);
    this.#features.push(feature);
  }
  /** Runs every check, or waits for a run. Never rejects. */
  heartbeat(): Promise<Heartbeat> {
    return this.#heartbeats.run().then(frozen);
  }
  /** Ends what runs by itself: the server can close. Requests are still answered. */
  stop(): void {
    endTurn();
    for (const { cache } of this.#registry.checks) cache?.close();
    for (const feature of this.#features) feature.close?.();
  }

  /** Stops, and gives back all that was replaced. */
  override close(): void {
    this.stop();
    super.close();
  }

  /** Whether a heartbeat is bad enough to fail, by `failLevel`. */
  failed(heartbeat: Heartbeat): boolean {
    return this.#answers.failed(heartbeat);
  }
  /** The paths that are answered before the application. */
  paths(): readonly string[] {
    return this.#hidden ? [] : this.#routes.paths();
  }
  /** The route of a request target; undefined where the request is the application's. */
  match(target: string): Route<Request> | undefined {
    return this.#hidden ? undefined : this.#routes.match(target);
  }

  /** The same on the port of their own. */
  matchApart(target: string): Route<Request> | undefined {
    return this.#routes.match(target);
  }

  /** The answer to a request for a route, whatever its method. */
  answer(route: Route<Request>, method: string, target: string, request: Request): Answer | Promise<Answer> {
    return answerRoute(route, method, target, request, this.#log.error);
  }

  /** The answer to a request for one of the endpoints; undefined where it is the application's. */
  handle(method: string, target: string, request: Request): Answer | Promise<Answer> | undefined {
    const route = this.match(target);
    return route && this.answer(route, method, target, request);
  }

  /** Whether something has to be known of a request while it is under way or when it is over. */
  leavesTrace(route: Route<Request> | undefined): boolean {
    const { echoRequestId, requestContext } = this.options;
    return this.follows || echoRequestId || (requestContext && route?.immediate !== true);
  }

  /** Tells of a request that is over; logs its `request.summary` record where the options ask for it. */
  summarise(context: RequestContext, summary: Summary): void {
    context.end();
    // What never came to the application, as an upgrade, was not matched yet.
    const ours = context.ours ?? this.#routes.match(summary.target) !== undefined;
    // A probe is not work of the application.
    if (!ours) for (const feature of this.#features) feature.onRequest?.(context, summary);
    const record = this.options.summary ? this.#policy.recordOf(context, summary, ours) : undefined;
    if (record === undefined) return;
    // A response may end outside of its request's context, and loggers ask for the id, unless they say otherwise.
    if (this.options.logger.mayBeLate === true) this.#log.summary(record);
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

  /** Tells the features, the log and the listeners of a run of all checks; whether there were listeners. */
  #announce(heartbeat: Heartbeat, source: RunSource): boolean {
    prepare();
    this.#logUnknownChecks();
    for (const feature of this.#features) feature.onHeartbeat?.(heartbeat);
    // The probes run every second: they log changes.
    if (source === 'heartbeat') this.#log.checks(heartbeat);
    const name = this.failed(heartbeat) ? 'heartbeatFailed' : 'heartbeatPassed';
    const event = () => eventOf(heartbeat, source, this.#health);
    return emitSignal(this.#health, name, event, this.#log.record);
  }

  /** Where no framework has said that the application starts, the first heartbeat says what is wrong. */
  #logUnknownChecks(): void {
    if (this.#namesRequired) return;
    try {
      this.requireKnownChecks();
    } catch (thrown) {
      if (thrown instanceof LifesignError) this.logError(`${thrown.code}: ${thrown.message}`, thrown);
    }
  }

  #emitVerdict(change: VerdictChange): void {
    for (const feature of this.#features) feature.onVerdict?.(change);
    const event = () => ({ ...change, health: this.#health });
    emitSignal(this.#health, 'verdictChanged', event, this.#log.record);
  }

  #answerHeartbeat(request: Request): Promise<Answer> {
    const answer = (heartbeat: Heartbeat) => this.#answers.answer(heartbeat, this.#details.opensTo(request));
    return this.#heartbeats.run().then(answer);
  }
}
