import { stayFor } from './stay-for.js';
import { Engine } from './engine.js';
import type { OpenFeatures } from './feature.js';
import type { Check, CheckContext, CheckOutcome, CheckOptions } from './heartbeat/check.js';
import type { Heartbeat } from './heartbeat/heartbeat.js';
import { SignalEmitter } from './heartbeat/signals.js';
import type { ResolvedOptions } from './options/options.js';
import { addCheck, setVersion } from './registering.js';
import { shared } from './shared.js';
import type { VersionCallback } from './version/version.js';
import { bindMethods, isObject } from './objects.js';

type CheckMethod<This> = (this: This, context: CheckContext) => CheckOutcome | PromiseLike<CheckOutcome>;
type VersionMethod<This> = (this: This, versionPath: string) => ReturnType<VersionCallback>;

/** The key under which a Health keeps its engine; the same in all copies of the package. */
const engineKey: unique symbol = Symbol.for('lifesign.engine.1');

/** How many Healths this process has made. */
const made = /* @__PURE__ */ shared('made', () => ({ count: 0 }));

/** The public interface of a Health: register checks and a version, get heartbeats and signals. */
export class HealthCore<Request = unknown, FrameworkRequest = never> extends SignalEmitter {
  /** The options with every default filled in. */
  readonly options: ResolvedOptions<Request, FrameworkRequest>;
  /** @internal */
  declare readonly [engineKey]: Engine<Request, FrameworkRequest>;

  constructor(
    options: ResolvedOptions<Request, FrameworkRequest>,
    openFeatures: OpenFeatures<Request> = () => [],
  ) {
    super();
    made.count += 1;
    this.options = options;
    // Not enumerable: printing a Health should show its options.
    Object.defineProperty(this, engineKey, { value: new Engine(options, this, openFeatures) });
    bindMethods(this, 'check', 'versionCallback', 'started');
  }

  /** `@health.check()` on a method: the same as without the parentheses. */
  check(): <This, M extends CheckMethod<This>>(
    method: M,
    context: ClassMethodDecoratorContext<This, M>,
  ) => void;
  /** `@health.check` on a method: the check has the method's name, and `this` is the instance or class. */
  check<This, M extends CheckMethod<This>>(method: M, context: ClassMethodDecoratorContext<This, M>): void;
  /** `health.check(storageReachable)`: registers a named function. Returns it. */
  check<C extends Check>(check: C, options?: CheckOptions): C;
  /** `@health.check('storage', { timeout: 500 })` on a method. */
  check(
    name: string,
    options?: CheckOptions,
  ): <This, M extends CheckMethod<This>>(method: M, context: ClassMethodDecoratorContext<This, M>) => void;
  // The last one: the compiler explains a wrong call by it.
  /** `health.check('storage', () => …)`: registers any function under a name. Returns it. */
  check<C extends Check>(name: string, check: C, options?: CheckOptions): C;
  check(...args: readonly unknown[]): unknown {
    return addCheck(args, (name, check, options) => this[engineKey].addCheck(name, check, options));
  }

  /** `@health.versionCallback()` on a method: the same as without the parentheses. */
  versionCallback(): <This, M extends VersionMethod<This>>(
    method: M,
    context: ClassMethodDecoratorContext<This, M>,
  ) => void;
  /** `@health.versionCallback` on a method. */
  versionCallback<This, M extends VersionMethod<This>>(
    method: M,
    context: ClassMethodDecoratorContext<This, M>,
  ): void;
  /** `health.versionCallback((versionPath) => ({ commit: … }))`: replaces the reading of `version.json`. */
  versionCallback<C extends VersionCallback>(callback: C): C;
  versionCallback(...args: readonly unknown[]): unknown {
    return setVersion(args, (callback) => this[engineKey].replaceVersion(callback));
  }

  /**
   * Runs every check now, logs the messages and sends the signal. Never rejects. Inside a check or a listener of a
   * heartbeat it runs nothing and reports `health.E009`. The process stays alive until it resolves.
   */
  heartbeat(): Promise<Heartbeat> {
    return stayFor(this[engineKey].heartbeat());
  }

  /**
   * Says that the application has started, for the probes: `/startupz` passes from now on. Bound to the object, so that it can be handed on.
   *
   * @example await warmUp(); health.started();
   */
  started(): void {
    this[engineKey].started();
  }

  /**
   * Flushes the log, stops timers, closes open health pages and the health port, and gives back everything that was replaced: from
   * now on the application answers all requests. `heartbeat()` still works. Calling it again does nothing.
   */
  close(): void {
    this[engineKey].close();
  }
}

/** The engine of a Health, for frameworks and features. @internal */
export function engineOf<Request, FrameworkRequest>(
  health: HealthCore<Request, FrameworkRequest>,
): Engine<Request, FrameworkRequest> {
  return health[engineKey];
}

/** How many Healths have been made in this process, whichever copy of the package made them. @internal */
export function healthsMade(): number {
  return made.count;
}

/** Whether a value is a Health, of this copy of the package or of another. @internal */
export function isHealth(value: unknown): value is HealthCore<never> {
  return isObject(value) && engineKey in value;
}
