import {
  type Answer,
  answerDraining,
  answerRoute,
  answerUp,
  endpointPaths,
  groupPath,
  type Route,
  Routes,
} from './endpoints.js';
import { closeOnThrow, type Feature, type FeatureHost, type OpenFeatures } from './feature.js';
import type { Check, CheckMethod, CheckOptions } from './heartbeat/check.js';
import { CheckLog, detailsGate, answerHeartbeat, reportOf } from './heartbeat/report.js';
import { groupsOf } from './heartbeat/groups.js';
import { frozen, type Heartbeat, Heartbeats, runSettings, type RunSource } from './heartbeat/heartbeat.js';
import { levels, type MessageLevel } from './heartbeat/messages.js';
import { addCheck, registeredCheck, setVersion } from './heartbeat/registry.js';
import type { RegisteredCheck, RunSettings } from './heartbeat/run.js';
import {
  emitSignal,
  SignalEmitter,
  type SignalName,
  type Signals,
  type VerdictChange,
} from './heartbeat/signals.js';
import { flushDeferred, HealthLog, isDeferrable, type LogRecord } from './log.js';
import { Closable } from './replace.js';
import { appTwice, checkUnknown, LifesignError } from './options/errors.js';
import type { ResolvedOptions } from './options/options.js';
import { misspeltVariables } from './options/variables.js';
import { type RequestContext, runInRequest } from './request/request.js';
import { summaries, type Summary } from './request/summary.js';
import { shared } from './runtime.js';
import { stayFor } from './time.js';
import { type VersionCallback, type VersionMethod, VersionSource } from './version.js';

type CheckDecorator = <This, M extends CheckMethod<This>>(
  method: M,
  context: ClassMethodDecoratorContext<This, M>,
) => void;
type VersionDecorator = <This, M extends VersionMethod<This>>(
  method: M,
  context: ClassMethodDecoratorContext<This, M>,
) => void;

const healths = /* @__PURE__ */ shared('healths', () => ({ count: 0 }));

/** Applications that have a Health, whichever framework they are of. */
const installed = /* @__PURE__ */ shared('installed', () => new WeakSet<object>());

/** The parts of a Health, as entries read them from the arguments of the application. @internal */
export interface HealthParts<Request, FrameworkRequest> {
  readonly options: ResolvedOptions<Request, FrameworkRequest>;
  readonly openFeatures: OpenFeatures<Request>;
  /** Registers and starts what the arguments name; if it throws, the Health is closed. */
  readonly begin?: (health: HealthCore<Request, FrameworkRequest>) => void;
}

/**
 * A Health: has checks and a version, runs heartbeats and emits signals. Its internal members are for the folders around the core; a framework adds
 * `initApp`, which installs it in an application.
 * `Request` is the raw request, before the framework wraps it, for the option `details`; `FrameworkRequest` is the framework's request, for `uid`.
 */
export class HealthCore<Request = unknown, FrameworkRequest = never> {
  /** The options with every default filled in. */
  readonly options: ResolvedOptions<Request, FrameworkRequest>;
  /** The steps that the option `drain` takes once the servers are closed. @internal */
  readonly onShutdown: (() => unknown)[] = [];
  readonly #signals = new SignalEmitter();
  readonly #features: Feature<Request>[] = [];
  readonly #routes: Routes<Request>;
  /** The routes that the application's port serves. */
  readonly #shown: Routes<Request>;
  /** In the order of their registration; replaced when one is added. */
  #registered: readonly RegisteredCheck[] = [];
  readonly #checks = () => this.#registered;
  readonly #log: HealthLog;
  readonly #showsDetails: (request: Request) => boolean;
  readonly #checkLog: CheckLog;
  readonly #settings: RunSettings;
  readonly #heartbeats: Heartbeats;
  readonly #version: VersionSource;
  readonly #recordOf: ReturnType<typeof summaries> | undefined;
  readonly #life = new Closable();
  #leaving = false;
  #refusing = false;
  /** Whether the names of checks in the options have been required to be known. */
  #namesRequired = false;
  readonly #tracks: boolean;
  /** Called with each server of node:http that is known. @internal */
  onServer: ((server: object) => void) | undefined;

  /** @internal */
  constructor({ options, openFeatures, begin }: HealthParts<Request, FrameworkRequest>) {
    healths.count += 1;
    this.options = options;
    // Compilers call decorators without `this`, and so does `const { check } = health`.
    for (const name of ['check', 'versionCallback', 'started'] as const) {
      Object.defineProperty(this, name, { value: this[name].bind(this), writable: true, configurable: true });
    }
    this.#log = new HealthLog(options);
    this.#showsDetails = detailsGate(options.details, this.#log.error);
    this.#checkLog = new CheckLog(options.failureLogInterval, this.#log.record);
    this.#settings = runSettings(options, (check) =>
      this.#features.find(({ verdictOf }) => verdictOf !== undefined)?.verdictOf?.(check),
    );
    this.#heartbeats = new Heartbeats(this.#checks, this.#settings, (heartbeat, source) =>
      this.#announce(heartbeat, source),
    );
    this.#version = new VersionSource(options, (level, msg) => this.#log.say(level, msg));
    const { summary, uid, healthPort, healthPortOnly } = options;
    this.#recordOf = summary && summaries(summary, uid, this.#log.error);
    this.#tracks = summary !== undefined || options.keepAlive !== undefined;
    for (const msg of misspeltVariables()) this.#log.say(levels.warning, msg);
    this.#routes = new Routes(options.prefix);
    this.#shown = healthPortOnly && healthPort !== undefined ? new Routes() : this.#routes;
    this.#routes.add(this.#ownRoutes());
    this.#features.push(...openFeatures(this.#featureHost()));
    closeOnThrow(this, () => {
      for (const { routes = [] } of this.#features) this.#routes.add(routes);
      if (Object.keys(options.groups).length > 0) this.addFeature(this.#groups());
      begin?.(this);
    });
  }

  /** `@health.check()` on a method: the same as without the parentheses. */
  check(): CheckDecorator;
  /** `@health.check` on a method: the check has the method's name, and `this` is the instance or class. */
  check<This, M extends CheckMethod<This>>(method: M, context: ClassMethodDecoratorContext<This, M>): void;
  /** `health.check(storageReachable)`: registers a named function. Returns it. */
  check<C extends Check>(check: C, options?: CheckOptions): C;
  /** `@health.check('storage', { timeout: 500 })` on a method. */
  check(name: string, options?: CheckOptions): CheckDecorator;
  // The last one: the compiler explains a wrong call by it.
  /** `health.check('storage', () => …)`: registers any function under a name. Returns it. */
  check<C extends Check>(name: string, check: C, options?: CheckOptions): C;
  check(...args: readonly unknown[]): unknown {
    return addCheck(args, (name, run, options) => {
      this.#add(registeredCheck(name, run, options, this.options, this.#registered));
    });
  }

  /** `@health.versionCallback()` on a method: the same as without the parentheses. */
  versionCallback(): VersionDecorator;
  /** `@health.versionCallback` on a method. */
  versionCallback<This, M extends VersionMethod<This>>(
    method: M,
    context: ClassMethodDecoratorContext<This, M>,
  ): void;
  /** `health.versionCallback((versionPath) => ({ commit: … }))`: replaces the reading of `version.json`. */
  versionCallback<C extends VersionCallback>(callback: C): C;
  versionCallback(...args: readonly unknown[]): unknown {
    return setVersion(args, (callback) => this.#version.replace(callback));
  }

  /**
   * Runs every check now, logs the messages and sends the signal. Never rejects. Inside a check or a listener of a
   * heartbeat it runs nothing and reports `health.E009`. The process stays alive until it resolves.
   */
  heartbeat(): Promise<Heartbeat> {
    return stayFor(this.run());
  }

  /** Calls `listener` for each such signal. A listener that throws is logged and breaks nothing. */
  on<Name extends SignalName>(name: Name, listener: (event: Signals[Name]) => unknown): this {
    this.#signals.on(name, listener);
    return this;
  }

  /** Calls `listener` only for the next such signal. */
  once<Name extends SignalName>(name: Name, listener: (event: Signals[Name]) => unknown): this {
    this.#signals.once(name, listener);
    return this;
  }

  /** Removes a listener, however it was added; the latest one if it was added more than once. */
  off<Name extends SignalName>(name: Name, listener: (event: Signals[Name]) => unknown): this {
    this.#signals.off(name, listener);
    return this;
  }

  /**
   * Says that the application has started, for the probes: `/startupz` passes from now on. Bound to the object, so that it can be handed on.
   *
   * @example await warmUp(); health.started();
   */
  started(): void {
    for (const feature of this.#features) feature.onStarted?.();
  }

  /**
   * Flushes the log, stops timers, closes open health pages and the health port, and restores everything that was replaced: from
   * now on the application answers all requests. `heartbeat()` still works. Calling it again does nothing.
   */
  close(): void {
    this.stop();
    this.#life.close();
  }

  /** Whether requests are no longer ours: hooks that could not be removed do nothing. @internal */
  get closed(): boolean {
    return this.#life.closed;
  }

  /** Calls a function once when this is closed; the function that it returns takes that back. @internal */
  onClose(close: () => void): () => void {
    return this.#life.onClose(close);
  }

  /** Puts the endpoints into an application by `put`, once for each application; opens a Health that was closed. @internal */
  protected install(app: object, put: () => void): this {
    if (installed.has(app)) throw appTwice('application');
    this.#life.reopen();
    put();
    installed.add(app);
    this.onClose(() => void installed.delete(app));
    return this;
  }

  /** Sends a signal; `event` is created only if there are listeners. @internal */
  emit<Name extends SignalName>(name: Name, event: () => Signals[Name]): void {
    emitSignal(this.#signals, name, event, this.#log.error);
  }

  /** Ends background work: the server can close. Requests are still answered. @internal */
  stop(): void {
    flushDeferred();
    for (const feature of this.#features) feature.close?.();
  }

  /** Says that the process is leaving: on the health page, and with `refusing` to load balancers by `/__lbheartbeat__`. @internal */
  leave(refusing: boolean): void {
    this.#leaving = true;
    this.#refusing = refusing;
    for (const feature of this.#features) feature.onLeave?.(refusing);
  }

  /** Says that the watchdog has answered the probe for liveness: the verdict has to be current. @internal */
  watchdogProbed(): void {
    for (const feature of this.#features) feature.onWatchdogProbed?.();
  }

  /** Adds a feature that starts later. @internal */
  addFeature(feature: Feature<Request>): void {
    this.#routes.add(feature.routes ?? []);
    this.#features.push(feature);
  }

  /** Throws if an option names a check that is not registered: called by frameworks when the application starts. @internal */
  requireKnownChecks(): void {
    this.#namesRequired = true;
    for (const feature of this.#features) feature.requireKnownChecks?.();
    const known = this.#registered.map(({ name }) => name);
    const unknown = Object.keys(this.options.checkOptions).find((name) => !known.includes(name));
    if (unknown !== undefined) throw checkUnknown('Option checkOptions has options for', unknown, known);
  }

  /** Whether finished requests must be reported by calling `summarise`: a server that the framework does not show is found by its first one. @internal */
  get tracks(): boolean {
    return this.#tracks || this.onServer !== undefined;
  }

  /** The route of a request target; undefined if the request belongs to the application. @internal */
  match(target: string): Route<Request> | undefined {
    return this.#shown.match(target);
  }

  /** The same, also if only the health port serves the endpoints. @internal */
  matchAny(target: string): Route<Request> | undefined {
    return this.#routes.match(target);
  }

  /** The answer to a request for a route, with any method. @internal */
  answer(route: Route<Request>, method: string, target: string, request: Request): Answer | Promise<Answer> {
    return answerRoute(route, method, target, request, this.#log.error);
  }

  /** Whether a request needs a context: to be reported, or for `requestId()`. @internal */
  needsContext(route: Route<Request> | undefined): boolean {
    return this.tracks || (this.options.requestContext && route?.immediate !== true);
  }

  /** Reports a finished request; logs its `request.summary` record if the options turn it on. @internal */
  summarise(context: RequestContext, summary: Summary): void {
    context.end();
    // A request that never reached the application, such as an upgrade, was not matched yet.
    const isHealthRequest = context.isHealthRequest ?? this.#routes.match(summary.target) !== undefined;
    const record = this.#recordOf?.(context, summary, isHealthRequest);
    if (record === undefined) return;
    // A response may end outside of its request's context, and loggers read the id, unless they say otherwise.
    if (isDeferrable(this.options.logger)) this.#log.summary(record);
    else runInRequest(context, () => this.#log.summary(record));
  }

  /** Logs a record, with the trace that it belongs to. @internal */
  log(record: LogRecord): void {
    this.#log.record(record);
  }

  /** Logs a message of lifesign itself. @internal */
  say(level: MessageLevel, msg: string, error?: unknown): void {
    this.#log.say(level, msg, error);
  }

  /** Logs an error that is not the application's. @internal */
  logError(msg: string, error: unknown): void {
    this.#log.error(msg, error);
  }

  /** Runs every check, or waits for a run. Never rejects, and keeps no process alive. @internal */
  run(): Promise<Heartbeat> {
    return this.#heartbeats.run().then(frozen);
  }

  #ownRoutes(): readonly Route<Request>[] {
    const { version, heartbeat, lbheartbeat } = endpointPaths;
    const up = () => (this.#refusing ? answerDraining : answerUp);
    return [
      { path: version, name: 'the version', answer: () => this.#version.answer() },
      this.#heartbeatRoute(heartbeat, 'the heartbeat', this.#heartbeats),
      { path: lbheartbeat, name: 'the load balancer heartbeat', immediate: true, answer: up },
    ];
  }

  #add(check: RegisteredCheck): void {
    this.#registered = [...this.#registered, check];
    const { every, onRegistered } = check;
    const onClose = (close: () => void) => this.onClose(close);
    this.#life.whileOpen(() => {
      onRegistered?.({ closed: () => this.closed, onClose, log: this.#log.record });
      if (every !== undefined) for (const feature of this.#features) feature.onScheduled?.(every);
    });
  }

  #featureHost(): FeatureHost<Request> {
    return {
      options: this.options,
      version: () => this.#version.read(),
      draining: () => this.#leaving,
      showsDetails: this.#showsDetails,
      checks: this.#checks,
      observe: () => this.#heartbeats.observe(),
      refresh: (due) => this.#heartbeats.refresh(due, (part) => this.#announceGroup(part)),
      log: this.#log.record,
      emitVerdict: (change) => this.#emitVerdict(change),
      heartbeat: () => this.#heartbeats.join(),
      onError: this.#log.error,
    };
  }

  #heartbeatRoute(path: string, name: string, heartbeats: Heartbeats): Route<Request> {
    const answer = (request: Request) =>
      heartbeats.run().then((over) => answerHeartbeat(over, this.#showsDetails(request), this.options));
    return { path, name, answer };
  }

  #groups(): Feature<Request> {
    return groupsOf(this.options.groups, this.#checks, (name, members) => {
      const heartbeats = new Heartbeats(members, this.#settings, (part) => this.#announceGroup(part));
      return this.#heartbeatRoute(groupPath(name), `group ${name}`, heartbeats);
    });
  }

  #announce(heartbeat: Heartbeat, source: RunSource): void {
    this.#logUnknownChecks();
    // First: what features log about it are conclusions.
    this.#checkLog.write(heartbeat.level, heartbeat.results);
    for (const feature of this.#features) feature.onHeartbeat?.(heartbeat);
    const { level, status, failed } = heartbeat;
    const event = () => ({ level, status, report: reportOf(heartbeat), source, health: this });
    this.emit(failed ? 'heartbeatFailed' : 'heartbeatPassed', event);
  }

  /** The checks of a group have run: this is not a heartbeat of the application, so listeners are not called. */
  #announceGroup(heartbeat: Heartbeat): void {
    this.#checkLog.write(heartbeat.level, heartbeat.results);
    for (const feature of this.#features) feature.onGroupHeartbeat?.(heartbeat);
  }

  #emitVerdict(change: VerdictChange): void {
    for (const feature of this.#features) feature.onVerdict?.(change);
    this.emit('verdictChanged', () => ({ ...change, health: this }));
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
}

/** How many Healths have been made in this process, whichever copy of the package made them. @internal */
export const healthsMade = (): number => healths.count;

/** Whether a value is a Health. @internal */
export const isHealth = (value: unknown): value is HealthCore<never> => value instanceof HealthCore;
